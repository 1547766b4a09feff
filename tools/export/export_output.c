/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/export/export_output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/base/part_file.h"
#include "tools/base/stream_fault.h"
#include "tools/export/export_formats.h"

enum { BUFFER_BYTES = 1 << 20, SINK_BYTES = 1 << 16 };

static const char *part;
static char **part_files; /* NULL at its end: what lies in it, if it is a directory */

static void remove_part(void)
{
    if (!part)
        return;
    for (char **file = part_files; file && *file; file++)
        unlink(*file);
    if (part_files)
        rmdir(part);
    else
        unlink(part);
}

static void on_signal(int number)
{
    remove_part();
    signal(number, SIG_DFL);
    raise(number);
}

static void keep_in_mind(const char *path)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    part = path;
    atexit(remove_part);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (signal(ends[i], on_signal) == SIG_IGN)
            signal(ends[i], SIG_IGN);
}

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
        x->part = make_text("%s.part-%ld", x->wish.output, (long)getpid());
        /* A file that others put there is not followed. */
        int fd = open(x->part, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
        if (fd < 0)
            fail("%s: %s", x->part, strerror(errno));
        keep_in_mind(x->part);
        if (part_file_made)
            part_file_made(x->part);
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

void output_open_directory(struct export *x, const char *const *names, size_t n)
{
    size_t room = 0;
    if (x->is_share)
        return;
    char **files = list_grow(NULL, &room, n + 1, sizeof *files);
    if (access(x->wish.output, F_OK) == 0)
        fail("%s: it is there already", x->wish.output);
    x->part = make_text("%s.part-%ld", x->wish.output, (long)getpid());
    for (size_t i = 0; i < n; i++)
        files[i] = make_text("%s/%s.csv", x->part, names[i]);
    if (mkdir(x->part, 0777))
        fail("%s: %s", x->part, strerror(errno));
    part_files = files;
    keep_in_mind(x->part);
}

FILE *output_file(struct export *x, size_t i, const char *name)
{
    if (x->is_share)
        return open_sink(&x->sinks[i]);
    char *path = make_text("%s/%s.csv", x->part, name);
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
        fault = x->part ? stream_end(x->out) : stream_fault(x->out);
    if (!fault && x->part && rename(x->part, x->wish.output))
        fault = strerror(errno);
    if (fault)
        fail("%s: %s", name, fault);
    part = NULL;
}
