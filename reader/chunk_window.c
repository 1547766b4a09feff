/* SPDX-License-Identifier: BSD-3-Clause */
#include "reader/chunk_window.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/def_decode.h"
#include "format/error.h"
#include "format/memory.h"
#include "format/zblock.h"
#include "format/zcodec.h"
#include "reader/block_index.h"
#include "reader/containers.h"

enum { WINDOW_BYTES = 65536, WINDOW_LEAST = 4096, WINDOWS_BYTES = 512 << 20 };

/* A callback that makes a success of an error is not believed. */
static OTF2_ErrorCode failed(OTF2_ErrorCode answer, OTF2_ErrorCode code)
{
    return answer ? answer : code;
}

static OTF2_ErrorCode system_error(const char *path, const char *what)
{
    OTF2_ErrorCode code = otf2_error_from_errno(errno);
    return failed(OTF2_ERROR(code, "%s: %s", path, what), code);
}

static OTF2_ErrorCode data_error(const char *path, uint64_t at, const char *what)
{
    return failed(OTF2_ERROR(OTF2_ERROR_INVALID_DATA, "%s: offset %llu: %s", path,
                             (unsigned long long)at, what),
                  OTF2_ERROR_INVALID_DATA);
}

static OTF2_ErrorCode no_memory(const char *path)
{
    return failed(OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "%s: no memory", path),
                  OTF2_ERROR_MEM_ALLOC_FAILED);
}

/* ---- open ---- */

/* Not blocking: somebody may have put a pipe in a file's place. */
static int open_file(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

/*
 * The end of file's second byte, for which a full last chunk has no room, is no chunk of its own:
 * nobody needs to read it.
 */
static void lay_out(struct otf2_chunks *f, uint64_t bytes)
{
    uint64_t rest = bytes % f->chunk_bytes;
    f->n_chunks = bytes / f->chunk_bytes + (rest > 1 || (rest && bytes == rest));
    f->last_bytes = bytes - (f->n_chunks - 1) * f->chunk_bytes;
    if (f->last_bytes > f->chunk_bytes)
        f->last_bytes = f->chunk_bytes;
}

static OTF2_ErrorCode open_compressed(struct otf2_chunks *f, int fd, const char *path)
{
    OTF2_ErrorCode error;
    if (!otf2_zcodec_find())
        return failed(OTF2_ERROR(OTF2_ERROR_FILE_COMPRESSION_NOT_SUPPORTED,
                                 "%s: built without compression", path),
                      OTF2_ERROR_FILE_COMPRESSION_NOT_SUPPORTED);
    f->blocks = otf2_block_index_new(fd, path, f->file_bytes, f->chunk_bytes, &error);
    if (!f->blocks)
        return failed(error, OTF2_ERROR_INVALID_DATA);
    uint64_t bytes = (f->blocks->n - 1) * f->chunk_bytes;
    /* All blocks but the last are whole chunks. */
    lay_out(f, bytes + f->blocks->blocks[f->blocks->n - 1].uncompressed);
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode examine(struct otf2_chunks *f, int fd, const char *path,
                              OTF2_Compression compression)
{
    struct stat st;
    uint8_t begin[OTF2_ZBLOCK_HEADER_BYTES];
    if (fstat(fd, &st) < 0)
        return system_error(path, "cannot be examined");
    if (!S_ISREG(st.st_mode))
        return data_error(path, 0, "this is no regular file");
    if (!st.st_size)
        return data_error(path, 0, "the file is empty");
    f->file_bytes = (uint64_t)st.st_size;

    /* A compressed archive that is unpacked half way has files of both kinds. */
    ssize_t n = 0;
    if (compression == OTF2_COMPRESSION_ZLIB)
        n = pread(fd, begin, sizeof begin, 0);
    if (n < 0)
        return system_error(path, "cannot be read");
    if (otf2_zblock_begins(begin, (size_t)n))
        return open_compressed(f, fd, path);
    lay_out(f, f->file_bytes);
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode begin(struct otf2_chunks *f, const char *path, uint64_t chunk_bytes)
{
    *f = (struct otf2_chunks){.chunk_bytes = chunk_bytes, .window_most = WINDOW_BYTES};
    if (chunk_bytes < OTF2_CHUNK_SIZE_MIN || chunk_bytes > OTF2_CHUNK_SIZE_MAX)
        return failed(OTF2_ERROR(OTF2_ERROR_INVALID_SIZE_GIVEN, "%s: chunk size %llu", path,
                                 (unsigned long long)chunk_bytes),
                      OTF2_ERROR_INVALID_SIZE_GIVEN);
    return OTF2_SUCCESS;
}

OTF2_ErrorCode otf2_chunks_open_pieces(struct otf2_chunks *f, const char *path,
                                       const struct otf2_pieces *pieces, uint64_t chunk_bytes)
{
    OTF2_ErrorCode error = begin(f, path, chunk_bytes);
    if (error)
        return error;
    f->pieces = pieces;
    f->file_bytes = pieces->bytes;
    lay_out(f, f->file_bytes);
    f->path = otf2_text_new(path);
    return f->path ? OTF2_SUCCESS : no_memory(path);
}

OTF2_ErrorCode otf2_chunks_open(struct otf2_chunks *f, const char *path, uint64_t chunk_bytes,
                                OTF2_Compression compression)
{
    OTF2_ErrorCode wrong = begin(f, path, chunk_bytes);
    if (wrong)
        return wrong;
    int fd = open_file(path);
    if (fd < 0)
        return system_error(path, "cannot be opened");
    OTF2_ErrorCode error = examine(f, fd, path, compression);
    close(fd);
    if (!error) {
        f->path = otf2_text_new(path);
        if (!f->path)
            error = no_memory(path);
    }
    if (error)
        otf2_chunks_close(f);
    return error;
}

void otf2_chunks_close(struct otf2_chunks *f)
{
    otf2_mem_free(f->path);
    otf2_mem_free(f->window);
    otf2_block_index_free(f->blocks);
    *f = (struct otf2_chunks){0};
}

void otf2_chunks_share(struct otf2_chunks *f, uint64_t n_files)
{
    uint64_t bytes = n_files ? WINDOWS_BYTES / n_files : WINDOW_BYTES;
    f->window_most = bytes > WINDOW_BYTES   ? WINDOW_BYTES
                     : bytes < WINDOW_LEAST ? WINDOW_LEAST
                                            : bytes;
}

/* ---- read ---- */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The window has no more room than any chunk needs; its content is lost. */
static bool make_room(struct otf2_chunks *f, uint64_t bytes)
{
    f->window_bytes = 0;
    if (bytes <= f->window_room)
        return true;
    otf2_mem_free(f->window);
    f->window = otf2_mem_new(bytes + OTF2_DEF_SLACK);
    f->window_room = f->window ? bytes : 0;
    return f->window;
}

/* Reads exactly that many bytes of the file. */
static OTF2_ErrorCode read_file(const struct otf2_chunks *f, uint64_t at, uint8_t *to,
                                uint64_t bytes)
{
    OTF2_ErrorCode error = OTF2_SUCCESS;
    struct otf2_fault fault;
    if (f->pieces)
        return otf2_pieces_read(f->pieces, at, to, bytes, &fault) ? otf2_fault_report(&fault)
                                                                  : OTF2_SUCCESS;
    int fd = open_file(f->path);
    if (fd < 0)
        return system_error(f->path, "cannot be opened");
    for (uint64_t done = 0; !error && done < bytes;) {
        ssize_t n = pread(fd, to + done, bytes - done, (off_t)(at + done));
        if (n > 0)
            done += (uint64_t)n;
        else if (n == 0)
            error = data_error(f->path, at + done, "the file was cut while it is read");
        else if (errno != EINTR)
            error = system_error(f->path, "cannot be read");
    }
    close(fd);
    return error;
}

/* Bytes [at, ...) of a plain file's chunk k, as many as the window has room for. */
static OTF2_ErrorCode fill_plain(struct otf2_chunks *f, uint64_t k, uint64_t at, uint64_t want)
{
    uint64_t largest = f->n_chunks > 1 ? f->chunk_bytes : f->last_bytes;
    uint64_t room = least(largest, f->window_most);
    if (want > room)
        room = least(largest, 2 * want);
    if (!make_room(f, room))
        return no_memory(f->path);
    uint64_t bytes = least(f->window_room, otf2_chunks_size(f, k) - at);
    OTF2_ErrorCode error = read_file(f, k * f->chunk_bytes + at, f->window, bytes);
    if (!error && k + at == 0 && otf2_zblock_begins(f->window, bytes))
        error = data_error(f->path, 0, "compressed, in an archive that is not");
    f->window_at = at;
    f->window_bytes = error ? 0 : bytes;
    return error;
}

/* All of a compressed file's chunk k. */
static OTF2_ErrorCode fill_compressed(struct otf2_chunks *f, uint64_t k)
{
    const struct otf2_block *block = &f->blocks->blocks[k];
    uint8_t *packed = otf2_mem_new(block->compressed);
    if (!packed || !make_room(f, block->uncompressed)) {
        otf2_mem_free(packed);
        return no_memory(f->path);
    }
    OTF2_ErrorCode error = read_file(f, block->at, packed, block->compressed);
    if (!error) {
        OTF2_ErrorCode code =
            otf2_zcodec_find()->unpack(packed, block->compressed, f->window, block->uncompressed);
        if (code == OTF2_ERROR_MEM_ALLOC_FAILED)
            error = no_memory(f->path);
        else if (code)
            error = data_error(f->path, block->at, "the compressed block is damaged");
    }
    otf2_mem_free(packed);
    f->window_at = 0;
    f->window_bytes = error ? 0 : otf2_chunks_size(f, k);
    return error;
}

OTF2_ErrorCode otf2_chunks_get(struct otf2_chunks *f, uint64_t k, uint64_t at, uint64_t want,
                               const uint8_t **bytes, uint64_t *n)
{
    uint64_t size = otf2_chunks_size(f, k);
    if (at > size)
        at = size;
    want = least(want, size - at);
    bool is_there = f->window_bytes && f->window_chunk == k && at >= f->window_at &&
                    at + want <= f->window_at + f->window_bytes;
    if (!is_there) {
        OTF2_ErrorCode error = f->blocks ? fill_compressed(f, k) : fill_plain(f, k, at, want);
        if (error)
            return error;
        f->window_chunk = k;
        memset(f->window + f->window_bytes, 0, OTF2_DEF_SLACK);
    }
    *bytes = f->window + (at - f->window_at);
    *n = f->window_bytes - (at - f->window_at);
    return OTF2_SUCCESS;
}
