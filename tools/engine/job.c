/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/engine/job.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_BYTES = 16 /* of a process name, as in the kernel */ };

static const struct {
    const char *rank;
    const char *size;
    enum mpi_family family;
} variables[] = {
#define RANK_VARIABLE(name, size, family) {name, size, MPI_FAMILY_##family},
#include "session/rank_variables.def"
#undef RANK_VARIABLE
};
enum { VARIABLES = sizeof variables / sizeof variables[0] };

static bool number_of(const char *variable, unsigned long *number)
{
    const char *text = *variable ? getenv(variable) : NULL;
    char *end = NULL;
    *number = text ? strtoul(text, &end, 10) : 0;
    return text && end != text && !*end;
}

static bool is_of_batch(size_t i)
{
    return strncmp(variables[i].rank, "SLURM_", 6) == 0;
}

/*
 * Scripts of a batch system have rank variables that become true only through the batch system's
 * launcher.
 */
static bool is_believed(size_t i, bool has_size)
{
    return !is_of_batch(i) || has_size;
}

/* Whether a launcher has started all ranks on the present host. */
static bool is_all_here(unsigned long size)
{
    static const char *const local_sizes[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                                              "MV2_COMM_WORLD_LOCAL_SIZE"};
    unsigned long local;
    bool is = false;
    for (size_t i = 0; i < sizeof local_sizes / sizeof local_sizes[0]; i++)
        is = is || (number_of(local_sizes[i], &local) && local == size);
    return is && size;
}

void job_ask_variables(struct job *job)
{
    bool is_known = false;
    *job = (struct job){.starter = ""};
    for (size_t i = 0; i < VARIABLES; i++) {
        unsigned long rank, size;
        bool has_size = number_of(variables[i].size, &size);
        if (!number_of(variables[i].rank, &rank) || !is_believed(i, has_size))
            continue;
        if (!is_known)
            job->rank = rank;
        /*
         * A variable with the size as well belongs to a library's own launcher. A batch system
         * knows the size for all libraries.
         */
        if (!is_known || (has_size && !job->size && !is_of_batch(i)))
            job->family = variables[i].family;
        if (has_size && !job->size)
            job->size = size;
        is_known = true;
    }
    job->is_one = is_known && job->size != 1;
    job->is_on_one_host = is_all_here(job->size);
}

/* ---- the processes above ---- */

static bool is_launcher(const char *name)
{
    static const char *const names[] = {
#define LAUNCHER(name, role) name,
#include "session/launchers.def"
#undef LAUNCHER
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strncmp(name, names[i], NAME_BYTES - 1))
            return true;
    return false;
}

/* The name and the parent of a process; false: no such process. */
static bool look_at(long pid, char name[NAME_BYTES], long *parent)
{
    char path[64], line[512];
    (void)snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "re");
    bool is_there = file && fgets(line, sizeof line, file);
    if (file)
        (void)fclose(file);
    char *open = is_there ? strchr(line, '(') : NULL;
    char *close = open ? strrchr(open, ')') : NULL;
    if (!close || strlen(close) < sizeof ") S 1")
        return false;
    *parent = strtol(close + sizeof ") S", NULL, 10);
    *close = '\0';
    (void)snprintf(name, NAME_BYTES, "%s", open + 1);
    return true;
}

/* Whether a process is itself a rank that has loaded MPI. */
static bool has_mpi(long pid)
{
    char path[64], line[PATH_MAX + 128];
    bool found = false;
    (void)snprintf(path, sizeof path, "/proc/%ld/maps", pid);
    FILE *file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof line, file))
        found = strstr(line, "/libmpi") != NULL;
    if (file)
        (void)fclose(file);
    return found;
}

/* The target of a process's link; "": unknown. */
static void link_of(long pid, const char *name, char *to, size_t room)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%ld/%s", pid, name);
    ssize_t n = readlink(path, to, room - 1);
    to[n > 0 ? n : 0] = '\0';
}

/* Whether the standard error of a process is a terminal. */
static bool has_terminal(long pid)
{
    char at[PATH_MAX];
    link_of(pid, "fd/2", at, sizeof at);
    return strncmp(at, "/dev/pts/", 9) == 0 || strncmp(at, "/dev/tty", 8) == 0;
}

/*
 * Goes up to the launcher. Between the launcher and the present process may be shells, and programs
 * that measure time. If a process in between is a rank, the job is the rank's own: the rank has
 * called the present command, as a program may. The parts of a launcher have pipes to the part
 * called by the user.
 */
static void ask_processes(struct job *job)
{
    enum { MOST = 32 };
    static char starter[PATH_MAX];
    char name[NAME_BYTES];
    long parent;
    long pid = getppid();
    bool is_above = false; /* a launcher */
    for (int i = 0; i < MOST && pid > 1 && look_at(pid, name, &parent); i++, pid = parent) {
        if (is_launcher(name)) {
            job->has_terminal = job->has_terminal || has_terminal(pid);
            if (!is_above)
                link_of(pid, "exe", starter, sizeof starter);
            is_above = true;
            job->launcher = pid;
        } else if (is_above) {
            break;
        } else if (has_mpi(pid)) {
            job->is_one = false;
        }
    }
    job->starter = starter;
}

const struct job *job_find(void)
{
    static struct job job;
    static bool is_known;
    if (!is_known) {
        job_ask_variables(&job);
        if (job.is_one)
            ask_processes(&job);
        is_known = true;
    }
    return &job;
}
