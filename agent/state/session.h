/* SPDX-License-Identifier: BSD-3-Clause */
/* The session directory: its choice, and this process's place in the directory. */
#ifndef SPUR_SESSION_H
#define SPUR_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "settings/config.h"

/* The process's name: the last component of argv[0]. Borrowed. */
const char *spur_session_program(void);

/* Is this program a launcher (mpirun, orted, srun, ...), which only starts other programs? */
bool spur_session_is_launcher(void);

/*
 * In the constructor, single-threaded: hand the session down to the children. A launcher of MPI
 * jobs exports SPUR_JOB, so that its ranks find one another. A process without SPUR_DIR, if no
 * launcher, exports the name for its session, so that its children join the session.
 */
void spur_session_announce(const struct spur_config *config);

/* The name in DIR/.spur of a process of this host; `name` has room for SPUR_NAME_BYTES. */
void spur_session_name(char *name, int pid, uint64_t start_ns);

/*
 * Is this process a rank of an MPI job, according to the environment (struct spur_process)? In the
 * constructor only.
 */
bool spur_session_is_rank(void);

/*
 * Will a launcher finish the archive? Not if the launcher was killed; a launcher on another host or
 * in another container is believed to live.
 */
bool spur_session_is_supervised(const struct spur_config *config);

/* A text that is equal in all ranks of an MPI job. False: not known. */
bool spur_session_job(char *key, size_t size);

/*
 * Has the session in `dir` an archive? The maker of the archive looks for newcomers when the anchor
 * file is there. A newcomer looks for the anchor file when its own folder is there. So either the
 * maker sees the newcomer, or the newcomer sees the archive.
 */
bool spur_session_is_over(const char *dir);

/* A folder in `session`, DIR/.spur, if `session` belongs to this user. 0 or -errno. */
int spur_session_make(const char *session, const char *name);

/* As spur_session_open(), but with no folder for this process. */
int spur_session_begin(const struct spur_config *config, char *dir);

/*
 * Create or find the session directory and create <dir>/.spur/<name>/ in it. `dir` and `name` have
 * room for SPUR_PATH_BYTES and SPUR_NAME_BYTES. 0 or -errno, with `dir` naming the culprit.
 */
int spur_session_open(const struct spur_config *config, uint64_t start_ns, char *dir, char *name);

/* Did the call make the directory, even if the call failed later? */
bool spur_session_has_made_dir(void);

/*
 * Recording has begun. If this process has made the directory, tell the launcher. The launcher then
 * takes hold of the directory, before anybody renames the directory.
 */
void spur_session_tell_launcher(const struct spur_config *config);

#endif
