/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/unpack/remake.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/base/fail.h"
#include "tools/base/say.h"

/* ---- what there is to say ---- */

__attribute__((format(printf, 3, 0))) static void keep(struct made *made, bool is_fault,
                                                       const char *format, va_list va)
{
    made->has_failed = made->has_failed || is_fault;
    *LIST_ADD(&made->lines) = (struct made_line){made->file, is_fault, vmake_text(format, va)};
}

bool remake_fault(struct made *made, const char *format, ...)
{
    va_list va;
    va_start(va, format);
    keep(made, true, format, va);
    va_end(va);
    return false;
}

void remake_warn(struct made *made, const char *format, ...)
{
    va_list va;
    va_start(va, format);
    keep(made, false, format, va);
    va_end(va);
}

bool remake_cannot(struct made *made, const char *what, const char *path)
{
    char why[128];
    return remake_fault(made, "%s: cannot %s: %s", path, what, strerror_r(errno, why, sizeof why));
}

static int by_file(const void *a, const void *b)
{
    const struct made_line *x = a, *y = b;
    return x->file != y->file ? (x->file > y->file) - (x->file < y->file)
                              : x->is_fault - y->is_fault;
}

void remake_tell(const struct made *made)
{
    const struct made_line *first = NULL;
    LIST_SORT(&made->lines, by_file);
    for (size_t i = 0; i < made->lines.n; i++) {
        const struct made_line *line = &made->lines.at[i];
        if (line->is_fault && (!first || line->file < first->file))
            first = line;
    }
    for (size_t i = 0; i < made->lines.n; i++)
        if (!made->lines.at[i].is_fault && (!first || made->lines.at[i].file <= first->file))
            say("%s", made->lines.at[i].text);
    if (first)
        say("%s", first->text);
}

/* ---- files ---- */

bool remake_map(struct made *made, const char *path, struct mapped *file)
{
    struct stat stat;
    void *bytes = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return remake_cannot(made, "read", path);
    bool is_good = !fstat(fd, &stat);
    if (is_good && !S_ISREG(stat.st_mode)) {
        is_good = false;
        errno = S_ISDIR(stat.st_mode) ? EISDIR : ENXIO;
    }
    if (is_good && stat.st_size) {
        bytes = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        is_good = bytes != MAP_FAILED;
    }
    if (is_good)
        *file = (struct mapped){bytes, (size_t)stat.st_size, stat.st_mode & 07777};
    else
        remake_cannot(made, "read", path);
    close(fd);
    return is_good;
}

void remake_unmap(const struct mapped *file)
{
    void *bytes;
    memcpy(&bytes, &file->bytes, sizeof bytes);
    if (bytes)
        munmap(bytes, file->size);
}

/* A new file of that mode, whatever an earlier run has left there. */
static int make_file(const char *path, mode_t mode)
{
    unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0 && fchmod(fd, mode)) {
        int saved = errno;
        close(fd);
        errno = saved;
        return -1;
    }
    return fd;
}

bool remake_write(int fd, const uint8_t *data, size_t size)
{
    while (size) {
        ssize_t n = write(fd, data, size);
        if (n < 0 && errno != EINTR)
            return false;
        data += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

int remake_beside(struct made *made, const char *path, mode_t mode)
{
    char *beside = make_text("%s" ARCHIVE_REMADE, path);
    int fd = make_file(beside, mode);
    if (fd < 0)
        remake_cannot(made, "make", beside);
    else
        *LIST_ADD(&made->files) = made->file;
    free(beside);
    return fd;
}

bool remake_close(struct made *made, int fd, const char *path)
{
    return !close(fd) || remake_cannot(made, "write", path);
}

bool remake_sync(struct made *made, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool is_good = fd >= 0 && !syncfs(fd);
    if (!is_good)
        (void)remake_cannot(made, "write", path);
    if (fd >= 0)
        close(fd);
    return is_good;
}

bool remake_anchor(struct made *made, const char *path, const struct mapped *file, size_t at,
                   uint8_t byte)
{
    int fd = remake_beside(made, path, file->mode);
    if (fd < 0)
        return false;
    bool is_good = remake_write(fd, file->bytes, at) && remake_write(fd, &byte, 1) &&
                   remake_write(fd, file->bytes + at + 1, file->size - at - 1);
    if (!is_good || syncfs(fd))
        is_good = remake_cannot(made, "write", path);
    return remake_close(made, fd, path) && is_good;
}
