/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/io/io_clone.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "wrappers/io/io_table.h"

/* The kernel knows 32 bits of a request. */
bool io_ioctl_clones(unsigned long request)
{
    const uint32_t word = (uint32_t)request;
    return word == FICLONE || word == FICLONERANGE;
}

/* The rest of a file from there on, or what is not known. Its caller need not have the stack. */
__attribute__((noinline)) static uint64_t bytes_from(int fd, uint64_t offset)
{
    struct statx info;
    int saved = errno;
    long ret = syscall(SYS_statx, fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_SIZE, &info);
    errno = saved;
    return ret == 0 && info.stx_size >= offset ? info.stx_size - offset : OTF2_UNDEFINED_UINT64;
}

/* After these the kernel has read the range, so that is where it says. */
static bool was_read(int ret, int error)
{
    return ret == 0 || error == EXDEV || error == EOPNOTSUPP || error == EISDIR || error == ENOSPC;
}

/* Not a part of ioctl(), for the same reason. */
__attribute__((noinline)) void io_cloned(struct spur_loc *loc, OTF2_IoHandleRef handle,
                                         unsigned long request, const void *argument, int ret,
                                         int error)
{
    struct file_clone_range range = {.src_fd = -1};
    const bool is_whole = (uint32_t)request == FICLONE;
    if (is_whole)
        range.src_fd = (int)(intptr_t)argument;
    else if (was_read(ret, error))
        range = *(const struct file_clone_range *)argument;
    const bool is_known = is_whole || was_read(ret, error);
    const int source = (int)range.src_fd;
    uint64_t bytes = range.src_length;
    if (bytes == 0)
        bytes = is_known ? bytes_from(source, range.src_offset) : OTF2_UNDEFINED_UINT64;
    const struct io_end in = {source < 0 ? OTF2_UNDEFINED_IO_HANDLE
                                         : io_handle_of(IO_POSIX, source),
                              is_known ? (int64_t)range.src_offset : IO_HERE};
    const struct io_end out = {handle, is_known ? (int64_t)range.dest_offset : IO_HERE};
    io_copied(loc, in, out, bytes, ret < 0 ? ret : (int64_t)bytes, error);
}
