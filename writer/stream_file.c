/* SPDX-License-Identifier: BSD-3-Clause */
#include "writer/stream_file.h"

#include <string.h>

#include "format/error.h"
#include "format/frame.h"
#include "format/memory.h"
#include "writer/archive_state.h"
#include "writer/chunk.h"
#include "writer/file.h"

enum { PATH_BYTES = 4096 };

void otf2_stream_put_header(const struct otf2_stream *s, uint8_t *chunk, uint64_t first,
                            uint64_t last)
{
    otf2_chunk_put_header(chunk, s->is_timed ? first : 1, s->is_timed ? last : 0);
}

/* False when the path is too long. */
static bool file_of(const struct otf2_stream *s, char path[PATH_BYTES])
{
    static const char ending[] = ".new";
    if (!otf2_archive_file(s->archive, s->type, s->location, path, PATH_BYTES - sizeof ending))
        return false;
    if (s->is_replacing)
        memcpy(path + strlen(path), ending, sizeof ending);
    return true;
}

bool otf2_stream_is_nowhere(const struct otf2_stream *s)
{
    return s->type == OTF2_FILETYPE_EVENTS && s->location == OTF2_UNDEFINED_LOCATION;
}

static OTF2_ErrorCode refuse_nowhere(void)
{
    return OTF2_FAIL(OTF2_ERROR_INTEGRITY_FAULT, "a writer has no location to write to");
}

static OTF2_ErrorCode path_of(const struct otf2_stream *s, char *path)
{
    if (otf2_stream_is_nowhere(s))
        return refuse_nowhere();
    if (!file_of(s, path))
        return OTF2_FAIL(OTF2_ERROR_ENAMETOOLONG, "%s: path too long", s->archive->path);
    return OTF2_SUCCESS;
}

/* Where the chunks so far end, whichever form the file has. */
static int write_file(struct otf2_stream *s, const char *path, const struct otf2_bytes *parts,
                      size_t n)
{
    if (s->held.is_used)
        return otf2_held_write(&s->held, s->archive, s->type, s->location, s->chunk_bytes, parts,
                               n);
    if (s->blocks.is_used)
        return otf2_blocks_write(&s->blocks, s->archive->files, path, s->chunk_bytes, parts, n);
    return otf2_file_write(s->archive->files, path, s->n_filed * s->chunk_bytes, parts, n);
}

OTF2_ErrorCode otf2_stream_write(struct otf2_stream *s, const struct otf2_bytes *parts, size_t n)
{
    if (s->archive->substrate == OTF2_SUBSTRATE_NONE)
        return otf2_stream_is_nowhere(s) ? refuse_nowhere() : OTF2_SUCCESS;
    if (!s->archive->is_ready)
        return OTF2_FAIL(OTF2_ERROR_INTEGRITY_FAULT, "%s: not before the collective callbacks",
                         s->archive->path);
    char path[PATH_BYTES];
    OTF2_ErrorCode error = path_of(s, path);
    if (error)
        return error;
    int err = s->is_replacing && !s->n_filed ? otf2_file_make(s->archive->files, path) : 0;
    if (!err)
        err = write_file(s, path, parts, n);
    return err ? OTF2_FAIL(otf2_error_from_errno(-err), "%s: cannot write", path) : OTF2_SUCCESS;
}

bool otf2_stream_is_written(struct otf2_stream *s, const struct otf2_bytes *part)
{
    char path[PATH_BYTES];
    return file_of(s, path) &&
           (s->archive->substrate == OTF2_SUBSTRATE_NONE || write_file(s, path, part, 1) == 0);
}

static OTF2_ErrorCode end_held(struct otf2_stream *s)
{
    int err = otf2_held_end(&s->held, s->archive, s->type, s->location);
    return err ? OTF2_FAIL(otf2_error_from_errno(-err), "%s/%s: cannot write to its container",
                           s->archive->path, s->archive->name)
               : OTF2_SUCCESS;
}

OTF2_ErrorCode otf2_stream_write_end(struct otf2_stream *s)
{
    struct otf2_evt_cursor *c = s->cursor;
    uint8_t header[OTF2_FRAME_HEADER_BYTES];
    const uint8_t end[] = {OTF2_FRAME_END_OF_FILE, OTF2_FRAME_END_OF_BUFFER};
    struct otf2_bytes parts[] = {{header, sizeof header}, {end, sizeof end}};
    if (c->chunk) {
        if (s->is_timed)
            otf2_chunk_put_last(c->chunk, c->events);
        parts[0] = (struct otf2_bytes){c->chunk, (size_t)(c->pos - c->chunk)};
    } else {
        otf2_stream_put_header(s, header, c->events + 1, c->events);
    }
    OTF2_ErrorCode error = otf2_stream_write(s, parts, s->is_bare ? 1 : 2);
    return !error && s->held.is_used ? end_held(s) : error;
}

void otf2_stream_cut(struct otf2_stream *s)
{
    char path[PATH_BYTES];
    if (s->held.is_used) { /* what is a record already had the program's consent */
        s->held.n = 0;
        return;
    }
    if (s->n_filed > s->n_agreed && path_of(s, path) == OTF2_SUCCESS) {
        if (s->blocks.is_used)
            otf2_blocks_cut(&s->blocks, s->archive->files, path);
        else
            (void)otf2_file_cut(s->archive->files, path, s->n_agreed * s->chunk_bytes);
    }
    s->n_filed = s->n_agreed;
}

void otf2_stream_end_early(struct otf2_stream *s)
{
    char path[PATH_BYTES];
    const uint8_t end = OTF2_FRAME_END_OF_FILE;
    struct otf2_bytes mark = {&end, sizeof end};
    struct otf2_chunk_content content;
    if (s->type != OTF2_FILETYPE_EVENTS || s->archive->substrate != OTF2_SUBSTRATE_POSIX ||
        !s->archive->is_ready || path_of(s, path))
        return;
    if (s->is_adopted) { /* the next adoption continues where the other writer has stopped */
        (void)otf2_file_cut(s->archive->files, path, s->n_agreed * s->chunk_bytes);
        return;
    }
    if (s->blocks.is_used) {
        otf2_blocks_end_early(&s->blocks, s->archive->files, path, s->chunk_bytes);
        return;
    }
    if (otf2_file_cut(s->archive->files, path, s->n_filed * s->chunk_bytes) || !s->n_filed)
        return;
    uint64_t at = (s->n_filed - 1) * s->chunk_bytes;
    uint8_t *chunk = otf2_mem_new(s->chunk_bytes);
    if (chunk && !otf2_file_read(s->archive->files, path, at, chunk, s->chunk_bytes) &&
        otf2_chunk_walk(chunk, s->chunk_bytes, &content))
        (void)otf2_file_write(s->archive->files, path, at + content.used, &mark, 1);
    otf2_mem_free(chunk);
}

OTF2_ErrorCode otf2_stream_drop(const struct otf2_stream *s, OTF2_ErrorCode error)
{
    char path[PATH_BYTES];
    if (s->archive->substrate != OTF2_SUBSTRATE_NONE && file_of(s, path))
        (void)otf2_file_cut(s->archive->files, path, 0);
    return error;
}

OTF2_ErrorCode otf2_stream_replace(const struct otf2_stream *s)
{
    char path[PATH_BYTES];
    char old[PATH_BYTES];
    if (s->archive->substrate == OTF2_SUBSTRATE_NONE || !file_of(s, path))
        return OTF2_SUCCESS;
    (void)otf2_archive_file(s->archive, s->type, s->location, old, sizeof old);
    int err = s->archive->files->rename(path, old);
    return err ? OTF2_FAIL(otf2_error_from_errno(-err), "%s: cannot replace it", old)
               : OTF2_SUCCESS;
}
