/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/io/io_emit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "session/properties.h"
#include "wrappers/io/io_flags.h"
#include "wrappers/io/io_paths.h"
#include "wrappers/io/io_ring.h"
#include "wrappers/kit/wrapper_ids.h"

/* ---- attributes ---- */

OTF2_AttributeRef io_attribute_of(struct io_attribute *attribute)
{
    enum { SHIFT = 32 };
    const uint64_t stamp = (uint64_t)spur_generation() + 1;
    uint64_t word = atomic_load_explicit(&attribute->kept, memory_order_relaxed);
    if (__builtin_expect(word >> SHIFT != stamp, 0)) {
        word = stamp << SHIFT |
               spur_def_attribute(attribute->name, attribute->description, attribute->type);
        atomic_store_explicit(&attribute->kept, word, memory_order_relaxed);
    }
    return (OTF2_AttributeRef)word;
}

static struct io_attribute offset_attribute = {SPUR_ATTRIBUTE_OFFSET,
                                               "where in the file the operation begins",
                                               OTF2_TYPE_UINT64, 0};
static struct io_attribute errno_attribute = {"errno", "why the operation failed", OTF2_TYPE_INT32,
                                              0};

static inline struct spur_attribute offset_of(int64_t offset)
{
    return (struct spur_attribute){io_attribute_of(&offset_attribute),
                                   OTF2_TYPE_UINT64,
                                   {.uint64 = (uint64_t)offset}};
}

void io_begin(struct spur_loc *loc, OTF2_IoHandleRef handle, OTF2_IoOperationMode mode,
              OTF2_IoOperationFlag flags, uint64_t asked, uint64_t id, int64_t offset)
{
    if (offset < 0) {
        spur_put_IoOperationBegin(loc, handle, mode, flags, asked, id);
        return;
    }
    const struct spur_attribute attribute = offset_of(offset);
    spur_put_IoOperationBegin_with(loc, &attribute, handle, mode, flags, asked, id);
}

/* A blocking operation. */
static void begin(struct spur_loc *loc, OTF2_IoHandleRef handle, OTF2_IoOperationMode mode,
                  uint64_t asked, uint64_t id, int64_t offset)
{
    io_begin(loc, handle, mode, OTF2_IO_OPERATION_FLAG_NONE, asked, id, offset);
}

void io_complete(struct spur_loc *loc, OTF2_IoHandleRef handle, uint64_t bytes, bool has_failed,
                 int error, uint64_t id)
{
    if (!has_failed) {
        spur_put_IoOperationComplete(loc, handle, bytes, id);
        return;
    }
    const struct spur_attribute attribute = {io_attribute_of(&errno_attribute),
                                             OTF2_TYPE_INT32,
                                             {.int32 = error}};
    spur_put_IoOperationComplete_with(loc, &attribute, handle, 0, id);
}

/* ---- operations ---- */

static bool is_operation(OTF2_IoHandleRef handle, int64_t ret, int error)
{
    bool is_refused = ret < 0 && (error == EBADF || error == EINVAL);
    return handle != OTF2_UNDEFINED_IO_HANDLE && !is_refused;
}

static __attribute__((noinline)) void not_moved(const struct io_frame *frame,
                                                OTF2_IoHandleRef handle, OTF2_IoOperationMode mode,
                                                uint64_t asked, int64_t offset)
{
    const int error = errno;
    const bool is_told = is_operation(handle, -1, error);
    const uint64_t id = is_told ? wrapper_operation_id() : 0;
    if (is_told)
        begin(frame->loc, handle, mode, asked, id, offset);
    spur_tick(frame->loc);
    if (is_told)
        io_complete(frame->loc, handle, 0, true, error, id);
    spur_leave(frame->loc, frame->call);
}

void io_moved(const struct io_frame *frame, OTF2_IoHandleRef handle, OTF2_IoOperationMode mode,
              uint64_t asked, int64_t ret, int64_t offset)
{
    if (handle == OTF2_UNDEFINED_IO_HANDLE) {
        spur_leave_now(frame->loc, frame->call);
        return;
    }
    if (ret < 0) {
        not_moved(frame, handle, mode, asked, offset);
        return;
    }
    /* Every member is written once: a struct stored in parts is slow to be read. */
    struct spur_attribute where;
    struct spur_operation operation = {
        handle, mode, asked, (uint64_t)ret, wrapper_operation_id(), offset < 0 ? NULL : &where};
    if (offset >= 0)
        where = offset_of(offset);
    spur_leave_operation(frame->loc, frame->call, &operation);
}

void io_copied(struct spur_loc *loc, struct io_end in, struct io_end out, uint64_t asked,
               int64_t ret, int error)
{
    const bool reads = is_operation(in.handle, ret, error);
    const bool writes = is_operation(out.handle, ret, error);
    const uint64_t id = reads || writes ? wrapper_operation_id() : 0;
    const uint64_t other = reads && writes ? wrapper_operation_id() : id;
    if (reads)
        begin(loc, in.handle, OTF2_IO_OPERATION_MODE_READ, asked, id, in.offset);
    if (writes)
        begin(loc, out.handle, OTF2_IO_OPERATION_MODE_WRITE, asked, other, out.offset);
    spur_tick(loc);
    if (reads)
        io_complete(loc, in.handle, (uint64_t)ret, ret < 0, error, id);
    if (writes)
        io_complete(loc, out.handle, (uint64_t)ret, ret < 0, error, other);
}

void io_flushed(struct spur_loc *loc, OTF2_IoHandleRef handle, int ret, int error)
{
    const bool is_told = is_operation(handle, ret, error);
    const uint64_t id = is_told ? wrapper_operation_id() : 0;
    if (is_told)
        begin(loc, handle, OTF2_IO_OPERATION_MODE_FLUSH, OTF2_UNDEFINED_UINT64, id, IO_HERE);
    spur_tick(loc);
    if (is_told)
        io_complete(loc, handle, OTF2_UNDEFINED_UINT64, ret < 0, error, id);
}

uint64_t io_total(const struct iovec *parts, int count, int64_t ret)
{
    uint64_t total = 0;
    for (int i = 0; ret >= 0 && i < count; i++)
        total += parts[i].iov_len;
    return ret >= 0 ? total : OTF2_UNDEFINED_UINT64;
}

uint64_t io_message_room(const struct msghdr *message, int64_t ret)
{
    return io_total(ret >= 0 ? message->msg_iov : NULL, ret >= 0 ? (int)message->msg_iovlen : 0,
                    ret);
}

uint64_t io_messages_room(const struct mmsghdr *messages, int ret)
{
    uint64_t total = 0;
    for (int i = 0; i < ret; i++)
        total += io_message_room(&messages[i].msg_hdr, ret);
    return ret >= 0 ? total : OTF2_UNDEFINED_UINT64;
}

int64_t io_messages_moved(const struct mmsghdr *messages, int ret)
{
    int64_t total = 0;
    for (int i = 0; i < ret; i++)
        total += messages[i].msg_len;
    return ret >= 0 ? total : -1;
}

OTF2_IoOperationMode io_mode_of_pipe(int fd)
{
    int saved = errno;
    long flags = syscall(SYS_fcntl, fd, F_GETFL, 0L);
    errno = saved;
    return flags >= 0 && (flags & O_ACCMODE) == O_RDONLY ? OTF2_IO_OPERATION_MODE_READ
                                                         : OTF2_IO_OPERATION_MODE_WRITE;
}

/* ---- handles ---- */

/* The clock was read. */
static void destroy(struct spur_loc *loc, io_word word)
{
    if (io_handle_in(word) != OTF2_UNDEFINED_IO_HANDLE)
        spur_put_IoDestroyHandle(loc, io_handle_in(word));
}

/* The lowest layer first. */
void io_destroyed(struct spur_loc *loc, const struct io_words *words)
{
    for (enum io_layer layer = 0; layer < IO_LAYERS; layer++)
        destroy(loc, words->of[layer]);
}

/* The kernel has just handed out the descriptor: handles known from before were closed unseen. */
static void destroy_unseen(struct spur_loc *loc, int fd)
{
    if (io_knows(fd)) {
        const struct io_words words = io_take(fd);
        io_destroyed(loc, &words);
    }
    io_forget(fd);
}

/* The clock was read. */
static void opened(struct spur_loc *loc, enum io_layer layer, int fd, int flags)
{
    destroy_unseen(loc, fd);
    OTF2_IoHandleRef handle = io_handle_opened(layer, fd);
    if (handle != OTF2_UNDEFINED_IO_HANDLE)
        spur_put_IoCreateHandle(loc, handle, io_access_of(flags), io_creation_of(flags),
                                io_status_of(flags));
}

void io_opened(struct spur_loc *loc, enum io_layer layer, int fd, int flags)
{
    spur_tick(loc);
    if (fd >= 0)
        opened(loc, layer, fd, flags);
}

void io_opened_both(struct spur_loc *loc, const int *ends, int ret, int first, int second)
{
    spur_tick(loc);
    if (ret != 0)
        return;
    opened(loc, IO_POSIX, ends[0], first);
    opened(loc, IO_POSIX, ends[1], second);
}

void io_closed(struct spur_loc *loc, struct io_words words)
{
    spur_tick(loc);
    io_rings_reap_any(loc);
    io_destroyed(loc, &words);
}

void io_closed_range(struct spur_loc *loc, unsigned first, unsigned last, bool is_done)
{
    spur_tick(loc);
    unsigned end = io_table_top();
    for (unsigned fd = first; is_done && fd <= end && fd <= last; fd++)
        destroy_unseen(loc, (int)fd);
}

void io_sought(const struct io_frame *frame, OTF2_IoHandleRef handle, int64_t offset, int whence,
               int64_t ret)
{
    if (handle != OTF2_UNDEFINED_IO_HANDLE && ret >= 0)
        spur_leave_with_IoSeek(frame->loc, frame->call, handle, offset, io_whence_of(whence),
                               (uint64_t)ret);
    else
        spur_leave_now(frame->loc, frame->call);
}

OTF2_IoStatusFlag io_status_now(int fd)
{
    int saved = errno;
    long flags = syscall(SYS_fcntl, fd, F_GETFL, 0L);
    long own = syscall(SYS_fcntl, fd, F_GETFD, 0L);
    errno = saved;
    flags = flags < 0 ? 0 : flags;
    return io_status_of((int)flags | (own > 0 && own & FD_CLOEXEC ? O_CLOEXEC : 0));
}

void io_duplicated(struct spur_loc *loc, OTF2_IoHandleRef handle, int fd,
                   const struct io_words *replaced)
{
    spur_tick(loc);
    if (fd < 0)
        return;
    if (replaced)
        io_destroyed(loc, replaced);
    destroy_unseen(loc, fd);
    if (handle == OTF2_UNDEFINED_IO_HANDLE)
        return;
    OTF2_IoHandleRef copy = io_handle_opened(IO_POSIX, fd);
    if (copy != OTF2_UNDEFINED_IO_HANDLE)
        spur_put_IoDuplicateHandle(loc, handle, copy, io_status_now(fd));
}

void io_flags_set(struct spur_loc *loc, OTF2_IoHandleRef handle, int fd, int ret)
{
    spur_tick(loc);
    if (handle != OTF2_UNDEFINED_IO_HANDLE && ret == 0)
        spur_put_IoChangeStatusFlags(loc, handle, io_status_now(fd));
}

/* ---- locks ---- */

static void put_release(struct spur_loc *loc, OTF2_IoHandleRef handle, enum io_held before)
{
    spur_put_IoReleaseLock(loc, handle,
                           before == IO_HELD_SHARED ? OTF2_LOCK_SHARED : OTF2_LOCK_EXCLUSIVE);
}

static void released(struct spur_loc *loc, OTF2_IoHandleRef handle, int fd)
{
    const enum io_held before = io_set_lock(fd, IO_HELD_NOT, true);
    if (before != IO_HELD_NOT)
        put_release(loc, handle, before);
}

/* Of several locked ranges of a file, the first locked range decides about the kind of the lock. */
static void acquired(struct spur_loc *loc, OTF2_IoHandleRef handle, int fd, struct io_lock lock)
{
    const enum io_held held = lock.type == OTF2_LOCK_SHARED ? IO_HELD_SHARED : IO_HELD_EXCLUSIVE;
    const enum io_held before = io_set_lock(fd, held, lock.is_flock);
    if (before == held || (before != IO_HELD_NOT && !lock.is_flock))
        return;
    if (before != IO_HELD_NOT)
        put_release(loc, handle, before);
    spur_put_IoAcquireLock(loc, handle, lock.type);
}

void io_locked(struct spur_loc *loc, OTF2_IoHandleRef handle, int fd, struct io_lock lock, int ret,
               int error)
{
    const bool is_taken = error == EAGAIN || error == EACCES;
    spur_tick(loc);
    if (handle == OTF2_UNDEFINED_IO_HANDLE || lock.how == IO_LOCK_NONE)
        return;
    /* The kernel gives up the held lock of flock() before trying the new lock. */
    const bool is_given = ret != 0 && lock.is_flock && (is_taken || error == EINTR);
    if (is_given || (ret == 0 && lock.how == IO_LOCK_RELEASES))
        released(loc, handle, fd);
    else if (ret == 0)
        acquired(loc, handle, fd, lock);
    if (ret != 0 && lock.how == IO_LOCK_TRIES && is_taken)
        spur_put_IoTryLock(loc, handle, lock.type);
}

struct io_lock io_lock_of_flock(int operation)
{
    struct io_lock lock = {IO_LOCK_NONE, OTF2_LOCK_EXCLUSIVE, true};
    int what = operation & ~LOCK_NB;
    if (what == LOCK_SH)
        lock.type = OTF2_LOCK_SHARED;
    if (what == LOCK_UN)
        lock.how = IO_LOCK_RELEASES;
    else if (what == LOCK_SH || what == LOCK_EX)
        lock.how = operation & LOCK_NB ? IO_LOCK_TRIES : IO_LOCK_WAITS;
    return lock;
}

struct io_lock io_lock_of_lockf(int command)
{
    switch (command) {
    case F_LOCK:
        return (struct io_lock){IO_LOCK_WAITS, OTF2_LOCK_EXCLUSIVE, false};
    case F_TLOCK:
        return (struct io_lock){IO_LOCK_TRIES, OTF2_LOCK_EXCLUSIVE, false};
    case F_ULOCK:
        return (struct io_lock){IO_LOCK_RELEASES, OTF2_LOCK_EXCLUSIVE, false};
    default:
        return (struct io_lock){IO_LOCK_NONE, OTF2_LOCK_EXCLUSIVE, false};
    }
}

/* ---- fcntl() ---- */

static bool is_lock(int command)
{
    return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK ||
           command == F_OFD_SETLKW;
}

bool io_fcntl_duplicates(int command)
{
    return command == F_DUPFD || command == F_DUPFD_CLOEXEC;
}

bool io_fcntl_acts(int command)
{
    return io_fcntl_duplicates(command) || command == F_SETFL || command == F_SETFD ||
           is_lock(command);
}

static struct io_lock lock_of_range(int command, const struct flock *range)
{
    struct io_lock lock = {IO_LOCK_RELEASES, OTF2_LOCK_EXCLUSIVE, false};
    if (range->l_type == F_RDLCK)
        lock.type = OTF2_LOCK_SHARED;
    if (range->l_type != F_UNLCK)
        lock.how = command == F_SETLK || command == F_OFD_SETLK ? IO_LOCK_TRIES : IO_LOCK_WAITS;
    return lock;
}

void io_fcntl_done(struct spur_loc *loc, OTF2_IoHandleRef handle, int fd, int command,
                   const void *argument, int ret, int error)
{
    if (io_fcntl_duplicates(command)) {
        io_duplicated(loc, handle, ret, NULL);
    } else if (is_lock(command) && (ret == 0 || error == EAGAIN || error == EACCES)) {
        /* The kernel has read the argument, so the address is valid. */
        io_locked(loc, handle, fd, lock_of_range(command, argument), ret, error);
    } else {
        io_flags_set(loc, handle, fd, is_lock(command) ? -1 : ret);
    }
}

/* ---- names ---- */

/* The file by its name. A relative path starts at the name of `dir` or of the working directory. */
static OTF2_IoFileRef io_name_here(int dir, const char *path)
{
    char room[2 * PATH_MAX], link[32];
    int saved = errno;
    long n = 0;
    if (path[0] != '/' && dir != AT_FDCWD) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", dir);
        n = syscall(SYS_readlinkat, AT_FDCWD, link, room, (long)PATH_MAX);
    } else if (path[0] != '/') {
        n = syscall(SYS_getcwd, room, (long)PATH_MAX) > 0 ? (long)strlen(room) : -1;
    }
    errno = saved;
    if (n < 0)
        return OTF2_UNDEFINED_IO_FILE;
    while (path[0] == '.' && path[1] == '/')
        path += 2;
    snprintf(room + n, sizeof room - (size_t)n, "%s%s", n > 1 ? "/" : "", path);
    return io_path_is_wanted(room) ? spur_def_io_file(room) : OTF2_UNDEFINED_IO_FILE;
}
OTF2_IoFileRef io_name(int dir, const char *path);
SPUR_DOOR(OTF2_IoFileRef, io_name, (int, dir), (const char *, path))

void io_deleted(struct spur_loc *loc, int dir, const char *path, int ret)
{
    spur_tick(loc);
    OTF2_IoFileRef file = ret == 0 ? io_name(dir, path) : OTF2_UNDEFINED_IO_FILE;
    if (file == OTF2_UNDEFINED_IO_FILE)
        return;
    spur_def_io_paradigm(SPUR_IO_POSIX);
    spur_put_IoDeleteFile(loc, SPUR_IO_POSIX, file);
}

/* ---- directories ---- */

int io_dirfd(DIR *dir)
{
    int saved = errno;
    int fd = dir ? dirfd(dir) : -1;
    errno = saved;
    return fd;
}
