/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spur [OPTION]... COMMAND [ARGUMENT]...: run a program, or a whole MPI job, under the tracing
 * agent. Decides whether the launcher stands around a job or within a job, the name of the session,
 * and the finisher of the session.
 */
#include "tools/launch/launch.h"
#include "tools/base/fail.h"
#include "tools/base/options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "session/launcher_note.h"
#include "tools/base/program.h"
#include "tools/base/say.h"
#include "tools/launch/inherited.h"
#include "tools/launch/supervise.h"

/* Name, text and kind of a note, each in words of 4 bytes; see session/launcher_note.h. */
__asm__(".pushsection .note.spur, \"a\", %note\n\t"
        ".balign 4\n\t"
        ".long 2f - 1f, 0, 1\n"
        "1:\t.asciz \"" SPUR_LAUNCHER_NOTE "\"\n"
        "2:\t.balign 4\n\t"
        ".popsection");

/* ---- helpers for all parts ---- */

char *launch_absolute(const char *path)
{
    char *folder;
    char *absolute;

    if (path[0] == '/')
        return make_text("%s", path);
    folder = get_current_dir_name();
    absolute = make_text("%s/%s", folder ? folder : ".", path);
    free(folder);
    return absolute;
}

/* ---- where spur lies ---- */

/* "PREFIX/bin/spur", without links if the kernel tells of them. */
static char *own_path(void)
{
    char text[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", text, sizeof(text) - 1);
    const char *executed;

    if (length > 0) {
        text[length] = '\0';
        return make_text("%s", text);
    }
    executed = (const char *)getauxval(AT_EXECFN); // NOLINT(performance-no-int-to-ptr)
    if (!executed)
        return NULL;
    char *real = realpath(executed, NULL);
    return real ? real : launch_absolute(executed);
}

static char *folder_of(char *path)
{
    char *slash = path ? strrchr(path, '/') : NULL;

    if (slash)
        *slash = '\0';
    return path;
}

/* The build tree has the shape of an installation with the plain names. */
static char *place_of(const char *prefix, const char *installed, const char *plain)
{
    char *path = make_text("%s/%s", prefix, installed);

    if (access(path, F_OK) != 0) {
        free(path);
        path = make_text("%s/%s", prefix, plain);
    }
    return path;
}

static void find_memory(struct launch *launch)
{
    char *folder = folder_of(make_text("%s", launch->library));

    launch->memory = make_text("%s/libspur-memory.so", folder);
    free(folder);
}

static void find_places(struct launch *launch)
{
    char *prefix = folder_of(folder_of(own_path()));

    if (!prefix)
        fail("cannot see where spur is installed: no /proc");
    launch->libexec = place_of(prefix, SPUR_LIBEXECDIR "/spur", "libexec/spur");
    launch->library = place_of(prefix, SPUR_LIBDIR "/libspur.so", "lib/libspur.so");
    find_memory(launch);
    free(prefix);
}

/* ---- the forms ---- */

static void put(const char *name, const char *value)
{
    if (setenv(name, value, 1) != 0)
        options_wrong("no memory");
}

/* Runs the command untraced, after a line with the reason unless `why` is NULL. */
static int untraced(const struct run *run, const char *why)
{
    struct run plain = {.command = run->command};

    if (why)
        say("%s; %s runs untraced", why, run->command[0]);
    return supervise_become(&plain);
}

/*
 * The runtime of AddressSanitizer ends a program if the runtime is not the first library, unless an
 * option turns the check off.
 */
static void please_sanitizer(const char *program)
{
    const char *before = getenv("ASAN_OPTIONS");
    bool is_set = before && *before;
    const char *sanitizer = program_sanitizer(program);

    if (sanitizer && strcmp(sanitizer, PROGRAM_ASAN) == 0)
        put("ASAN_OPTIONS",
            make_text("%s%sverify_asan_link_order=0", is_set ? before : "", is_set ? ":" : ""));
}

/* Part of a session with a different finisher. */
static int join(const struct run *run)
{
    please_sanitizer(run->command[0]);
    return supervise_become(run);
}

/* Rank 0 reports an earlier archive for all ranks. A late task reports for itself. */
static const char *why_not(const char *output, const char *archive, const char *rank)
{
    if (launch_is_late(archive))
        return make_text("output directory %s holds the archive of tasks that have ended, and task "
                         "%s is late",
                         output, rank);
    return strcmp(rank, "0") == 0 ? make_text("output directory %s holds an archive", output)
                                  : NULL;
}

/* Within an MPI job every rank comes here: no waiting, the agents agree among themselves. */
static int inner(const struct run *run, const char *output, const char *rank)
{
    unsetenv("SPUR_SESSION");
    if (output) {
        char *archive = make_text("%s/traces.otf2", output);

        /*
         * Further ranks may be recording there already; only a finished archive belongs to a
         * different run.
         */
        if (access(archive, F_OK) == 0) {
            unsetenv("SPUR_DIR");
            return untraced(run, why_not(output, archive, rank));
        }
        free(archive);
        put("SPUR_DIR", output);
    }
    return join(run);
}

static int outer(struct run *run, const char *output)
{
    char *marker = NULL;
    const char *session = launch_session_of(run->command);
    const char *why;

    run->name = launch_program_of(run->command);
    run->dir = output ? output : launch_choose_directory(run->name, &marker);
    why = launch_is_unusable(run->dir);
    if (!why && output && !launch_claim(output, &marker))
        why = make_text("another start of spur records to output directory %s", output);
    run->marker = marker;
    unsetenv("SPUR_SESSION");
    if (why) {
        if (marker)
            unlink(marker);
        unsetenv("SPUR_DIR");
        return untraced(run, why);
    }
    put("SPUR_DIR", run->dir);
    put("SPUR_SESSION", session);
    please_sanitizer(run->name);
    if (launch_is_mpi_starter(run->command[0]) && !launch_export_to_hosts(run->command))
        put("SPUR_SESSION", "mixed");
    return supervise(run);
}

/* Is the launcher within a running session, without a request for a session of its own? */
static bool is_part(const struct launch *launch)
{
    const char *dir = getenv("SPUR_DIR");
    const char *session = getenv("SPUR_SESSION");
    const char *preload = inherited_preload();

    if (launch->output || !dir || !*dir)
        return false;
    return (session && (strcmp(session, "launched") == 0 || strcmp(session, "mixed") == 0)) ||
           (preload && strstr(preload, "libspur.so"));
}

/*
 * The library that counts memory, if memory is to be counted. The library never goes in front of a
 * sanitizer, whose allocator does the sanitizer's checks.
 */
static const char *memory_library(const struct launch *launch, const char *program)
{
    const char *setting = getenv("SPUR_MEMORY");
    const char *preload = inherited_preload();

    if (!setting || !*setting || strcmp(setting, "off") == 0)
        return NULL;
    const char *sanitizer = program_sanitizer(program);
    if (preload && strstr(preload, "libasan"))
        sanitizer = PROGRAM_ASAN;
    if (sanitizer) {
        say("memory is not recorded: %s keeps the memory of %s", sanitizer, program);
        put("SPUR_MEMORY", "off");
        return NULL;
    }
    if (access(launch->memory, F_OK) == 0)
        return launch->memory;
    say("memory is not recorded: %s is missing", launch->memory);
    put("SPUR_MEMORY", "off");
    return NULL;
}

/*
 * The agent of the session, perhaps of a different spur: the finisher of the session knows this
 * agent's files.
 */
static void take_agent_of_session(struct launch *launch)
{
    char *agent = inherited_agent();

    if (agent) {
        launch->library = agent;
        find_memory(launch);
    }
}

/* Where no code may be run, as often in /tmp and in containers. */
static bool is_on_noexec(const char *file)
{
    struct statvfs system;

    return statvfs(file, &system) == 0 && (system.f_flag & ST_NOEXEC);
}

static const char *why_no_agent(const char *agent, int error)
{
    return error == ENOENT ? make_text("%s is missing", agent)
                           : make_text("%s: %s", agent, strerror(error));
}

static int run_command(struct launch *launch, char **words)
{
    bool is_joining = is_part(launch);

    if (is_joining)
        take_agent_of_session(launch);
    struct run run = {.libexec = launch->libexec,
                      .preloaded = {.agent = launch->library},
                      .command = words};
    const char *output = launch->output;
    const char *rank = launch_rank();
    char path[PROGRAM_PATH_BYTES];
    const char *foreign = program_is_foreign(launch_program_of(words), launch->library, path);

    if (foreign)
        return untraced(&run, make_text("%s %s", path, foreign));
    if (strpbrk(run.preloaded.agent, ": "))
        return untraced(&run, make_text("the loader cannot preload %s: blanks and colons separate "
                                        "its list",
                                        run.preloaded.agent));
    if (access(run.preloaded.agent, F_OK) != 0)
        return untraced(&run, why_no_agent(run.preloaded.agent, errno));
    if (is_on_noexec(run.preloaded.agent))
        return untraced(&run, make_text("%s lies on a file system that is mounted noexec, so it "
                                        "cannot be loaded; install spur elsewhere",
                                        run.preloaded.agent));
    run.preloaded.memory = memory_library(launch, launch_program_of(words));
    if (is_joining)
        return join(&run);
    if (!output)
        output = getenv("SPUR_DIR");
    if (output && !*output)
        say("SPUR_DIR= must not be empty; ignored");
    output = output && *output ? launch_absolute(output) : NULL;
    /* A batch script may be a task of its job. Its command is no rank. */
    if (launch_is_mpi_starter(words[0]))
        rank = NULL;
    output = launch_restarted(output, launch_program_of(words), !rank || strcmp(rank, "0") == 0);
    if (rank)
        return inner(&run, output, rank);
    return outer(&run, output);
}

int main(int argc, char **argv)
{
    struct launch launch = {0};
    char **words = inherited_note(argv);

    (void)argc;
    fail_status = LAUNCH_CANNOT_EXECUTE;
    find_places(&launch);
    if (getenv("SPUR_RECORD"))
        launch_spread_selection(getenv("SPUR_RECORD"), false);
    words = launch_options(&launch, words);
    launch_command(&launch, words);
    return run_command(&launch, words);
}
