/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/export/export_output.h"

#include <errno.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/base/part_file.h"
#include "tools/base/stream_fault.h"
#include "tools/export/export_formats.h"

enum { BUFFER_BYTES = 1 << 20, SINK_BYTES = 1 << 16 };

/* ---- what waits for its turn ---- */

static ssize_t write_sink(void *cookie, const char *bytes, size_t n)
{
    struct sink *sink = cookie;
    engine_add(&sink->bytes, bytes, n);
    return (ssize_t)n;
}

static FILE *open_sink(struct sink *sink)
{
    sink->file = there(fopencookie(sink, "w", (cookie_io_functions_t){.write = write_sink}));
    setvbuf(sink->file, NULL, _IOFBF, SINK_BYTES);
    (void)__fsetlocking(sink->file, FSETLOCKING_BYCALLER);
    return sink->file;
}

void output_take(struct export *x, struct engine_bytes *bytes)
{
    for (uint32_t i = 0; i < STREAMS_MAX; i++) {
        struct sink *sink = &x->sinks[i];
        if (sink->file)
            (void)fflush(sink->file);
        struct frame frame = {.stream = i, .n = sink->bytes.n};
        if (bytes && frame.n) {
            engine_add(bytes, &frame, sizeof frame);
            engine_add(bytes, sink->bytes.at, sink->bytes.n);
        }
        sink->bytes.n = 0;
    }
}

void output_put(struct export *x, const char *bytes, size_t n)
{
    struct frame frame;
    for (size_t at = 0; at < n; at += sizeof frame + frame.n) {
        memcpy(&frame, bytes + at, sizeof frame);
        const char *text = bytes + at + sizeof frame;
        if (x->wish.format->put)
            x->wish.format->put(x, text, frame.n);
        else
            (void)fwrite(text, 1, frame.n, x->streams[frame.stream]);
    }
}

/* ---- files ---- */

void output_open(struct export *x, bool has_stream)
{
    x->out = stdout;
    if (x->is_share) {
        x->out = has_stream ? open_sink(&x->sinks[0]) : NULL;
        return;
    }
    if (x->wish.output) {
        if (!has_stream && !part_file_is_new(x->wish.output))
            fail("%s: is no regular file, as --to %s needs", x->wish.output, x->wish.format->name);
        int fd = part_file_open(x->wish.output);
        x->out = has_stream ? fdopen(fd, "w") : NULL;
        if (!has_stream)
            close(fd);
        else if (!x->out)
            fail("no memory");
    }
    if (x->out)
        setvbuf(x->out, NULL, _IOFBF, BUFFER_BYTES);
    x->streams[0] = x->out;
}

void output_open_directory(const struct export *x, const char *const *names, size_t n)
{
    if (!x->is_share)
        part_file_open_directory(x->wish.output, names, n, ".csv");
}

FILE *output_file(struct export *x, size_t i, const char *name)
{
    if (x->is_share)
        return open_sink(&x->sinks[i]);
    char *path = make_text("%s/%s.csv", part_file_path(), name);
    FILE *file = fopen(path, "wxe");
    if (!file)
        fail("%s: %s", path, strerror(errno));
    free(path);
    x->streams[i] = file;
    return file;
}

void output_close(struct export *x)
{
    const char *name = x->wish.output ? x->wish.output : "standard output";
    const char *fault = NULL;
    if (x->out)
        fault = x->wish.output ? stream_end(x->out) : stream_fault(x->out);
    if (!fault && !part_file_done())
        fault = strerror(errno);
    if (fault)
        fail("%s: %s", name, fault);
}
