/* SPDX-License-Identifier: BSD-3-Clause */
/* The operations of io_random. */
#define _GNU_SOURCE
#include "io_random.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { FILES = 4, STREAMS = 3, FARTHEST = 9000 };

char data[DATA];
int open_streams;
static FILE *streams[STREAMS];
static const char *modes[STREAMS];

static int number(void)
{
    return LOWEST + (int)below(NUMBERS);
}

static int is_open(int fd)
{
    return syscall(SYS_fcntl, fd, F_GETFD, 0L) >= 0;
}

/* The slot of an open stream, if any stream is open. */
static unsigned some_stream(void)
{
    unsigned slot = below(STREAMS);
    for (unsigned i = 0; i < STREAMS && !streams[slot]; i++)
        slot = (slot + 1) % STREAMS;
    return slot;
}

int some(void)
{
    if (open_streams && below(4) == 0)
        return streams[some_stream()]->_fileno;
    int fd = number();
    for (unsigned tries = below(4); tries > 0 && !is_open(fd); tries--)
        fd = number();
    return fd;
}

static const char *path(char name[8])
{
    snprintf(name, 8, "r%u", below(FILES));
    return name;
}

/* ---- opening and closing ---- */

/* Moves a descriptor to a number of the test's range, by recorded calls. */
static void move(int fd)
{
    if (fd < 0 || fd >= LOWEST)
        return;
    int from = number(), to = fcntl(fd, F_DUPFD, from);
    say(to, "dupfd %d", fd);
    int ret = close(fd);
    say(ret, "close %d", fd);
}

static void do_open(void)
{
    static const int ways[] = {O_RDONLY,
                               O_WRONLY | O_CREAT,
                               O_RDWR | O_CREAT,
                               O_RDWR | O_CREAT | O_TRUNC,
                               O_WRONLY | O_APPEND | O_CREAT,
                               O_RDWR | O_CREAT | O_CLOEXEC};
    char name[8];
    int is_file = below(8) != 0, flags = ways[below(6)];
    int fd = open(is_file ? path(name) : "/dev/null", flags, 0600);
    say(fd, "open %s %d", is_file ? name : "/dev/null", flags);
    move(fd);
}

/* Opens a closed number, behind the agent's back. */
static void do_raw_open(void)
{
    char name[8];
    int to = number();
    if (is_open(to))
        return;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path(name), O_RDWR | O_CREAT, 0600);
    syscall(SYS_dup3, fd, to, 0);
    syscall(SYS_close, fd);
    say(to, "raw %s", name);
}

/*
 * A number is closed behind the agent's back; then the program opens the number again or closes it
 * once more, seen by the agent.
 */
static void do_raw_close(void)
{
    int fd = number(), from = some();
    for (int i = 0; i < NUMBERS && !is_open(fd); i++)
        fd = number();
    if (!is_open(fd) || from == fd)
        return;
    syscall(SYS_close, fd);
    say(0, "rawclose %d", fd);
    int to = fcntl(from, F_DUPFD, fd);
    say(to, "dupfd %d", from);
    if (to < 0) {
        int ret = close(fd);
        say(ret, "close %d", fd);
    }
}

static void do_close(void)
{
    int fd = number(), last = fd + (int)below(4), ret;
    switch (below(16)) {
    case 0:
        ret = close_range((unsigned)fd, (unsigned)last, 0);
        say(ret, "close_range %d %d", fd, last);
        break;
    case 1:
        ret = close_range((unsigned)fd, (unsigned)last, CLOSE_RANGE_CLOEXEC);
        say(ret, "end_at_exec %d %d", fd, last);
        break;
    case 2:
        closefrom(fd);
        say(0, "close_range %d %d", fd, LOWEST + 2 * NUMBERS);
        break;
    default:
        ret = close(fd);
        say(ret, "close %d", fd);
    }
}

/*
 * Passes a descriptor through a new socket. The received descriptor moves to a new number out of
 * the agent's sight.
 */
static void do_pass(void)
{
    int fd = some(), to = number(), ends[2], got = -1;
    char byte = 0, room[CMSG_SPACE(sizeof fd)] = {0};
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = room,
                             .msg_controllen = sizeof room};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    *header = (struct cmsghdr){CMSG_LEN(sizeof fd), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(header), &fd, sizeof fd);
    if (!is_open(fd) || is_open(to) || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return;
    if (sendmsg(ends[0], &message, 0) == 1 && recvmsg(ends[1], &message, 0) == 1) {
        memcpy(&got, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof got);
        syscall(SYS_dup3, got, to, 0);
        syscall(SYS_close, got);
        say(to, "pass %d", fd);
    }
    close(ends[0]);
    close(ends[1]);
}

/* ---- duplicates, flags ---- */

static void do_duplicate(void)
{
    int fd = some(), to = some(), ret;
    switch (below(5)) {
    case 0:
        ret = dup2(fd, to);
        say(ret, "dup2 %d %d", fd, to);
        break;
    case 1:
        ret = dup3(fd, to, O_CLOEXEC);
        say(ret, "dup3 %d %d", fd, to);
        break;
    case 2:
        ret = fcntl(fd, F_DUPFD_CLOEXEC, LOWEST);
        say(ret, "dupfd_cloexec %d", fd);
        break;
    case 3:
        ret = dup(fd);
        say(ret, "dupfd %d", fd);
        move(ret);
        break;
    default:
        ret = fcntl(fd, F_DUPFD, number());
        say(ret, "dupfd %d", fd);
    }
}

static void do_flags(void)
{
    int fd = some(), flags = below(2) ? O_APPEND : O_NONBLOCK, own = below(2) ? FD_CLOEXEC : 0;
    if (below(3) == 0) {
        int ret = fcntl(fd, F_SETFD, own);
        say(ret, "setfd %d %d", fd, own);
        return;
    }
    flags = below(4) ? flags : 0;
    int ret = fcntl(fd, F_SETFL, flags);
    say(ret, "setfl %d %d", fd, flags);
}

/* ---- bytes, positions ---- */

static void do_transfer(void)
{
    int fd = some();
    size_t n = below(sizeof data);
    long offset = (long)below(FARTHEST), ret;
    struct iovec parts[] = {{data, n / 3}, {data, n - n / 3}};
    switch (below(6)) {
    case 0:
        ret = read(fd, data, n);
        say(ret, "read %d %zu", fd, n);
        break;
    case 1:
        ret = write(fd, data, n);
        say(ret, "write %d %zu", fd, n);
        break;
    case 2:
        ret = pread(fd, data, n, offset);
        say(ret, "pread %d %zu %ld", fd, n, offset);
        break;
    case 3:
        ret = pwrite(fd, data, n, offset);
        say(ret, "pwrite %d %zu %ld", fd, n, offset);
        break;
    case 4:
        ret = readv(fd, parts, 2);
        say(ret, "read %d %zu", fd, n);
        break;
    default:
        ret = writev(fd, parts, 2);
        say(ret, "write %d %zu", fd, n);
    }
}

static void do_copy(void)
{
    int in = some(), out = some();
    size_t n = 1 + below(sizeof data);
    long ret = copy_file_range(in, NULL, out, NULL, n, 0);
    say(ret, "copy %d %d %zu", in, out, n);
}

static void do_seek(void)
{
    int fd = some(), whence = (int)below(3);
    long offset = (long)below(3000) - 500;
    long ret = lseek(fd, offset, whence);
    say(ret, "lseek %d %ld %d", fd, offset, whence);
}

static void do_truncate(void)
{
    int fd = some();
    long size = (long)below(FARTHEST);
    int ret = ftruncate(fd, size);
    say(ret, "ftruncate %d %ld", fd, size);
}

/* ---- names ---- */

static void do_names(void)
{
    char name[8], to[8];
    if (below(2)) {
        int ret = unlink(path(name));
        say(ret, "unlink %s", name);
    } else {
        int ret = rename(path(name), path(to));
        say(ret, "rename %s %s", name, to);
    }
}

/* ---- streams; without a buffer, so that the kernel has their positions ---- */

static const char *some_mode(void)
{
    static const char *const all[] = {"r", "w", "a", "r+", "w+e", "ae"};
    return all[below(6)];
}

static int ends_at_exec(const FILE *stream)
{
    int saved = errno;
    int is_set = stream && syscall(SYS_fcntl, stream->_fileno, F_GETFD, 0L) == FD_CLOEXEC;
    errno = saved;
    return is_set;
}

static void keep(unsigned slot, FILE *stream, const char *mode)
{
    open_streams += (stream != NULL) - (streams[slot] != NULL);
    streams[slot] = stream;
    modes[slot] = mode;
    if (stream)
        setvbuf(stream, NULL, _IONBF, 0);
}

static void close_stream(unsigned slot)
{
    FILE *stream = streams[slot];
    if (!stream)
        return;
    int fd = stream->_fileno;
    keep(slot, NULL, NULL);
    int ret = fclose(stream);
    say(ret, "fclose %d", fd);
}

static void do_open_stream(void)
{
    char name[8];
    const char *mode = some_mode();
    unsigned slot = below(STREAMS), what = below(3);
    int is_file = below(8) != 0, fd = some();
    FILE *stream;
    if (what == 2 && open_streams) {
        slot = some_stream();
        fd = streams[slot]->_fileno;
        stream = freopen(path(name), mode, streams[slot]);
        say(stream ? stream->_fileno : -1, "freopen %d %s %s %d", fd, name, mode,
            ends_at_exec(stream));
        keep(slot, stream, mode);
        return;
    }
    close_stream(slot);
    if (what == 1) {
        stream = fdopen(fd, mode);
        say(stream ? 0 : -1, "fdopen %d %s", fd, mode);
    } else {
        stream = fopen(is_file ? path(name) : "/dev/null", mode);
        say(stream ? stream->_fileno : -1, "fopen %s %s", is_file ? name : "/dev/null", mode);
    }
    keep(slot, stream, mode);
}

/* Between reading and writing there has to be a change of position. */
static void do_stream(void)
{
    unsigned slot = some_stream();
    FILE *stream = streams[slot];
    size_t n = 1 + below(sizeof data - 1);
    long offset = (long)below(FARTHEST);
    if (!stream)
        return;
    const char *mode = modes[slot];
    int fd = stream->_fileno, is_both = strchr(mode, '+') != NULL;
    clearerr(stream);
    if (is_both || (mode[0] != 'a' && below(3) == 0)) {
        int ret = fseek(stream, offset, SEEK_SET);
        say(ret, "fseek %d %ld", fd, offset);
    }
    errno = 0;
    if (mode[0] == 'r' && (!is_both || below(2))) {
        size_t done = fread(data, 1, n, stream);
        say(done || feof(stream) ? (long)done : -1, "fread %d %zu", fd, n);
    } else {
        size_t done = fwrite(data, 1, n, stream);
        say(done ? (long)done : -1, "fwrite %d %zu", fd, n);
    }
}

/* ---- all ---- */

static const struct {
    unsigned share;
    void (*step)(void);
} all_steps[] = {
    {14, do_open},      {4, do_raw_open}, {3, do_raw_close}, {12, do_close},      {4, do_pass},
    {13, do_duplicate}, {5, do_flags},    {22, do_transfer}, {3, do_copy},        {8, do_seek},
    {2, do_truncate},   {3, do_names},    {8, do_stream},    {7, do_open_stream},
};
enum { STEPS = sizeof all_steps / sizeof all_steps[0] };

void do_something(void)
{
    unsigned sum = 0, i = 0;
    for (unsigned k = 0; k < STEPS; k++)
        sum += all_steps[k].share;
    unsigned what = below(sum);
    for (; what >= all_steps[i].share; i++)
        what -= all_steps[i].share;
    all_steps[i].step();
}

void probe(void)
{
    for (int fd = LOWEST; fd < LOWEST + 2 * NUMBERS; fd++)
        if (is_open(fd)) {
            long ret = lseek(fd, 0, SEEK_CUR);
            say(ret, "lseek %d 0 %d", fd, SEEK_CUR);
        }
}

void close_all(void)
{
    for (unsigned slot = 0; slot < STREAMS; slot++)
        close_stream(slot);
    closefrom(LOWEST);
    say(0, "close_range %d %d", LOWEST, LOWEST + 2 * NUMBERS);
}
