/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Open MPI gives ranks on other hosts nothing of the environment but what it is told to; other
 * launchers pass it on. Its list of names is what its option -x adds to. A user's own list, which
 * excludes -x, is added to where it is a variable, and left alone where it is an option or in a
 * file.
 */
#include "tools/base/fail.h"
#include "tools/launch/launch.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/base/program.h"

#define LIST "mca_base_env_list"

static bool is_open_mpi(const char *command)
{
    static const char *const patterns[] = {"orterun", "prterun", "mpirun", "mpiexec", "*openmpi*"};
    char path[PROGRAM_PATH_BYTES];
    char *real = program_find(command, path) ? realpath(path, NULL) : NULL;
    bool is_one = false;

    for (size_t i = 0; real && i < sizeof(patterns) / sizeof(patterns[0]); i++)
        is_one = is_one || fnmatch(patterns[i], strrchr(real, '/') + 1, 0) == 0;
    free(real);
    return is_one;
}

/* LD_PRELOAD;SPUR_...;..., and what sanitizers need. */
static char *names(void)
{
    static const char capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    const char *asan = getenv("ASAN_OPTIONS");
    char *list = make_text("LD_PRELOAD");

    for (char **entry = environ; *entry; entry++) {
        size_t length = strspn(*entry, capitals);

        if (strncmp(*entry, "SPUR_", 5) == 0 && (*entry)[length] == '=') {
            char *longer = make_text("%s;%.*s", list, (int)length, *entry);

            free(list);
            list = longer;
        }
    }
    return asan && *asan ? make_text("%s;ASAN_OPTIONS", list) : list;
}

/* Does a line of the file begin with the list's name? */
static bool sets_list(const char *path)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t bytes = 0;
    bool found = false;

    while (file && !found && getline(&line, &bytes, file) > 0)
        found = strncmp(line + strspn(line, " \t"), LIST, strlen(LIST)) == 0;
    free(line);
    if (file)
        fclose(file);
    return found;
}

static bool is_list_taken(char *const *words)
{
    const char *home = getenv("HOME");
    char *own = make_text("%s/.openmpi/mca-params.conf", home ? home : "");
    bool is_taken = sets_list(own) || sets_list("/etc/openmpi/openmpi-mca-params.conf");

    for (; *words; words++)
        is_taken = is_taken || strcmp(*words, LIST) == 0;
    free(own);
    return is_taken;
}

bool launch_export_to_hosts(char *const *words)
{
    const char *before = getenv("OMPI_MCA_" LIST);
    char *list;

    if (!is_open_mpi(*words))
        return true;
    list = names();
    if (before && *before)
        return setenv("OMPI_MCA_" LIST, make_text("%s;%s", before, list), 1) == 0;
    if (is_list_taken(words))
        return false;
    return setenv("OMPI_MCA_" LIST "_internal", list, 1) == 0;
}
