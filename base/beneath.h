/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opens the files of a session, and never follows a link to another file. The path of DIR, the
 * directory that the user has named, may contain links: that is the user's choice. Everything
 * within DIR (DIR/.spur and all below, DIR/traces and its neighbours) is opened beneath a
 * descriptor of DIR. No component of such a path may be a symbolic link: -ELOOP. Descriptors are
 * held for one call only.
 *
 * Raw system calls: no cancellation points, nothing that a preloaded library could have replaced.
 * Functions return a descriptor, a length or 0, or -errno; errno itself is undefined afterwards.
 */
#ifndef SPUR_BENEATH_H
#define SPUR_BENEATH_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* An error that no file system reports: the folder belongs to another user. */
enum { SPUR_FOREIGN = EKEYREJECTED };

/*
 * Asked when there is nothing at `path`: the session may have a new name by now. True: `there`,
 * with room for `size` bytes, is the path to look for instead. NULL, as at first: nobody is asked.
 */
typedef bool (*spur_beneath_elsewhere)(const char *path, char *there, size_t size);
void spur_beneath_ask(spur_beneath_elsewhere call);

/* openat(2); O_NOFOLLOW and O_CLOEXEC are added. */
int spur_beneath_open(const char *path, int flags, mode_t mode);

int spur_beneath_mkdir(const char *path, mode_t mode);
int spur_beneath_unlink(const char *path);
int spur_beneath_rmdir(const char *path);
/* Unlink the names that exist; the first error. */
int spur_beneath_unlink_all(const char *folder, const char *const *names, size_t n);
int spur_beneath_rename(const char *from, const char *to);
int spur_beneath_symlink(const char *text, const char *path);
int spur_beneath_link(const char *from, const char *to);

/* Is `name` the name of an entry in a folder, and of no place elsewhere? */
bool spur_beneath_is_name(const char *name);

/*
 * Is the folder this user's? -SPUR_FOREIGN if not. Some file systems give all files to one user.
 * There, the folder counts as this user's when `made`, just made in the folder by this process, has
 * the same owner as the folder.
 */
int spur_beneath_check_owner(int folder, const char *made);

/* As spur_error_text(), with the errors of this header too. */
const char *spur_beneath_reason(int error);

#endif
