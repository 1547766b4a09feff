/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SPUR_LOCAL: a directory on each host. The processes of a session on a host have a folder in the
 * host's directory: their *place*, which has the form of a session directory:
 *
 *     LOCAL/spur-USER-KEY/.spur/NAME/...   a process, as in DIR/.spur
 *     LOCAL/spur-USER-KEY/.spur/home       a link to DIR; without the link no process records
 *     DIR/.spur/hosts/HOST.KEY             names the place, as long as the place holds a process
 *
 * An ended process is moved to DIR/.spur/NAME. The place and its file in DIR go away when no
 * process is left in the place. So a file in DIR/.spur/hosts says that a host still has files for
 * DIR. Functions return 0 or -errno, and are for calls of spur_apart().
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
 * A descriptor that holds the place: until the descriptor is closed, no other process makes or
 * removes the place. `makes`: a missing place is made. `owner`: a user who may own the place beside
 * this user. -ETIMEDOUT: another process has held the place for too long.
 */
int spur_local_hold(const char *place, bool makes, uid_t owner);

/* DIR, in SPUR_PLACE_BYTES. -ENOENT: the place is not in use. */
int spur_local_home(const char *place, char *dir);

/* Take the place into use for the session in `dir`. The place must be held. */
int spur_local_settle(const char *place, const char *dir);

/*
 * Move the process of the given name to `dir`: at any time `dir` has the whole process or nothing
 * of the process.
 */
int spur_local_move(const char *place, const char *dir, const char *name);

/* Remove a folder of the session, with at most `depth` levels of folders inside. */
int spur_local_remove(const char *path, int depth);

/*
 * The opposite of spur_local_settle(): the place is empty again. The place must be held, without a
 * process.
 */
int spur_local_leave(const char *place, const char *dir);

/*
 * Remove the place, without a process left, and the place's file in `dir`. The place must be held.
 */
int spur_local_clear(const char *place, const char *dir);

#endif
