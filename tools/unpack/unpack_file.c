/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/unpack/unpack_file.h"

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "format/zblock.h"
#include "format/zcodec.h"

enum { END_OF_FILE = 2, END_OF_BUFFER = 1, CHUNK_MARK = 3 };

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
        return remake_fault(made, "%s: block at offset %zu: %s", path, walk->block_at, wrong);
    *size = block.uncompressed;
    return remake_write(out, chunk, *size) || remake_cannot(made, "write", path);
}

static bool unpack_blocks(struct made *made, const char *path, const struct mapped *file,
                          uint64_t chunk_bytes, int out)
{
    struct otf2_zwalk walk = {.bytes = file->bytes, .size = file->size, .chunk_bytes = chunk_bytes};
    size_t size = 0;
    uint8_t *chunk = malloc(chunk_bytes + 1);
    if (!chunk)
        return remake_fault(made, "no memory for a chunk");
    bool is_good = true;
    while (is_good && walk.next_at < walk.size)
        is_good = unpack_block(made, path, &walk, chunk, out, &size);
    /* That may be meant: a program can refuse that the rest of its events is written. */
    if (is_good && size && chunk[size - 1] != END_OF_BUFFER && chunk[size - 1] != END_OF_FILE)
        remake_warn(made,
                    "%s: warning: ends without the mark of the end; unpacked as far as it goes",
                    path);
    free(chunk);
    return is_good;
}

static bool unpack_to(struct made *made, const char *path, const struct mapped *file,
                      uint64_t chunk_bytes, int fd)
{
    bool is_good = false;
    if (sigsetjmp(behind, 1)) {
        is_reading = false;
        return remake_fault(made, "%s: has become shorter while it was read", path);
    }
    is_reading = true;
    is_good = unpack_blocks(made, path, file, chunk_bytes, fd);
    is_reading = false;
    return is_good;
}

bool unpack_file(struct made *made, const char *path, uint64_t chunk_bytes)
{
    struct mapped file = {0};
    if (!remake_map(made, path, &file))
        return false;
    bool is_good = true;
    if (file.size && file.bytes[0] != CHUNK_MARK) {
        int fd = remake_beside(made, path, file.mode);
        is_good = fd >= 0 && unpack_to(made, path, &file, chunk_bytes, fd);
        if (fd >= 0)
            is_good = remake_close(made, fd, path) && is_good;
    }
    remake_unmap(&file);
    return is_good;
}
