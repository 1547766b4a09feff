/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SPUR_LOCAL: a directory of each host. The processes of a session that run there have a folder in
 * it, their *place*, which has the form of a session directory:
 *
 *     LOCAL/spur-USER-KEY/.spur/NAME/...   a process, as in DIR/.spur
 *     LOCAL/spur-USER-KEY/.spur/home       a link that tells DIR; without it nobody records
 *     DIR/.spur/hosts/HOST.KEY             tells the place, as long as that has something
 *
 * A process that has ended is moved to DIR/.spur/NAME. The place and its file in DIR go away when
 * no process is left there. So a file in DIR/.spur/hosts says that a host still has something to
 * give. Functions return 0 or -errno, and are for calls of spur_apart().
 */
#ifndef SPUR_LOCAL_PLACE_H
#define SPUR_LOCAL_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SPUR_HOSTS_FOLDER "hosts"
#define SPUR_HOME_LINK "home"

enum { SPUR_PLACE_BYTES = 4096 };

/*
 * The place in `local` of the processes of this host that `who` started to record in `dir` (NULL:
 * not known yet). `place` has room for SPUR_PLACE_BYTES. -ENAMETOOLONG.
 */
int spur_local_place(const char *local, const char *who, const char *dir, char *place);

/*
 * A descriptor that keeps others from making or removing the place meanwhile; closing it ends that.
 * `makes`: the place is made if it is missing. `owner`: whose it may be beside this user's.
 * -ETIMEDOUT: somebody has held it for too long.
 */
int spur_local_hold(const char *place, bool makes, uid_t owner);

/* DIR, in SPUR_PLACE_BYTES. -ENOENT: the place is not in use. */
int spur_local_home(const char *place, char *dir);

/* Take the place into use for the session in `dir`. Held. */
int spur_local_settle(const char *place, const char *dir);

/* Move the process of that name to `dir`: it is there as a whole, or not yet. */
int spur_local_move(const char *place, const char *dir, const char *name);

/* Remove a folder of the session, with folders in it down to so many levels. */
int spur_local_remove(const char *path, int depth);

/* The opposite: the place is as it was made. Held; no process is in it. */
int spur_local_leave(const char *place, const char *dir);

/* Remove the place, in which no process is left, and its file in `dir`. Held. */
int spur_local_clear(const char *place, const char *dir);

#endif
