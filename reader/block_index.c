/* SPDX-License-Identifier: BSD-3-Clause */
#include "reader/block_index.h"

#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "format/error.h"
#include "format/memory.h"
#include "format/zblock.h"

static bool read_header(void *from, uint64_t at, uint8_t bytes[OTF2_ZBLOCK_HEADER_BYTES])
{
    const int *fd = from;
    return pread(*fd, bytes, OTF2_ZBLOCK_HEADER_BYTES, (off_t)at) == OTF2_ZBLOCK_HEADER_BYTES;
}

static bool grow(struct otf2_block_index *index)
{
    if (index->n < index->room)
        return true;
    uint64_t room = index->room ? 2 * index->room : 4;
    struct otf2_block *blocks = otf2_mem_new(room * sizeof *blocks);
    if (!blocks)
        return false;
    if (index->n)
        memcpy(blocks, index->blocks, index->n * sizeof *blocks);
    otf2_mem_free(index->blocks);
    index->blocks = blocks;
    index->room = room;
    return true;
}

static OTF2_ErrorCode fill(struct otf2_block_index *index, struct otf2_zwalk *walk,
                           const char *path)
{
    while (walk->next_at < walk->size) {
        struct otf2_zblock block;
        const uint8_t *data;
        const char *fault = otf2_zwalk_next(walk, &block, &data);
        if (fault)
            return OTF2_ERROR(OTF2_ERROR_INVALID_DATA, "%s: offset %zu: %s", path, walk->block_at,
                              fault);
        if (!grow(index))
            return OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "%s: no memory", path);
        index->blocks[index->n++] = (struct otf2_block){walk->block_at + OTF2_ZBLOCK_HEADER_BYTES,
                                                        block.compressed, block.uncompressed};
    }
    return OTF2_SUCCESS;
}

struct otf2_block_index *otf2_block_index_new(int fd, const char *path, uint64_t file_bytes,
                                              uint64_t chunk_bytes, OTF2_ErrorCode *error)
{
    struct otf2_zwalk walk = {.header = read_header,
                              .from = &fd,
                              .size = file_bytes,
                              .chunk_bytes = chunk_bytes};
    struct otf2_block_index *index = otf2_mem_new(sizeof *index);
    if (!index) {
        *error = OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "%s: no memory", path);
        return NULL;
    }
    *error = fill(index, &walk, path);
    if (*error) {
        otf2_block_index_free(index);
        return NULL;
    }
    return index;
}

void otf2_block_index_free(struct otf2_block_index *index)
{
    if (!index)
        return;
    otf2_mem_free(index->blocks);
    otf2_mem_free(index);
}
