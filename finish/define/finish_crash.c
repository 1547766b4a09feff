/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where processes crashed, in words: what the agent has noted of it (agent/process/crash.h), with
 * the names that were found for its code, as properties of the process.
 */
#include "finish/define/finish_crash.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/mem.h"
#include "finish/define/finish_define.h"
#include "finish/find/finish_find.h"

enum { FRAME_BYTES = 2048, TEXT_BYTES = 32 << 10, WORDS_BYTES = 160, NUMBER_BYTES = 32 };

/* ---- why ---- */

struct cause {
    uint32_t signal;
    int code;
    const char *words; /* one that ends with a blank goes on with the address */
};

static const struct cause causes[] = {
    {SIGSEGV, SEGV_MAPERR, "nothing is mapped at "},
    {SIGSEGV, SEGV_ACCERR, "no permission for such an access to "},
    {SIGSEGV, SI_KERNEL, "an address that no program can have"},
    {SIGBUS, BUS_ADRALN, "wrong alignment of "},
    {SIGBUS, BUS_ADRERR, "beyond the end of a mapped file, at "},
    {SIGBUS, BUS_OBJERR, "failed memory at "},
    {SIGFPE, FPE_INTDIV, "integer division by zero"},
    {SIGFPE, FPE_INTOVF, "integer overflow"},
    {SIGFPE, FPE_FLTDIV, "floating-point division by zero"},
    {SIGFPE, FPE_FLTOVF, "floating-point overflow"},
    {SIGFPE, FPE_FLTUND, "floating-point underflow"},
    {SIGFPE, FPE_FLTRES, "inexact floating-point result"},
    {SIGFPE, FPE_FLTINV, "invalid floating-point operation"},
    {SIGILL, ILL_ILLOPC, "not an instruction of this processor"},
    {SIGILL, ILL_ILLOPN, "not an instruction of this processor"},
};

static void tell_cause(const struct spur_crash *crash, char *text, size_t size)
{
    text[0] = '\0';
    if (crash->code <= 0 && crash->signal != SIGABRT)
        snprintf(text, size, "sent by a process");
    for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++) {
        const struct cause *cause = &causes[i];
        if (cause->signal != crash->signal || cause->code != crash->code)
            continue;
        bool goes_on = cause->words[strlen(cause->words) - 1] == ' ';
        snprintf(text, size, goes_on ? "%s0x%llx" : "%s", cause->words,
                 (unsigned long long)crash->address);
    }
}

/* ---- where ---- */

struct telling {
    struct finish *f;
    struct finish_process *p;
    const struct finish_frames *frames;
    char text[TEXT_BYTES]; /* a frame a line, the innermost first */
    size_t used, kept;     /* kept: up to the outermost frame that counts */
    char place[WORDS_BYTES];
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* What starts programs and threads, and what programs abort by. */
static bool is_system(const char *path)
{
    const char *name = base_name(path);
    return strncmp(name, "libc.so", strlen("libc.so")) == 0 ||
           strncmp(name, "libpthread", strlen("libpthread")) == 0 ||
           strncmp(name, "ld-linux", strlen("ld-linux")) == 0;
}

static void add_frame(struct telling *t, uint32_t code, const struct finish_frame *frame)
{
    char line[FRAME_BYTES], address[FRAME_BYTES / 2];
    const char *path = finish_code_path(t->f, code);
    bool is_outside = is_system(path) || strcmp(frame->function, "_start") == 0;
    finish_code_address(t->f, code, 0, address, sizeof address);
    int n = frame->line ? snprintf(line, sizeof line, "%s at %s:%u\n", frame->function, frame->file,
                                   frame->line)
            : frame->function[0] ? snprintf(line, sizeof line, "%s in %s\n", frame->function, path)
                                 : snprintf(line, sizeof line, "%s\n", address);
    if (n < 0 || (size_t)n >= sizeof line || t->used + (size_t)n >= sizeof t->text)
        return;
    memcpy(t->text + t->used, line, (size_t)n + 1);
    t->used += (size_t)n;
    if (is_outside)
        return;
    t->kept = t->used;
    if (t->place[0])
        return;
    if (frame->line)
        snprintf(t->place, sizeof t->place, "in %.80s (%.40s:%u)", frame->function,
                 base_name(frame->file), frame->line);
    else
        snprintf(t->place, sizeof t->place, "in %.120s",
                 frame->function[0] ? frame->function : address);
}

static void add_frames(struct telling *t)
{
    const struct spur_crash *crash = &t->p->head.crash;
    struct finish_frame frame;
    for (uint32_t i = 0; i < crash->frames && i < SPUR_CRASH_FRAMES; i++) {
        uint32_t code = spur_map_get(&t->p->map, SPUR_SPACE_CODE, crash->frame[i]);
        bool is_known = finish_frames_get(t->frames, code, 0, &frame);
        if (!is_known) {
            frame = (struct finish_frame){.function = "", .file = "", .source = ""};
            add_frame(t, code, &frame);
        }
        for (uint32_t depth = 1; is_known; depth++) {
            add_frame(t, code, &frame);
            is_known = finish_frames_get(t->frames, code, depth, &frame);
        }
    }
    if (t->kept) /* else it is a crash at home: all is told */
        t->used = t->kept;
    t->text[t->used ? t->used - 1 : 0] = '\0';
}

static void add(struct finish *f, struct finish_process *p, const char *name, const char *value)
{
    if (value[0] && p->n_properties < FINISH_PROPERTIES)
        p->property[p->n_properties++] =
            (struct finish_property){spur_unify_string(f->unify, name),
                                     spur_unify_string(f->unify, value)};
}

static void tell(struct telling *t)
{
    struct finish *f = t->f;
    struct finish_process *p = t->p;
    const struct spur_crash *crash = &p->head.crash;
    char text[WORDS_BYTES] = "";
    tell_cause(crash, text, sizeof text);
    add(f, p, "CRASH_CAUSE", text);
    snprintf(text, sizeof text, "%d", crash->tid);
    add(f, p, "CRASH_THREAD_ID", text);
    text[0] = '\0';
    for (uint64_t i = 0; i < p->n_threads; i++)
        if (p->threads[i].number == crash->thread)
            snprintf(text, sizeof text, "%llu",
                     (unsigned long long)finish_location_id(p, &p->threads[i]));
    add(f, p, "CRASH_LOCATION", text);
    add_frames(t);
    add(f, p, "CRASH_STACK", t->text);
    add(f, p, "CRASH_PLACE", t->place);
    p->crashed_in = t->place[0] ? spur_unify_string(f->unify, t->place) : OTF2_UNDEFINED_STRING;
}

void finish_crashes(struct finish *f, const struct finish_frames *frames)
{
    for (uint64_t i = 0; i < f->n_processes; i++) {
        struct finish_process *p = f->process[i];
        p->crashed_in = OTF2_UNDEFINED_STRING;
        if (!finish_has_crashed(p))
            continue;
        struct telling *t = spur_mem_new(sizeof *t);
        if (!t)
            continue;
        t->f = f;
        t->p = p;
        t->frames = frames;
        tell(t);
        spur_mem_free(t, sizeof *t);
    }
}
