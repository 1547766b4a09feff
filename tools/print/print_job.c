/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/print/print_job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/base/complaint.h"
#include "tools/base/fail.h"
#include "tools/base/list.h"
#include "tools/base/part_file.h"
#include "tools/base/progress.h"
#include "tools/engine/engine.h"
#include "tools/print/print_options.h"
#include "tools/print/print_output.h"
#include "tools/print/print_slices.h"
#include "tools/print/print_workers.h"

/* The notes of ranks about a slice. Complaints and texts go to the first rank only. */
enum kind { COMPLAINT, TEXT, LENGTH, OVER };

enum {
    NOTE_BYTES = 255 * sizeof(uint64_t),
    ROUND = 1 << 15 /* events: their text should not leave the cache */
};

/* How a rank ends. */
struct over {
    uint64_t n_read;
    int64_t code; /* of the fault in an own slice */
    uint64_t has_failed;
};

/* The text of an own slice, waiting for the text's place in the file. */
struct waiting {
    uint64_t slice;
    uint64_t n; /* bytes */
    uint64_t at;
    char *text;
    bool is_buffer; /* of the output */
};

struct job {
    OTF2_GlobalEvtReader *events;
    int file; /* of the present rank; -1: the first rank writes for all */
    const char *name;
    OTF2_ErrorCode code; /* of the slice that no rank could read to the end */
    uint64_t n_read;
    uint64_t position; /* in the file, behind the slices taken so far */
    bool is_over;      /* there are no more */
    bool differs;      /* between ranks */
    int error;         /* errno of the present rank's failed write */
    unsigned n_over;
};

/* A rank. */
struct share {
    struct job *job;
    struct engine *engine;
    struct slices slices;
    uint32_t n_told; /* of a slice */
    bool is_read;
    struct over over;
    struct engine_bytes text; /* of the slice being read, if the buffer has no room for the text */
    LIST(struct waiting) own; /* slices, in their order */
    size_t n_placed;          /* so many have their place */
    LIST(char *) buffers;     /* free buffers */
};

/* ---- telling ---- */

static void tell(struct share *s, enum kind kind, uint64_t slice, const void *data, size_t n)
{
    uint64_t words[NOTE_BYTES / sizeof(uint64_t)] = {n};
    struct engine_note note = {.time = slice,
                               .location = s->engine->rank + 1,
                               .steps = {s->n_told++},
                               .kind = (uint16_t)kind,
                               .stage = 1};
    note.words = (uint8_t)(1 + (n + sizeof *words - 1) / sizeof *words);
    memcpy(words + 1, data, n);
    /* An OVER in front of a slice comes before all notes about the slice. */
    if (kind == OVER)
        note.location = s->over.has_failed && !s->over.code ? 0 : UINT32_MAX;
    engine_queue(s->engine, kind == COMPLAINT || kind == TEXT ? 0 : ENGINE_ALL, &note, words);
}

static void tell_text(struct share *s, const char *text, uint64_t n)
{
    enum { EACH = NOTE_BYTES - sizeof(uint64_t) };
    for (uint64_t at = 0; at < n; at += EACH)
        tell(s, TEXT, s->slices.number, text + at, n - at < EACH ? n - at : EACH);
}

static void free_text(struct share *s, const struct waiting *w)
{
    if (w->is_buffer)
        *LIST_ADD(&s->buffers) = w->text;
    else
        free(w->text);
}

/*
 * The slice takes over its text. If the whole text is in the buffer, the slice takes the buffer as
 * well.
 */
static struct waiting take_slice(struct share *s)
{
    struct waiting w = {.slice = s->slices.number, .is_buffer = !s->text.n};
    size_t n;
    if (w.is_buffer) {
        char *other = s->buffers.n ? s->buffers.at[--s->buffers.n]
                                   : grow_memory(NULL, slices_room(&s->slices));
        w.text = output_exchange(other, &n);
        w.n = n;
        return w;
    }
    output_flush();
    w.text = s->text.at;
    w.n = s->text.n;
    s->text = (struct engine_bytes){0};
    return w;
}

static void tell_slice(struct share *s)
{
    struct waiting w = take_slice(s);
    if (s->job->file < 0) {
        tell_text(s, w.text, w.n);
        free_text(s, &w);
        return;
    }
    tell(s, LENGTH, w.slice, &w.n, sizeof w.n);
    *LIST_ADD(&s->own) = w;
}

static void tell_over(struct share *s, uint64_t slice)
{
    s->is_read = true;
    s->over.n_read = s->slices.n_read;
    tell(s, OVER, slice, &s->over, sizeof s->over);
}

/* The first rank reports the faults in a rank's own slices, in the turn of the slice. */
static struct share *speaker;

__attribute__((format(printf, 6, 0))) static OTF2_ErrorCode
on_error(void *user, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
         const char *format, va_list va)
{
    enum { MOST = NOTE_BYTES - sizeof(uint64_t) };
    (void)user, (void)file, (void)line, (void)function;
    if (!speaker || !complaint_is_news(code))
        return code;
    char *text = there(complaint_line(options.path, code, format, va));
    size_t bytes = strlen(text);
    if (bytes > MOST) {
        bytes = MOST;
        text[MOST - 1] = '\n';
    }
    tell(speaker, COMPLAINT, speaker->slices.number, text, bytes);
    free(text);
    return code;
}

/* ---- reading ---- */

static void take_text(void *context, const char *bytes, size_t n)
{
    struct share *s = context;
    engine_add(&s->text, bytes, n);
}

static void *begin(void *context, struct engine *engine)
{
    struct job *job = context;
    struct share *s = take_memory(sizeof *s);
    s->job = job;
    s->engine = engine;
    s->slices = slices_begin(job->events);
    if (!output_open(slices_room(&s->slices)))
        fail("no memory");
    output_redirect((struct output_way){take_text, s});
    return s;
}

static void write_at(struct job *job, const char *from, uint64_t n, uint64_t at)
{
    while (n && !job->error) {
        ssize_t done = pwrite(job->file, from, n, (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            job->error = done < 0 ? errno : EIO;
            return;
        }
        from += done;
        at += (uint64_t)done;
        n -= (uint64_t)done;
    }
}

static void write_placed(struct share *s)
{
    for (size_t i = 0; i < s->n_placed; i++) {
        write_at(s->job, s->own.at[i].text, s->own.at[i].n, s->own.at[i].at);
        free_text(s, &s->own.at[i]);
    }
    if (!s->n_placed)
        return;
    s->own.n -= s->n_placed;
    memmove(s->own.at, s->own.at + s->n_placed, s->own.n * sizeof *s->own.at);
    s->n_placed = 0;
}

static void read_slice(struct share *s)
{
    bool is_mine = s->slices.number % s->engine->size == s->engine->rank;
    speaker = is_mine ? s : NULL;
    s->n_told = 0;
    if (!slices_next(&s->slices)) {
        tell_over(s, s->slices.number);
        return;
    }
    OTF2_ErrorCode code = slices_read(&s->slices, is_mine);
    if (is_mine)
        tell_slice(s);
    if (code) {
        s->over.has_failed = true;
        s->over.code = is_mine ? code : 0;
        tell_over(s, s->slices.number + !is_mine);
    }
    s->slices.number++;
}

/* Half of the ranks write first while the other half makes text: one file has only one lock. */
static bool read_on(void *state, uint64_t most, uint64_t *n)
{
    struct share *s = state;
    uint64_t end = s->slices.n_read + most * s->engine->size;
    uint64_t before = s->slices.n_read;
    if (s->engine->rank % 2)
        write_placed(s);
    if (s->job->error && !s->is_read) {
        s->over.has_failed = true;
        tell_over(s, s->slices.number);
    }
    while (!s->is_read && !s->job->is_over && s->slices.n_read < end)
        read_slice(s);
    if (s->engine->rank % 2 == 0)
        write_placed(s);
    *n = (s->slices.n_read - before) / s->engine->size;
    return !s->is_read && !s->job->is_over;
}

static uint64_t reached(const void *state)
{
    const struct share *s = state;
    return s->slices.number;
}

/* ---- notes that all ranks take in the order of slices ---- */

static void place(struct share *s, uint64_t slice, uint64_t n)
{
    struct job *job = s->job;
    if (s->n_placed < s->own.n && s->own.at[s->n_placed].slice == slice)
        s->own.at[s->n_placed++].at = job->position;
    job->position += n;
}

static void take_over(struct job *job, const struct over *over)
{
    if (!job->is_over) {
        job->code = (OTF2_ErrorCode)over->code;
        job->n_read = over->n_read;
    }
    job->differs = job->differs || over->has_failed || over->n_read != job->n_read;
    job->is_over = true;
    job->n_over++;
}

static void take(void *state, const struct engine_note *note, const void *data)
{
    struct share *s = state;
    const char *bytes = (const char *)data + sizeof(uint64_t);
    struct over over;
    uint64_t n, length;
    memcpy(&n, data, sizeof n);
    if (note->kind == OVER) {
        memcpy(&over, bytes, sizeof over);
        take_over(s->job, &over);
    } else if (s->job->is_over) {
        return; /* the slice is behind an unreadable slice */
    } else if (note->kind == LENGTH) {
        memcpy(&length, bytes, sizeof length);
        place(s, note->time, length);
    } else if (note->kind == TEXT) {
        output_write(bytes, n);
    } else {
        progress_clear();
        (void)complaint_is_news(OTF2_ERROR_INVALID_DATA); /* marked as told: no second line */
        (void)fwrite(bytes, 1, n, stderr);
    }
}

static void end(void *state, unsigned stage)
{
    if (stage == 1)
        write_placed(state);
}

static void finish(void *state)
{
    struct share *s = state;
    output_redirect((struct output_way){NULL, NULL});
    for (size_t i = 0; i < s->own.n; i++)
        free_text(s, &s->own.at[i]);
    for (size_t i = 0; i < s->buffers.n; i++)
        free(s->buffers.at[i]);
    free(s->buffers.at);
    free(s->own.at);
    free(s);
}

/* ---- all ranks ---- */

bool job_is_of_use(void)
{
    const struct options *o = &options;
    bool is_part =
        o->info || o->thumbnails || o->global_definitions || o->mappings || o->clock_offsets;
    return engine_has_ranks() && o->output && !o->silent && !o->system_tree &&
           o->step == UINT64_MAX && (o->all || !is_part);
}

/* Whether all ranks can write to the file made by the first rank. */
static void open_file(struct job *job)
{
    job->position = engine_told(output_position());
    job->name = part_file_name(options.output, (long)engine_told((uint64_t)getpid()));
    job->file = open(job->name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    bool can_write = job->file >= 0 && (!engine_is_first() || part_file_path());
    if (engine_least(can_write))
        return;
    if (job->file >= 0)
        (void)close(job->file);
    job->file = -1;
}

OTF2_ErrorCode job_print(OTF2_GlobalEvtReader *events, uint64_t *n)
{
    static const struct engine_analysis analysis = {.n_stages = 1,
                                                    .begin = begin,
                                                    .read = read_on,
                                                    .reached = reached,
                                                    .take = take,
                                                    .end = end,
                                                    .finish = finish};
    struct job job = {.events = events};
    unsigned size = engine_workers(&(struct engine_how){0});
    open_file(&job);
    OTF2_ErrorCallback before = OTF2_Error_RegisterCallback(on_error, NULL);
    progress_begin(workers_events());
    engine_run(&analysis, &job, &(struct engine_how){.round = ROUND, .goes_on = true});
    progress_end();
    OTF2_Error_RegisterCallback(before, NULL);
    if (job.file >= 0 && close(job.file) && !job.error)
        job.error = errno;
    /* The first rank reports the error, and removes the file. */
    uint64_t error = engine_least(job.error ? (uint64_t)job.error : UINT64_MAX);
    engine_leave();
    if (error != UINT64_MAX)
        fail("%s: %s", options.output, strerror((int)error));
    if (job.file >= 0)
        output_go_to(job.position);
    if (!job.code && (job.differs || job.n_over != size))
        fail("%s: the ranks have read different events: is it being written?", options.path);
    *n = job.n_read;
    return job.code;
}
