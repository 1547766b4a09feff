/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The launcher `spur`. In the order of the work: launch_options.c and launch_commands.c read
 * options and find commands, launch_line.c finds the program of the command line.
 * launch_directory.c decides on the place of the archive, launch_restart.c on the place if the job
 * was started before, launch_hosts.c passes settings to ranks on other hosts. supervise.h runs the
 * command.
 */
#ifndef TOOLS_LAUNCH_H
#define TOOLS_LAUNCH_H

#include <stdbool.h>

struct launch {
    const char *libexec; /* folder of the commands */
    const char *library; /* the agent */
    const char *memory;  /* the library that counts memory */
    const char *output;  /* -o, NULL: not given */
};

enum { LAUNCH_MISUSE = 2, LAUNCH_CANNOT_EXECUTE = 126, LAUNCH_NOT_FOUND = 127 };

/* Begins with the working directory as the shell shows the directory, with links unresolved. */
char *launch_absolute(const char *path);

/* Carries out the options; returns the remaining words. */
char **launch_options(struct launch *of, char **words);
void launch_print_help(void);

/*
 * The fault in the value of a setting (SPUR_...), or in the file of a filter; NULL: no fault. The
 * same rules as in the agent, but the agent would only warn while the job runs.
 */
const char *launch_judge_value(const char *variable, const char *value);
const char *launch_judge_words(const char *variable, const char *value); /* for lists of words */
/*
 * The variables of families take the place of SPUR_RECORD, if `list` is good. Variables that are
 * set are replaced, with `replaces` also by the default, or left.
 */
void launch_spread_selection(const char *list, bool replaces);
const char *launch_judge_filter(const char *path);

/* Does every name in `list` match a metric? Otherwise prints a message, beginning with `typed`. */
bool launch_knows_metrics(const struct launch *launch, const char *typed, const char *list);

/* Do the settings ask for calls on files? */
bool launch_records_files(void);

/*
 * The settings that leave out calls without a record of the omission, "SPUR_A=b, SPUR_C=d"; to be
 * freed.
 */
char *launch_sieves(void);

/* The command of spur nearest to a mistyped word; NULL: no command is near. */
const char *launch_nearest_command(const char *word);

/* Warns of each environment variable SPUR_... that is no setting, or has a wrong value. */
void launch_say_wrong_settings(void);

/* Becomes the program behind `spur NAME`; returns if `words` does not begin with a known NAME. */
void launch_command(const struct launch *launch, char **words);

/* Is the word the name of a starter of MPI ranks? */
bool launch_is_mpi_starter(const char *word);

/*
 * Is the process name that of a starter of MPI ranks, or of a part of a starter? The kernel cuts
 * names at 15 bytes.
 */
bool launch_starts_ranks(const char *name);

/*
 * Was this archive made since the launcher above this process began? If so, other tasks of the same
 * job have made the archive, and ended.
 */
bool launch_is_late(const char *archive);

/*
 * The traced program of a command line: the program that an MPI launcher starts, if the arguments
 * tell the program, else the launcher.
 */
const char *launch_program_of(char *const *words);

/* Do options of env take LD_PRELOAD from the program? */
bool launch_drops_preload(char *const *words);

/*
 * The kind of session, as told to the ranks. "launched": all ranks run one program, so that all
 * ranks may be traced. If all ranks are traced indeed, the ranks exchange definitions in
 * MPI_Finalize. "mixed": a rank is likely to be untraced (statically linked, say); the archive is
 * made from the files alone.
 */
const char *launch_session_of(char *const *words);

/* The own rank, if this process is within an MPI job, else NULL. */
const char *launch_rank(void);

/*
 * Lets Open MPI pass the agent and the agent's settings to ranks on other hosts. False: Open MPI
 * cannot do so. Then ranks on other hosts may be untraced, and must not be waited for.
 */
bool launch_export_to_hosts(char *const *words);

/*
 * Claims a directory, which is not created before something is recorded, for this start of spur.
 * The claim is a locked file outside the working directory, which the program may list, and ends
 * with this process. *marker: the file, to be removed at the end; NULL: none can be made. Files of
 * other users claim nothing. False: another start on this host has the claim.
 */
bool launch_claim(const char *dir, char **marker);

/* A new name in the working directory, after `program`, claimed as by launch_claim(). */
char *launch_choose_directory(const char *program, char **marker);

/*
 * The common beginning of chosen names: "spur-PROGRAM", and the number of the batch job. To be
 * freed.
 */
char *launch_stem(const char *program);

/*
 * The output directory of a job that was started before: `output`, or "OUTPUT-restart2" at its
 * third start. All tasks of the job choose the same directory, whatever the earlier start has left.
 * With `speaks` the task prints the directory, and the remains of the earlier start. NULL: the
 * agent, or launch_choose_directory(), finds a name.
 */
const char *launch_restarted(const char *output, const char *program, bool speaks);

/* Is only real trouble to be printed? */
bool launch_is_silent(void);

/*
 * The reason why the agent cannot make directory `path` (or use an existing empty directory), NULL:
 * usable. A trial leaves nothing behind: the agent creates the directory with the first record.
 */
char *launch_is_unusable(const char *path);

#endif
