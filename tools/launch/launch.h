/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What `spur` does. In the order of their work: launch_options.c and launch_commands.c read options
 * and find commands, launch_line.c finds what the command line is about. launch_directory.c decides
 * where the archive goes, launch_restart.c where it goes if the job was started before,
 * launch_hosts.c what ranks on other hosts are told. supervise.h runs the command.
 */
#ifndef TOOLS_LAUNCH_H
#define TOOLS_LAUNCH_H

#include <stdbool.h>

struct launch {
    const char *libexec; /* folder of the commands */
    const char *library; /* the agent */
    const char *memory;  /* what counts memory */
    const char *output;  /* -o, NULL: not given */
};

enum { LAUNCH_MISUSE = 2, LAUNCH_CANNOT_EXECUTE = 126, LAUNCH_NOT_FOUND = 127 };

/* Beginning from the working directory that the shell shows, not behind links. */
char *launch_absolute(const char *path);

/* Does what the options say; returns the words that are left. */
char **launch_options(struct launch *of, char **words);
void launch_print_help(void);

/*
 * What is wrong with the value of a setting (SPUR_...), with the file of a filter; NULL: nothing.
 * The same rules as the agent's, which would only warn when the job runs.
 */
const char *launch_judge_value(const char *variable, const char *value);
const char *launch_judge_words(const char *variable, const char *value); /* for that one */
const char *launch_judge_filter(const char *path);

/* Is there any metric of each name in `list`? If not that is said, with `typed` in front. */
bool launch_knows_metrics(const struct launch *launch, const char *typed, const char *list);

/* Do the settings ask for calls on files? */
bool launch_records_files(void);

/* The settings that keep out calls without a trace of them, "SPUR_A=b, SPUR_C=d"; to be freed. */
char *launch_sieves(void);

/* The command of spur that a mistyped word is nearest to; NULL: none. */
const char *launch_nearest_command(const char *word);

/* Says of each variable SPUR_... of the environment that is no setting, or has a wrong value. */
void launch_say_wrong_settings(void);

/* Becomes the program that `spur NAME` stands for; returns if `words` begins with none of them. */
void launch_command(const struct launch *launch, char **words);

/* Is it the name of what starts the ranks of MPI jobs? */
bool launch_is_mpi_starter(const char *word);

/* Is it the name of what starts them, or of a part of that? The kernel cuts names at 15 bytes. */
bool launch_starts_ranks(const char *name);

/*
 * Was this archive made since the launcher above this process began? Then other tasks of the same
 * job have made it, and ended.
 */
bool launch_is_late(const char *archive);

/*
 * The program that a command line is about: what a launcher starts, when that can be told from its
 * arguments, else the launcher.
 */
const char *launch_program_of(char *const *words);

/*
 * What the ranks are told of the session. "launched": all ranks run one program, so that all of
 * them may be traced; if they find that they are, they exchange definitions in MPI_Finalize.
 * "mixed": a rank is likely to be untraced (statically linked, say); the archive is made from the
 * files alone.
 */
const char *launch_session_of(char *const *words);

/* The own rank, if this is within an MPI job, else NULL. */
const char *launch_rank(void);

/*
 * Has Open MPI hand the agent and its settings to ranks on other hosts. False: that cannot be, so
 * ranks there may be untraced, and must not be waited for.
 */
bool launch_export_to_hosts(char *const *words);

/*
 * A name of its own in the working directory, after `program`; *marker is the directory that keeps
 * it from other runs until it is removed, or NULL.
 */
char *launch_choose_directory(const char *program, char **marker);

/* What such names begin with: "spur-PROGRAM", and the number of the batch job. To be freed. */
char *launch_stem(const char *program);

/*
 * Where a job records that was started before: `output`, or "OUTPUT-restart2" at its third start.
 * All its tasks choose the same, whatever the earlier start has left. The one that speaks says so,
 * and what is left of the earlier start. NULL: the agent, or launch_choose_directory(), finds a
 * name.
 */
const char *launch_restarted(const char *output, const char *program, bool speaks);

/* Is only real trouble to be said? */
bool launch_is_silent(void);

/*
 * Why the agent cannot make directory `path` (or use it, if it exists and is empty), NULL if it
 * can. A trial leaves nothing behind: the agent creates it when there is something to record.
 */
char *launch_is_unusable(const char *path);

#endif
