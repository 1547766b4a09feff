/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library with an ioctl() that copies where a file system would share: few file systems can, and
 * none is there for certain. All other requests go to the kernel.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/fs.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static long copied(int to, const struct file_clone_range *range)
{
    static char data[1 << 16];
    long n = range->src_length ? (long)range->src_length : (long)sizeof data;
    n = syscall(SYS_pread64, (int)range->src_fd, data, n, (long)range->src_offset);
    return n < 0 ? n : syscall(SYS_pwrite64, to, data, n, (long)range->dest_offset);
}

int ioctl(int fd, unsigned long request, ...)
{
    va_list rest;
    va_start(rest, request);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    if (request == FICLONE) {
        struct file_clone_range all = {.src_fd = (int)(intptr_t)argument};
        return copied(fd, &all) < 0 ? -1 : 0;
    }
    if (request == FICLONERANGE && (uintptr_t)argument > 4096)
        return copied(fd, argument) < 0 ? -1 : 0;
    return (int)syscall(SYS_ioctl, fd, request, argument);
}
