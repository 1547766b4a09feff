/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/unpack/unpack_file.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/zblock.h"
#include "format/zcodec.h"
#include "tools/base/fail.h"

enum { END_OF_FILE = 2, END_OF_BUFFER = 1, CHUNK_MARK = 3 };

/* ---- what there is to say ---- */

__attribute__((format(printf, 3, 0))) static void keep(struct made *made, bool is_fault,
                                                       const char *format, va_list va)
{
    made->has_failed = made->has_failed || is_fault;
    *LIST_ADD(&made->lines) = (struct made_line){made->file, is_fault, vmake_text(format, va)};
}

bool unpack_fault(struct made *made, const char *format, ...)
{
    va_list va;
    va_start(va, format);
    keep(made, true, format, va);
    va_end(va);
    return false;
}

__attribute__((format(printf, 2, 3))) static void warn(struct made *made, const char *format, ...)
{
    va_list va;
    va_start(va, format);
    keep(made, false, format, va);
    va_end(va);
}

bool unpack_cannot(struct made *made, const char *what, const char *path)
{
    char why[128];
    return unpack_fault(made, "%s: cannot %s: %s", path, what, strerror_r(errno, why, sizeof why));
}

/* ---- files that become shorter ---- */

/* Where a thread goes on that has read behind the new end of a mapped file. */
static _Thread_local sigjmp_buf behind;
static _Thread_local volatile sig_atomic_t is_reading;

static void on_bus(int number)
{
    if (is_reading)
        siglongjmp(behind, 1);
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

void unpack_expect_short_files(void)
{
    (void)signal(SIGBUS, on_bus);
}

/* ---- files ---- */

bool unpack_map(struct made *made, const char *path, struct mapped *file)
{
    struct stat stat;
    void *bytes = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return unpack_cannot(made, "read", path);
    bool is_good = !fstat(fd, &stat);
    if (is_good && !S_ISREG(stat.st_mode)) {
        is_good = false;
        errno = EISDIR;
    }
    if (is_good && stat.st_size) {
        bytes = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        is_good = bytes != MAP_FAILED;
    }
    if (is_good)
        *file = (struct mapped){bytes, (size_t)stat.st_size, stat.st_mode & 07777};
    else
        unpack_cannot(made, "read", path);
    close(fd);
    return is_good;
}

void unpack_unmap(const struct mapped *file)
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

bool unpack_write(int fd, const uint8_t *data, size_t size)
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

/* ---- one file ---- */

/* Whether unpacked bytes can be what their place in a plain file wants. */
static bool is_chunk(const struct otf2_zwalk *walk, const uint8_t *chunk, size_t size)
{
    if (size == 1 && walk->next_at == walk->size)
        return chunk[0] == END_OF_BUFFER;
    return size >= 18 && chunk[0] == CHUNK_MARK && (chunk[1] == 0x42 || chunk[1] == 0x23);
}

/* The next block of the file, to the file `out`. chunk: room for one and a byte. */
static bool unpack_block(struct made *made, const char *path, struct otf2_zwalk *walk,
                         uint8_t *chunk, int out, size_t *size)
{
    struct otf2_zblock block;
    const uint8_t *data;
    const char *wrong = otf2_zwalk_next(walk, &block, &data);
    OTF2_ErrorCode error = OTF2_SUCCESS;
    if (!wrong) {
        error = otf2_zcodec.unpack(data, block.compressed, chunk, block.uncompressed);
        if (error)
            wrong = error == OTF2_ERROR_MEM_ALLOC_FAILED ? "no memory" : "damaged data";
        else if (!is_chunk(walk, chunk, block.uncompressed))
            wrong = "damaged data: no chunk of a trace";
    }
    if (wrong)
        return unpack_fault(made, "%s: block at offset %zu: %s", path, walk->block_at, wrong);
    *size = block.uncompressed;
    return unpack_write(out, chunk, *size) || unpack_cannot(made, "write", path);
}

static bool unpack_blocks(struct made *made, const char *path, const struct mapped *file,
                          uint64_t chunk_bytes, int out)
{
    struct otf2_zwalk walk = {.bytes = file->bytes, .size = file->size, .chunk_bytes = chunk_bytes};
    size_t size = 0;
    uint8_t *chunk = malloc(chunk_bytes + 1);
    if (!chunk)
        return unpack_fault(made, "no memory for a chunk");
    bool is_good = true;
    while (is_good && walk.next_at < walk.size)
        is_good = unpack_block(made, path, &walk, chunk, out, &size);
    /* That may be meant: a program can refuse that the rest of its events is written. */
    if (is_good && size && chunk[size - 1] != END_OF_BUFFER && chunk[size - 1] != END_OF_FILE)
        warn(made, "%s: warning: ends without the mark of the end; unpacked as far as it goes",
             path);
    free(chunk);
    return is_good;
}

int unpack_make_beside(struct made *made, const char *path, mode_t mode)
{
    char *beside = make_text("%s%s", path, UNPACKED);
    int fd = make_file(beside, mode);
    if (fd < 0)
        unpack_cannot(made, "make", beside);
    else
        *LIST_ADD(&made->files) = made->file;
    free(beside);
    return fd;
}

bool unpack_close(struct made *made, int fd, const char *path)
{
    return !close(fd) || unpack_cannot(made, "write", path);
}

static bool unpack_to(struct made *made, const char *path, const struct mapped *file,
                      uint64_t chunk_bytes, int fd)
{
    bool is_good = false;
    if (sigsetjmp(behind, 1)) {
        is_reading = false;
        return unpack_fault(made, "%s: has become shorter while it was read", path);
    }
    is_reading = true;
    is_good = unpack_blocks(made, path, file, chunk_bytes, fd);
    is_reading = false;
    return is_good;
}

bool unpack_file(struct made *made, const char *path, uint64_t chunk_bytes)
{
    struct mapped file = {0};
    if (!unpack_map(made, path, &file))
        return false;
    bool is_good = true;
    if (file.size && file.bytes[0] != CHUNK_MARK) {
        int fd = unpack_make_beside(made, path, file.mode);
        is_good = fd >= 0 && unpack_to(made, path, &file, chunk_bytes, fd);
        if (fd >= 0)
            is_good = unpack_close(made, fd, path) && is_good;
    }
    unpack_unmap(&file);
    return is_good;
}
