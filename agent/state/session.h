/* SPDX-License-Identifier: BSD-3-Clause */
/* The session directory: which one, and this process's place in it. */
#ifndef SPUR_SESSION_H
#define SPUR_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "settings/config.h"

/* The process's name: the last component of argv[0]. Borrowed. */
const char *spur_session_program(void);

/* Is this program one that only starts others (mpirun, orted, srun, ...)? */
bool spur_session_is_launcher(void);

/*
 * In the constructor, single-threaded: tell the children what this process knows. A launcher of
 * MPI jobs exports SPUR_JOB, so that its ranks find one another; any other process without
 * SPUR_DIR exports the name that its session would have, so that its children join it.
 */
void spur_session_announce(const struct spur_config *config);

/* The name in DIR/.spur of a process of this host; `name` has room for SPUR_NAME_BYTES. */
void spur_session_name(char *name, int pid, uint64_t start_ns);

/*
 * Is this process a rank of an MPI job, as the environment says (struct spur_process)? In the
 * constructor only.
 */
bool spur_session_is_rank(void);

/*
 * Is there a launcher that finishes the archive? Not if it has been killed; one of another host or
 * container is believed to live.
 */
bool spur_session_is_supervised(const struct spur_config *config);

/* What all ranks of an MPI job have in common, as text. False: it is not known. */
bool spur_session_job(char *key, size_t size);

/*
 * Has the session in `dir` an archive? Whoever makes that looks for newcomers when the anchor file
 * is there. A newcomer looks for the anchor file when its own folder is there: one of them sees the
 * other.
 */
bool spur_session_is_over(const char *dir);

/* A folder in `session`, DIR/.spur, if that is this user's. 0 or -errno. */
int spur_session_make(const char *session, const char *name);

/* As spur_session_open(), but with no folder for this process. */
int spur_session_begin(const struct spur_config *config, char *dir);

/*
 * Create or find the session directory and create <dir>/.spur/<name>/ in it. `dir` and `name` have
 * room for SPUR_PATH_BYTES and SPUR_NAME_BYTES. 0 or -errno, with `dir` naming the culprit.
 */
int spur_session_open(const struct spur_config *config, uint64_t start_ns, char *dir, char *name);

/* Did the call make the directory, be it that nothing else came of it? */
bool spur_session_has_made_dir(void);

/*
 * Recording has begun. If this process has made the directory, the launcher takes hold of it,
 * before anybody gives it another name.
 */
void spur_session_tell_launcher(const struct spur_config *config);

#endif
