/* SPDX-License-Identifier: BSD-3-Clause */
#include "writer/blocks.h"

#include <errno.h>
#include <string.h>

#include "format/frame.h"
#include "format/memory.h"
#include "format/zblock.h"
#include "format/zcodec.h"
#include "writer/chunk.h"

/* One block behind *end, which moves. */
static int write_block(struct otf2_blocks_end *end, const OTF2X_FileCallbacks *files,
                       const char *path, const uint8_t *data, size_t bytes)
{
    const struct otf2_zcodec *codec = otf2_zcodec_find();
    uint8_t header[OTF2_ZBLOCK_HEADER_BYTES];
    size_t packed = 0;
    uint8_t *stream = otf2_mem_new(codec->bound(bytes));
    int err = stream && !codec->pack(data, bytes, stream, &packed) ? 0 : -ENOMEM;
    if (!err) {
        struct otf2_zblock block = {(uint32_t)packed, (uint32_t)bytes, end->previous};
        struct otf2_bytes parts[] = {{header, sizeof header}, {stream, packed}};
        otf2_zblock_put(header, &block);
        err = otf2_file_write(files, path, end->at, parts, 2);
    }
    otf2_mem_free(stream);
    if (!err)
        *end = (struct otf2_blocks_end){end->at + sizeof header + packed, (uint32_t)packed};
    return err;
}

int otf2_blocks_write(struct otf2_blocks *b, const OTF2X_FileCallbacks *files, const char *path,
                      uint64_t chunk_bytes, const struct otf2_bytes *parts, size_t n)
{
    struct otf2_blocks_end end = b->filed;
    const uint8_t *data = parts[0].data;
    uint8_t *joined = NULL;
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++)
        bytes += parts[i].size;
    if (n > 1) {
        joined = otf2_mem_new(bytes);
        if (!joined)
            return -ENOMEM;
        for (size_t i = 0, at = 0; i < n; at += parts[i++].size)
            memcpy(joined + at, parts[i].data, parts[i].size);
        data = joined;
    }
    int err = 0;
    while (bytes && !err) {
        size_t block = bytes < chunk_bytes ? bytes : chunk_bytes;
        err = write_block(&end, files, path, data, block);
        data += block;
        bytes -= block;
    }
    otf2_mem_free(joined);
    if (!err)
        b->filed = end;
    return err;
}

void otf2_blocks_agree(struct otf2_blocks *b)
{
    b->agreed = b->filed;
}

void otf2_blocks_cut(struct otf2_blocks *b, const OTF2X_FileCallbacks *files, const char *path)
{
    if (b->filed.at > b->agreed.at)
        (void)otf2_file_cut(files, path, b->agreed.at);
    b->filed = b->agreed;
}

/* The last block, as it is in the file: new memory, NULL if there is none or it cannot be read. */
static uint8_t *read_last(const struct otf2_blocks *b, const OTF2X_FileCallbacks *files,
                          const char *path, struct otf2_zblock *block)
{
    size_t bytes = OTF2_ZBLOCK_HEADER_BYTES + b->filed.previous;
    uint8_t *last = b->filed.at ? otf2_mem_new(bytes) : NULL;
    if (last && !otf2_file_read(files, path, b->filed.at - bytes, last, bytes)) {
        *block = otf2_zblock_get(last);
        return last;
    }
    otf2_mem_free(last);
    return NULL;
}

/* Writes the chunk's records and the end of file over the block at *end. */
static int write_ended(struct otf2_blocks_end *end, const OTF2X_FileCallbacks *files,
                       const char *path, uint8_t *chunk, uint64_t chunk_bytes)
{
    struct otf2_chunk_content content;
    if (!otf2_chunk_walk(chunk, chunk_bytes, &content) || content.used + 2 > chunk_bytes)
        return -EIO;
    chunk[content.used] = OTF2_FRAME_END_OF_FILE;
    chunk[content.used + 1] = OTF2_FRAME_END_OF_BUFFER;
    int err = write_block(end, files, path, chunk, (size_t)content.used + 2);
    return err ? err : otf2_file_cut(files, path, end->at);
}

void otf2_blocks_end_early(struct otf2_blocks *b, const OTF2X_FileCallbacks *files,
                           const char *path, uint64_t chunk_bytes)
{
    struct otf2_zblock block;
    uint64_t size = b->filed.at;
    if (otf2_file_cut(files, path, size) || !size)
        return;
    uint8_t *last = read_last(b, files, path, &block);
    uint8_t *chunk = otf2_mem_new(chunk_bytes);
    if (last && chunk && block.uncompressed == chunk_bytes &&
        !otf2_zcodec_find()->unpack(last + OTF2_ZBLOCK_HEADER_BYTES, block.compressed, chunk,
                                    chunk_bytes)) {
        size_t bytes = OTF2_ZBLOCK_HEADER_BYTES + block.compressed;
        struct otf2_bytes old = {last, bytes};
        struct otf2_blocks_end end = {size - bytes, block.previous};
        if (write_ended(&end, files, path, chunk, chunk_bytes)) {
            (void)otf2_file_write(files, path, size - bytes, &old, 1);
            (void)otf2_file_cut(files, path, size);
        }
    }
    otf2_mem_free(chunk);
    otf2_mem_free(last);
}
