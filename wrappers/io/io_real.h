/* SPDX-License-Identifier: BSD-3-Clause */
/* The wrapped functions as data: their regions, and where the real ones are. */
#ifndef IO_REAL_H
#define IO_REAL_H

#include <aio.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>
#include <wchar.h>

#include "wrappers/kit/wrapper.h"

/* Parameters that the headers declare as arrays. */
typedef struct timeval io_timevals[2];
typedef struct timespec io_timespecs[2];
typedef int io_ends[2];
typedef struct aiocb *const io_blocks[];
typedef struct aiocb64 *const io_blocks64[];
typedef const struct aiocb *const io_const_blocks[];
typedef const struct aiocb64 *const io_const_blocks64[];

/* NOLINTBEGIN(bugprone-reserved-identifier): the C library's names, which no header declares. */
int __open(const char *path, int flags, ...);
int __open64(const char *path, int flags, ...);
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
int __openat64_2(int dir, const char *path, int flags);
#if !__GLIBC_PREREQ(2, 43)
int openat2(int dir, const char *path, const struct open_how *how, size_t bytes);
#endif
int __close(int fd);
int __dup2(int fd, int to);
int __fcntl(int fd, int command, ...);
ssize_t __read(int fd, void *data, size_t n);
ssize_t __read_chk(int fd, void *data, size_t n, size_t room);
ssize_t __write(int fd, const void *data, size_t n);
ssize_t __pread64(int fd, void *data, size_t n, off64_t offset);
ssize_t __pread_chk(int fd, void *data, size_t n, off_t offset, size_t room);
ssize_t __pread64_chk(int fd, void *data, size_t n, off64_t offset, size_t room);
ssize_t __pwrite64(int fd, const void *data, size_t n, off64_t offset);
off_t __lseek(int fd, off_t offset, int whence);
size_t __fread_chk(void *data, size_t room, size_t size, size_t n, FILE *stream);
size_t __fread_unlocked_chk(void *data, size_t room, size_t size, size_t n, FILE *stream);
char *__fgets_chk(char *text, size_t room, int n, FILE *stream);
char *__fgets_unlocked_chk(char *text, size_t room, int n, FILE *stream);
wchar_t *__fgetws_chk(wchar_t *text, size_t room, int n, FILE *stream);
wchar_t *__fgetws_unlocked_chk(wchar_t *text, size_t room, int n, FILE *stream);
int _IO_getc(FILE *stream);
int _IO_putc(int c, FILE *stream);
int __fprintf_chk(FILE *stream, int flag, const char *format, ...);
int __printf_chk(int flag, const char *format, ...);
int __dprintf_chk(int fd, int flag, const char *format, ...);
int __fwprintf_chk(FILE *stream, int flag, const wchar_t *format, ...);
int __wprintf_chk(int flag, const wchar_t *format, ...);
int __vfprintf_chk(FILE *stream, int flag, const char *format, va_list list);
int __vprintf_chk(int flag, const char *format, va_list list);
int __vdprintf_chk(int fd, int flag, const char *format, va_list list);
int __vfwprintf_chk(FILE *stream, int flag, const wchar_t *format, va_list list);
int __vwprintf_chk(int flag, const wchar_t *format, va_list list);
int __isoc99_fscanf(FILE *stream, const char *format, ...);
int __isoc99_scanf(const char *format, ...);
int __isoc99_fwscanf(FILE *stream, const wchar_t *format, ...);
int __isoc99_wscanf(const wchar_t *format, ...);
int __isoc99_vfscanf(FILE *stream, const char *format, va_list list);
int __isoc99_vscanf(const char *format, va_list list);
int __isoc99_vfwscanf(FILE *stream, const wchar_t *format, va_list list);
int __isoc99_vwscanf(const wchar_t *format, va_list list);
int __isoc23_fscanf(FILE *stream, const char *format, ...);
int __isoc23_scanf(const char *format, ...);
int __isoc23_fwscanf(FILE *stream, const wchar_t *format, ...);
int __isoc23_wscanf(const wchar_t *format, ...);
int __isoc23_vfscanf(FILE *stream, const char *format, va_list list);
int __isoc23_vscanf(const char *format, va_list list);
int __isoc23_vfwscanf(FILE *stream, const wchar_t *format, va_list list);
int __isoc23_vwscanf(const wchar_t *format, va_list list);
int __xstat(int version, const char *path, struct stat *info);
int __lxstat(int version, const char *path, struct stat *info);
int __fxstat(int version, int fd, struct stat *info);
int __fxstatat(int version, int dir, const char *path, struct stat *info, int flags);
int __xstat64(int version, const char *path, struct stat64 *info);
int __lxstat64(int version, const char *path, struct stat64 *info);
int __fxstat64(int version, int fd, struct stat64 *info);
int __fxstatat64(int version, int dir, const char *path, struct stat64 *info, int flags);
ssize_t __readlink_chk(const char *path, char *text, size_t n, size_t room);
ssize_t __readlinkat_chk(int dir, const char *path, char *text, size_t n, size_t room);
char *__realpath_chk(const char *path, char *text, size_t room);
int __poll(struct pollfd *polls, nfds_t n, int timeout);
int __poll_chk(struct pollfd *polls, nfds_t n, int timeout, size_t room);
int __ppoll_chk(struct pollfd *polls, nfds_t n, const struct timespec *limit, const sigset_t *mask,
                size_t room);
int __select(int top, fd_set *ins, fd_set *outs, fd_set *others, struct timeval *period);
int __socket(int domain, int type, int protocol);
int __pipe(int ends[2]);
int __connect(int fd, __CONST_SOCKADDR_ARG address, socklen_t length);
ssize_t __send(int fd, const void *data, size_t n, int flags);
int __sendmmsg(int fd, struct mmsghdr *messages, unsigned n, int flags);
ssize_t __recv(int fd, void *data, size_t n, int flags);
ssize_t __recv_chk(int fd, void *data, size_t n, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *data, size_t n, size_t room, int flags, __SOCKADDR_ARG address,
                       socklen_t *length);
/* NOLINTEND(bugprone-reserved-identifier) */

enum io_call_id {
#define IO_CALL(type, name, ...) IO_CALL_##name,
#define IO_VOID(name, ...) IO_CALL_##name,
#define IO_NONE(type, name, ...) IO_CALL_##name,
#define IO_HAND(name, ...) IO_CALL_##name,
#include "wrappers/io/io_tables.def"
#undef IO_HAND
#undef IO_NONE
#undef IO_VOID
#undef IO_CALL
    IO_CALLS
};

extern struct wrapper_function io_calls[IO_CALLS];

#define IO_REAL(name) ((__typeof__(&name))wrapper_real(&io_calls[IO_CALL_##name]))

/* Find them all, early: signal handlers and children of vfork() may call them. */
void io_calls_find(void);

#endif
