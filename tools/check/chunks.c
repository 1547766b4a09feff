/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/check/chunks.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/wire.h"
#include "format/zcodec.h"
#include "tools/base/node_table.h"

struct place chunks_place(const struct chunks *f)
{
    return (struct place){.file = f->name, .offset = chunks_offset(f), .has_offset = true};
}

static bool broken(struct chunks *f, enum rule rule, const char *what)
{
    found(f->verdict, rule, chunks_place(f), "%s", what);
    return false;
}

/* ---- bytes ---- */

/* Up to the end of the container, too, a file that becomes shorter is not told from its end. */
static size_t read_pieces(const struct chunks *f, void *to, size_t n, uint64_t offset)
{
    struct otf2_fault fault;
    uint64_t rest = offset < f->file_bytes ? f->file_bytes - offset : 0;
    n = n < rest ? n : (size_t)rest;
    return otf2_pieces_read(f->pieces, offset, to, n, &fault) ? 0 : n;
}

static size_t read_at(const struct chunks *f, void *to, size_t n, uint64_t offset)
{
    if (f->pieces)
        return read_pieces(f, to, n, offset);
    int fd = f->fd >= 0 ? f->fd : open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    size_t done = 0;
    while (fd >= 0 && done < n) {
        ssize_t got = pread(fd, (char *)to + done, n - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    if (fd >= 0 && fd != f->fd)
        close(fd);
    return done;
}

static void set_room(struct chunks *f, size_t room)
{
    f->window = grow_memory(f->window, room + CHUNK_SLACK);
    memset(f->window + room, 0, CHUNK_SLACK);
    f->room = room;
}

bool chunks_fetch(struct chunks *f, size_t n)
{
    size_t have = (size_t)(f->end - f->at);
    uint64_t offset = chunks_offset(f);
    uint64_t rest = f->chunk_end - offset;
    bool is_there = n <= rest;
    if (!is_there)
        n = (size_t)rest;
    if (f->packed || have >= n)
        return false;
    size_t used = (size_t)(f->at - f->window);
    if (n > f->room)
        set_room(f, n + n / 2);
    memmove(f->window, f->window + used, have);
    size_t want = f->room - have;
    if (want > rest - have)
        want = (size_t)rest - have;
    size_t got = read_at(f, f->window + have, want, offset + have);
    f->window_start = offset;
    f->at = f->window;
    f->end = f->window + have + got;
    return is_there && have + got >= n;
}

/* ---- chunks ---- */

/* The next block of a compressed file becomes the window. */
static bool unpack(struct chunks *f)
{
    struct otf2_zblock block = {0};
    const uint8_t *data = NULL;
    const struct otf2_zcodec *codec = otf2_zcodec_find();
    struct place at = {.file = f->name, .offset = f->walk.next_at, .has_offset = true};
    const char *wrong = otf2_zwalk_next(&f->walk, &block, &data);
    if (wrong) {
        found(f->verdict, RULE_BLOCK, at, "%s", wrong);
        return false;
    }
    if (!codec) {
        found(f->verdict, RULE_BLOCK, at, "this program was built without zlib");
        return false;
    }
    if (block.uncompressed > f->room)
        set_room(f, block.uncompressed);
    if (codec->unpack(data, block.compressed, f->window, block.uncompressed)) {
        found(f->verdict, RULE_BLOCK, at, "a block of %" PRIu32 " bytes cannot be unpacked",
              block.compressed);
        return false;
    }
    f->window_start = f->chunk_start;
    f->chunk_end = f->chunk_start + block.uncompressed;
    f->at = f->window;
    f->end = f->window + block.uncompressed;
    return true;
}

/* Sets the window to the begin of the current chunk; false when the file ends before. */
static bool enter_chunk(struct chunks *f)
{
    f->chunk_start = f->chunk * f->chunk_bytes;
    f->window_start = f->chunk_start;
    f->at = f->end = f->window;
    if (f->packed)
        return f->walk.next_at < f->walk.size ? unpack(f)
                                              : broken(f, RULE_FILE_CUT, "the file ends here");
    if (f->chunk_start >= f->file_bytes)
        return broken(f, RULE_FILE_CUT, "the file ends here");
    f->chunk_end = f->file_bytes - f->chunk_start > f->chunk_bytes ? f->chunk_start + f->chunk_bytes
                                                                   : f->file_bytes;
    return true;
}

static uint64_t number_at(const struct chunks *f, const uint8_t *at)
{
    struct otf2_wire_source s = {at, at + 8, f->is_swapped};
    return otf2_wire_load(&s, 8);
}

static bool read_header(struct chunks *f)
{
    if (!enter_chunk(f))
        return false;
    if (!chunks_want(f, CHUNK_HEADER_BYTES))
        return broken(f, RULE_FILE_CUT, "the file ends inside a chunk's header");
    if (f->at[0] != CONTROL_HEADER || (f->at[1] != OTF2_WIRE_LITTLE && f->at[1] != OTF2_WIRE_BIG))
        return broken(f, RULE_CHUNK_HEADER, "no chunk begins here");
    f->is_swapped = f->at[1] != OTF2_WIRE_HOST;
    uint64_t first = number_at(f, f->at + 2);
    uint64_t want = f->is_timed ? f->count + 1 : 1;
    f->last = number_at(f, f->at + 10);
    if (first != want)
        found(f->verdict, RULE_CHUNK_NUMBERS, chunks_place(f),
              "the chunk begins with record %" PRIu64 ", its header says %" PRIu64, want, first);
    f->at += CHUNK_HEADER_BYTES;
    if (f->is_timed && chunks_want(f, 1) && *f->at >= CONTROL_ATTRIBUTES)
        found(f->verdict, RULE_TIMESTAMP_FIRST, chunks_place(f), "the chunk begins with record %u",
              *f->at);
    return true;
}

static void check_last(struct chunks *f)
{
    uint64_t want = f->is_timed ? f->count : 0;
    if (f->last != want)
        found(f->verdict, RULE_CHUNK_NUMBERS, chunks_place(f),
              "the chunk ends with record %" PRIu64 ", its header says %" PRIu64, want, f->last);
}

/* Behind the end of a chunk all is zero, and another chunk follows. */
static bool end_chunk(struct chunks *f)
{
    check_last(f);
    while (chunks_want(f, 1)) {
        const uint8_t *at = f->at;
        while (at < f->end && *at == 0)
            at++;
        f->at = at;
        if (at < f->end) {
            broken(f, RULE_CHUNK_FILL, "a byte that is not 0 behind the end of the chunk");
            break;
        }
    }
    f->chunk++;
    return read_header(f);
}

/* Behind the end of file stands 01 and nothing else, if need be behind the chunk. */
static void end_file(struct chunks *f)
{
    uint8_t byte = 0;
    f->at++;
    check_last(f);
    uint64_t offset = chunks_offset(f);
    bool is_last;
    if (!f->packed) {
        is_last = read_at(f, &byte, 1, offset) == 1 && offset + 1 == f->file_bytes;
    } else if (chunks_want(f, 1)) {
        byte = *f->at;
        is_last = f->end - f->at == 1 && f->walk.next_at >= f->walk.size;
    } else {
        is_last = f->walk.next_at < f->walk.size && unpack(f) && f->end - f->at == 1 &&
                  f->walk.next_at >= f->walk.size;
        byte = is_last ? *f->at : byte;
    }
    if (!is_last || byte != CONTROL_BUFFER_END)
        found(f->verdict, RULE_FILE_END,
              (struct place){.file = f->name, .offset = offset, .has_offset = true},
              "behind the end of file stands not the one byte 01");
}

enum record_found chunks_next(struct chunks *f)
{
    for (;;) {
        if (!chunks_want(f, 1)) {
            broken(f, RULE_FILE_CUT,
                   f->chunk_end - f->chunk_start < f->chunk_bytes
                       ? "the file ends without end of file"
                       : "a chunk without an end");
            return RECORD_BROKEN;
        }
        if (*f->at == CONTROL_FILE_END) {
            end_file(f);
            return RECORD_END;
        }
        if (*f->at != CONTROL_CHUNK_END)
            return RECORD_FOUND;
        if (!end_chunk(f))
            return RECORD_BROKEN;
    }
}

bool chunks_frame(struct chunks *f, uint64_t *length)
{
    size_t field = 2;
    bool is_there = chunks_want(f, field);
    if (is_there && f->at[1] == OTF2_WIRE_LONG) {
        field = 10;
        is_there = chunks_want(f, field);
    }
    if (is_there) {
        *length = field == 2 ? f->at[1] : number_at(f, f->at + 2);
        is_there = *length < f->chunk_bytes && chunks_want(f, field + (size_t)*length);
    }
    if (!is_there)
        return broken(f,
                      f->chunk_end - f->chunk_start < f->chunk_bytes ? RULE_FILE_CUT
                                                                     : RULE_RECORD_BYTES,
                      "a record leaves its chunk");
    f->at += field;
    return true;
}

/* ---- files ---- */

static bool load_packed(struct chunks *f)
{
    size_t n = (size_t)f->file_bytes;
    f->packed = take_memory(n + 1);
    f->walk = (struct otf2_zwalk){.bytes = f->packed, .size = n, .chunk_bytes = f->chunk_bytes};
    return read_at(f, f->packed, n, 0) == n;
}

/* Where the bytes are, and how many. False: that was reported, but not that there are none. */
static bool find_bytes(struct chunks *f, bool *is_missing)
{
    struct stat status;
    *is_missing = false;
    if (f->pieces) {
        f->file_bytes = f->pieces->bytes;
        return true;
    }
    f->fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    *is_missing = f->fd < 0 && errno == ENOENT;
    if (f->fd < 0 || fstat(f->fd, &status) || !S_ISREG(status.st_mode)) {
        if (!*is_missing)
            found(f->verdict, RULE_FILE_MISSING, (struct place){.file = f->name}, "cannot be read");
        return false;
    }
    f->file_bytes = (uint64_t)status.st_size;
    return true;
}

bool chunks_open(struct chunks *f, struct verdict *verdict, const char *dir, const char *name,
                 const struct chunks_options *how, bool *is_missing)
{
    size_t bytes = strlen(dir) + strlen(name) + 2;
    *f = (struct chunks){.verdict = verdict,
                         .fd = -1,
                         .is_timed = how->is_timed,
                         .chunk_bytes = how->chunk_bytes,
                         .pieces = how->pieces};
    f->path = take_memory(bytes);
    (void)snprintf(f->path, bytes, "%s/%s", dir, name);
    f->name = f->path + strlen(dir) + 1;
    if (!find_bytes(f, is_missing)) {
        chunks_close(f);
        return false;
    }
    set_room(f, f->file_bytes < how->window_bytes ? (size_t)f->file_bytes + CHUNK_SLACK
                                                  : how->window_bytes);
    bool is_good = !how->is_packed || load_packed(f);
    is_good = is_good && read_header(f);
    if (!how->stays_open && f->fd >= 0) {
        close(f->fd);
        f->fd = -1;
    }
    if (!is_good)
        chunks_close(f);
    return is_good;
}

void chunks_close(struct chunks *f)
{
    if (f->fd >= 0)
        close(f->fd);
    free(f->window);
    free(f->packed);
    free(f->path);
    f->fd = -1;
    f->window = f->packed = NULL;
    f->path = NULL;
    f->name = "";
    f->at = f->end = NULL;
}
