/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/io/io_streams.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "wrappers/io/io_flags.h"
#include "wrappers/io/io_mode.h"
#include "wrappers/io/io_real.h"

/* ---- opening ---- */

int io_flags_of_mode(const char *mode)
{
    int flags = mode[0] == 'r'   ? O_RDONLY
                : mode[0] == 'w' ? O_WRONLY | O_CREAT | O_TRUNC
                                 : O_WRONLY | O_CREAT | O_APPEND;
    /* What follows a comma is a character set. */
    for (; *mode && *mode != ','; mode++)
        if (*mode == '+')
            flags = (flags & ~O_ACCMODE) | O_RDWR;
        else if (*mode == 'x')
            flags |= O_EXCL;
        else if (*mode == 'e')
            flags |= O_CLOEXEC;
    return flags;
}

int io_flags_of(int fd)
{
    int saved = errno;
    long flags = syscall(SYS_fcntl, fd, F_GETFL, 0L);
    long own = syscall(SYS_fcntl, fd, F_GETFD, 0L);
    errno = saved;
    flags = flags < 0 ? O_RDWR : flags;
    return (int)flags | (own > 0 && own & FD_CLOEXEC ? O_CLOEXEC : 0);
}

void io_stream_opened(struct spur_loc *loc, FILE *stream, int flags)
{
    io_opened(loc, IO_ISOC, io_fd(stream), flags);
}

/* The way in which the descriptor is open, since another stream may share it. */
void io_stream_attached(struct spur_loc *loc, FILE *stream)
{
    int fd = io_fd(stream);
    spur_tick(loc);
    if (fd < 0 || io_is_current(io_word_of(IO_ISOC, fd)))
        return;
    OTF2_IoHandleRef handle = io_handle_opened(IO_ISOC, fd);
    int flags = io_flags_of(fd);
    if (handle != OTF2_UNDEFINED_IO_HANDLE)
        spur_put_IoCreateHandle(loc, handle, io_access_of(flags), OTF2_IO_CREATION_FLAG_NONE,
                                io_status_of(flags));
}

void io_stream_reopened(struct spur_loc *loc, struct io_words words, FILE *stream, const char *mode)
{
    io_closed(loc, words);
    /* The C library keeps O_CLOEXEC of the mode before. */
    if (stream && io_records(IO_CHOICE_ISOC))
        io_stream_opened(loc, stream,
                         io_flags_of_mode(mode) | (io_flags_of(io_fd(stream)) & O_CLOEXEC));
}

/* ---- bytes ---- */

int64_t io_got_nothing(FILE *stream)
{
    return feof_unlocked(stream) || !ferror_unlocked(stream) ? 0 : -1;
}

int64_t io_items_read(FILE *stream, size_t size, size_t n, size_t ret)
{
    return ret == 0 && size && n ? io_got_nothing(stream) : (int64_t)(ret * size);
}

int64_t io_text_read(FILE *stream, const char *ret)
{
    return ret ? (int64_t)strlen(ret) : io_got_nothing(stream);
}

/* The C library's own conversion may load a module and take memory of the program. */
int64_t io_wide_char(wint_t c)
{
    enum { ONE = 0x80, TWO = 0x800, THREE = 0x10000 };
    if (MB_CUR_MAX == 1 || c < ONE)
        return 1;
    return c < TWO ? 2 : c < THREE ? 3 : 4;
}

int64_t io_wide_text(const wchar_t *text)
{
    int64_t bytes = 0;
    for (; *text; text++)
        bytes += io_wide_char((wint_t)*text);
    return bytes;
}

/* ---- positions ---- */

int64_t io_tell(FILE *stream)
{
    int saved = errno;
    int64_t at = IO_REAL(ftello64)(stream);
    errno = saved;
    return at;
}

int64_t io_since(FILE *stream, int64_t before)
{
    int64_t at = io_tell(stream);
    return before >= 0 && at > before ? at - before : 0;
}

void io_stream_sought(const struct io_frame *frame, OTF2_IoHandleRef handle, FILE *stream,
                      int64_t offset, int whence, int ret)
{
    io_sought(frame, handle, offset, whence, ret == 0 ? io_tell(stream) : -1);
}
