/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The records of calls. Each function is called between spur_enter() and spur_leave(), behind the
 * real call, reads the clock once, and keeps errno. An undefined handle leaves the region alone.
 * Functions with a frame leave the region as well.
 */
#ifndef IO_EMIT_H
#define IO_EMIT_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "agent/spur_agent.h"
#include "wrappers/io/io_frame.h"
#include "wrappers/io/io_table.h"

/* An attribute of records: a static object, defined at its first use. */
struct io_attribute {
    const char *name, *description;
    OTF2_Type type;
    _Atomic uint64_t kept; /* generation + 1 << 32 | its id */
};
OTF2_AttributeRef io_attribute_of(struct io_attribute *attribute);

#define IO_HERE INT64_C(-1) /* an operation at the descriptor's own position */

/* The begin of an operation, and its end; at the location's time. `offset` may be IO_HERE. */
void io_begin(struct spur_loc *loc, OTF2_IoHandleRef handle, OTF2_IoOperationMode mode,
              OTF2_IoOperationFlag flags, uint64_t asked, uint64_t id, int64_t offset);
void io_complete(struct spur_loc *loc, OTF2_IoHandleRef handle, uint64_t bytes, bool has_failed,
                 int error, uint64_t id);

/*
 * An operation that asked for `asked` bytes (OTF2_UNDEFINED_UINT64: not known) and moved `ret`; -1:
 * failed, and errno is still the real call's. Where the kernel refuses the call itself (EBADF,
 * EINVAL) there was no operation. Leaves the region.
 */
void io_moved(const struct io_frame *frame, OTF2_IoHandleRef handle, OTF2_IoOperationMode mode,
              uint64_t asked, int64_t ret, int64_t offset);
/* An end of a copy from file to file: the file, and the place in the file. */
struct io_end {
    OTF2_IoHandleRef handle;
    int64_t offset; /* or IO_HERE */
};
void io_copied(struct spur_loc *loc, struct io_end in, struct io_end out, uint64_t asked,
               int64_t ret, int error);
void io_flushed(struct spur_loc *loc, OTF2_IoHandleRef handle, int ret, int error);

void io_opened(struct spur_loc *loc, enum io_layer layer, int fd, int flags);
/* pipe(), socketpair(): `ret` is 0 if there are two new descriptors. */
void io_opened_both(struct spur_loc *loc, const int *ends, int ret, int first, int second);
void io_closed(struct spur_loc *loc, struct io_words words);
/* The same, behind the clock. */
void io_destroyed(struct spur_loc *loc, const struct io_words *words);
void io_closed_range(struct spur_loc *loc, unsigned first, unsigned last, bool is_done);
/* Leaves the region. */
void io_sought(const struct io_frame *frame, OTF2_IoHandleRef handle, int64_t offset, int whence,
               int64_t ret);
/* `fd` is a duplicate of the handle's; `replaced`: the earlier meaning of `fd`, NULL: none. */
void io_duplicated(struct spur_loc *loc, OTF2_IoHandleRef handle, int fd,
                   const struct io_words *replaced);
/* The present status of a descriptor. */
OTF2_IoStatusFlag io_status_now(int fd);
/* F_SETFL, F_SETFD. */
void io_flags_set(struct spur_loc *loc, OTF2_IoHandleRef handle, int fd, int ret);

/* The effect of a call on a lock of a file. */
enum io_locking { IO_LOCK_NONE, IO_LOCK_WAITS, IO_LOCK_TRIES, IO_LOCK_RELEASES };
struct io_lock {
    enum io_locking how;
    OTF2_LockType type;
    bool is_flock; /* of the whole file: the descriptor has one, and loses it to a new one */
};
void io_locked(struct spur_loc *loc, OTF2_IoHandleRef handle, int fd, struct io_lock lock, int ret,
               int error);
struct io_lock io_lock_of_flock(int operation);
struct io_lock io_lock_of_lockf(int command);

/* Is fcntl() with this command more than a question? And the effect of the command. */
bool io_fcntl_acts(int command);
void io_fcntl_done(struct spur_loc *loc, OTF2_IoHandleRef handle, int fd, int command,
                   const void *argument, int ret, int error);
bool io_fcntl_duplicates(int command);

void io_deleted(struct spur_loc *loc, int dir, const char *path, int ret);

/* The bytes of a vector; not known after a failed call, since the vector may be invalid. */
uint64_t io_total(const struct iovec *parts, int count, int64_t ret);

/* The same of a message, and of the first `ret` of several messages; and the bytes moved by the
 * messages. */
uint64_t io_message_room(const struct msghdr *message, int64_t ret);
uint64_t io_messages_room(const struct mmsghdr *messages, int ret);
int64_t io_messages_moved(const struct mmsghdr *messages, int ret);
/* `ret`, but no more than was asked for. */
static inline int64_t io_at_most(int64_t ret, uint64_t asked)
{
    return ret > 0 && (uint64_t)ret > asked ? (int64_t)asked : ret;
}
/* The effect of vmsplice() on this end of a pipe. */
OTF2_IoOperationMode io_mode_of_pipe(int fd);

/* The descriptor of a DIR, -1: no descriptor. errno is kept. */
int io_dirfd(DIR *dir);

#endif
