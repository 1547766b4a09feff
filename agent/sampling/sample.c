/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/sampling/sample.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/definitions/definitions.h"
#include "agent/metrics/metrics.h"
#include "agent/metrics/perf_opening.h"
#include "agent/record/open.h"
#include "agent/sampling/sample_signal.h"
#include "agent/sampling/sample_source.h"
#include "agent/sampling/sample_write.h"
#include "agent/stacks/cfi.h"
#include "agent/stacks/cfi_walk.h"
#include "agent/stacks/context.h"
#include "agent/stacks/stack.h"
#include "agent/state/event_clock.h"
#include "agent/state/identity.h"
#include "agent/state/settings.h"
#include "agent/state/state.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/own_stack.h"
#include "base/processor.h"
#include "base/system_words.h"
#include "session/properties.h"
#include "writer/evt_inline.h"

enum { FRAMES = 1024, TIMES_MAX = 64 };

/* The state of a thread for its samples. */
struct sampler {
    struct spur_sample_source source;
    int pid;       /* of the process that owns the sampler */
    uint32_t last; /* context of a sample */
    uint64_t told; /* expirations */
    struct spur_sample_hold hold;
    struct spur_stack_window window;
    const void *frame[FRAMES];
};

static struct {
    enum spur_sample_kind kind; /* of new threads; OFF: no thread is sampled */
    const char *why;
    bool has_stacks;
    uintptr_t text, text_bytes; /* of the agent */
    _Atomic uint64_t taken, merged, lost;
} sampling;

static _Thread_local struct sampler *own;

static void count(_Atomic uint64_t *counter, uint64_t n)
{
    atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

/* ---- the place of a sample ---- */

static void count_written(uint32_t written, uint32_t times)
{
    count(&sampling.taken, written);
    count(&sampling.lost, times - written);
}

static void write_held(struct spur_loc *loc, uint64_t latest)
{
    uint32_t times;
    uint32_t written = own ? spur_sample_write_held(&own->hold, loc, latest, &times) : 0;
    if (own)
        count_written(written, times);
}

/* The innermost open context, if there is an open context. */
static uint32_t open_context(struct spur_loc *loc)
{
    if (spur_loc_has_places(loc))
        return spur_stack_open_context(loc);
    uint32_t depth = loc->slot->depth;
    uint32_t word = depth ? spur_open_word(loc, depth - 1) : 0;
    bool is_context = (word & ~(uint32_t)SPUR_OPEN_ID) == (uint32_t)SPUR_OPEN_CONTEXT;
    return is_context ? word & SPUR_OPEN_ID : OTF2_UNDEFINED_CALLING_CONTEXT;
}

static bool is_agent(const void *address)
{
    return (uintptr_t)address - sampling.text < sampling.text_bytes;
}

/*
 * The context of a stack with unknown outer end. The open regions have their context already, with
 * their callers. So all frames of the stack come below the open context, without the agent's own
 * frames. During a wrapped call only the frames inside of the call count.
 */
static uint32_t context_of_part(struct spur_loc *loc, const void **frame, uint32_t n)
{
    uint32_t open = open_context(loc);
    bool is_in_call = *spur_guard_at(&spur_self) < -1 && spur_self.frame != SPUR_NO_FRAME &&
                      open != OTF2_UNDEFINED_CALLING_CONTEXT;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n && !(is_in_call && is_agent(frame[i])); i++)
        if (!is_agent(frame[i]))
            frame[kept++] = frame[i];
    return kept ? spur_context_path(open, frame, kept, false) : open;
}

/*
 * The context of the walked stack. Within a wrapped call the agent's frames belong to recording:
 * either the thread was stopped in such a frame, or the stack has no frame of the call, before and
 * after the call's region.
 */
static uint32_t place(struct spur_loc *loc, uint32_t n, bool is_whole, bool is_within)
{
    bool is_agents = is_within && (is_agent(own->frame[0]) || !spur_stack_has_call(loc));
    uint32_t both = n;
    const void **frame = spur_stack_interrupted(loc, own->frame, &both, is_whole);
    uint32_t context = !frame     ? context_of_part(loc, own->frame, n)
                       : is_whole ? spur_stack_context(loc, frame, both)
                                  : context_of_part(loc, frame, both);
    return is_agents && n ? spur_sample_recording(context) : context;
}

/*
 * Write `times` samples of the interrupted code, or keep the samples if the code is within a call.
 */
static void write_samples(struct spur_loc *loc, const void *context, uint32_t times, bool is_within)
{
    struct sampler *s = own;
    struct spur_sample_held sample = {.time = spur_clock_now(), .times = times};
    bool is_whole;
    uint32_t n = spur_stack_walk(context, &s->window, s->frame, FRAMES, &is_whole);
    if (!spur_loc_own(loc)) {
        count(&sampling.lost, times);
        return;
    }
    sample.context = s->last = place(loc, n, is_whole, is_within);
    if (!is_within || !spur_sample_keep(&s->hold, loc, &sample)) {
        write_held(loc, sample.time);
        spur_loc_move(loc, sample.time);
        count_written(spur_sample_write(loc, sample.context, times), times);
    }
    spur_loc_disown(loc);
}

/*
 * Writes the pending samples. Samples taken while a record was written belong to recording. If
 * metrics have been read for the next record, the samples have to be behind the record.
 */
static void write_pending(struct spur_loc *loc)
{
    uint32_t n = spur_self.pending;
    if (!n || spur_metric_is_due(loc))
        return;
    spur_self.pending = 0;
    uint32_t context = spur_sample_recording(open_context(loc));
    count_written(spur_sample_write(loc, context, n < TIMES_MAX ? n : TIMES_MAX), n);
}

/*
 * Writes the samples held back. A thread that has raised `busy` does not own a shut location:
 * perhaps the location is a parent's.
 */
static void spur_sample_settle_here(struct spur_loc *loc, uint64_t time)
{
    bool is_owned = atomic_load_explicit(&loc->busy, memory_order_relaxed);
    if (is_owned ? spur_loc_is_shut(loc) : !spur_loc_own(loc))
        return;
    write_held(loc, time);
    if (spur_self.pending)
        spur_loc_move(loc, time);
    write_pending(loc);
    if (!is_owned)
        spur_loc_disown(loc);
}
SPUR_DOOR_VOID(spur_sample_settle, (struct spur_loc *, loc), (uint64_t, time))

/* ---- the handler ---- */

/*
 * May recording begin with this sample? The sample may be the first event of the thread, or of the
 * process. Sources of metrics are opened with a location, and may need memory of the program's
 * heap, which a handler must not use.
 */
static bool may_begin(void)
{
    return !spur_settings.metrics;
}

bool spur_sample_needs_location(void)
{
    return sampling.kind != SPUR_SAMPLE_OFF && !may_begin() && spur_settings.dir;
}

static struct spur_loc *find_location(struct spur_thread_state *self, uint32_t state)
{
    if (state == SPUR_ON && self->loc && self->generation == spur_process.generation)
        return self->loc;
    if (*spur_guard_at(self) || !may_begin() ||
        (state != SPUR_ON && state != SPUR_ARMED && state != SPUR_CHILD))
        return NULL;
    struct spur_loc *loc = NULL;
    (void)spur_guard_take(spur_guard_at(self));
    self->frame = SPUR_NO_FRAME;
    self->is_sampling = true;
    if (state == SPUR_ON || (spur_settings.dir && spur_process_open()))
        loc = spur_loc_self();
    self->is_sampling = false;
    spur_guard_give(spur_guard_at(self));
    return loc;
}

static bool is_creating(const struct spur_loc *loc)
{
    return atomic_load_explicit(&loc->slot->creating, memory_order_relaxed) != 0;
}

/*
 * Must the sample wait? A record is being written, or a thread is being created. The record of a
 * creation is written afterwards, with the time before, since the new thread may have begun
 * already.
 */
static bool must_wait(const struct spur_thread_state *self)
{
    const struct spur_loc *loc = self->loc;
    return loc && (atomic_load_explicit(&loc->busy, memory_order_relaxed) ||
                   (self->generation == spur_process.generation && is_creating(loc)));
}

static void take(const void *context, uint32_t times)
{
    enum { FOREVER = 1 << 16 };
    struct spur_thread_state *self = &spur_self;
    uint32_t state = spur_state_now();
    if (state == SPUR_OFF || state == SPUR_UNBORN || state == SPUR_PAUSED || !own ||
        *spur_guard_at(self) < -FOREVER)
        return;
    if (spur_locks_held || must_wait(self)) {
        self->pending += times;
        return;
    }
    bool is_within = *spur_guard_at(self) != 0;
    struct spur_loc *loc = find_location(self, state);
    if (!loc) {
        count(&sampling.lost, times);
        return;
    }
    (void)spur_guard_take(spur_guard_at(self));
    write_samples(loc, context, times < TIMES_MAX ? times : TIMES_MAX, is_within);
    spur_guard_give(spur_guard_at(self));
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
    int saved = errno;
    uint32_t times;
    if (spur_sample_is_ours(own ? &own->source : NULL, info, &times)) {
        if (own)
            own->told += times;
        count(&sampling.merged, times ? times - 1 : 0);
        if (times)
            take(context, times);
    } else {
        spur_sample_pass_on(signal, info, context);
    }
    errno = saved;
}

/* ---- threads ---- */

static void begin_here(struct sampler *s)
{
    const struct spur_sample_setting *setting = &spur_settings.sample;
    int signal = spur_settings.sample_signal;
    s->pid = (int)getpid();
    s->told = 0;
    s->last = OTF2_UNDEFINED_CALLING_CONTEXT;
    int err = spur_sample_open(&s->source, sampling.kind, setting, signal);
    if (err && sampling.kind == SPUR_SAMPLE_PERF && setting->hz)
        err = spur_sample_open(&s->source, SPUR_SAMPLE_TIMER, setting, signal);
    if (err)
        spur_say("a thread is not sampled: %s", spur_error_text(-err));
    else
        spur_sample_unblock();
}
static void begin(struct sampler *s);
SPUR_DOOR_VOID(begin, (struct sampler *, s))

void spur_sample_opened(struct spur_loc *loc)
{
    if (sampling.kind != SPUR_SAMPLE_OFF)
        atomic_fetch_or_explicit(&loc->gate, SPUR_GATE_SAMPLE, memory_order_relaxed);
}

void spur_sample_thread(void)
{
    if (sampling.kind == SPUR_SAMPLE_OFF || (own && own->pid == (int)getpid()))
        return;
    int saved = errno;
    struct sampler *s = own ? own : spur_mem_new(sizeof *s);
    if (s) {
        begin(s);
        atomic_signal_fence(memory_order_seq_cst);
        own = s;
    }
    errno = saved;
}

/*
 * Writes samples not told so far. The samples belong to the open region, else to the place of the
 * thread's last sample. During the creation of a thread the samples get the time before the
 * creation.
 */
static void write_untold(struct sampler *s, struct spur_loc *loc, uint32_t times)
{
    if (!spur_loc_own(loc))
        return;
    write_held(loc, UINT64_MAX);
    if (times && !is_creating(loc))
        spur_loc_move(loc, spur_clock_now());
    uint32_t context = loc->slot->depth ? open_context(loc) : s->last;
    uint32_t most = times < TIMES_MAX ? times : TIMES_MAX;
    count_written(times ? spur_sample_write(loc, context, most) : 0, times);
    spur_loc_disown(loc);
}

void spur_sample_catch_up(void)
{
    struct sampler *s = own;
    struct spur_thread_state *self = &spur_self;
    if (!s || s->pid != (int)getpid())
        return;
    int saved = errno;
    spur_sample_close(&s->source); /* a pending signal comes now */
    uint64_t due = spur_sample_due(&s->source);
    uint64_t untold = due > s->told ? due - s->told : 0;
    uint64_t times = untold + self->pending;
    times = times < UINT32_MAX ? times : UINT32_MAX;
    struct spur_loc *loc = self->loc;
    s->told += untold;
    if ((times || self->held) && loc && self->generation == spur_process.generation &&
        spur_state_now() == SPUR_ON && !spur_locks_held &&
        !atomic_load_explicit(&loc->busy, memory_order_relaxed)) {
        self->pending = 0;
        write_untold(s, loc, (uint32_t)times);
        count(&sampling.merged, untold);
    }
    errno = saved;
}

void spur_sample_thread_end(void)
{
    struct sampler *s = own;
    if (!s)
        return;
    int saved = errno;
    spur_sample_catch_up();
    count(&sampling.lost, spur_self.pending);
    spur_self.pending = 0;
    own = NULL;
    atomic_signal_fence(memory_order_seq_cst);
    spur_self.held = 0;
    spur_sample_hold_free(&s->hold);
    spur_mem_free(s, sizeof *s);
    errno = saved;
}

/* ---- the process ---- */

/* The ELF header of this object, by the linker. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

static void find_text(void)
{
    uintptr_t base = (uintptr_t)&__ehdr_start;
    for (int i = 0; i < __ehdr_start.e_phnum; i++) {
        ElfW(Phdr) header;
        memcpy(&header, (const char *)base + __ehdr_start.e_phoff + (size_t)i * sizeof header,
               sizeof header);
        if (header.p_type != PT_LOAD || !(header.p_flags & PF_X))
            continue;
        sampling.text = base + header.p_vaddr;
        sampling.text_bytes = header.p_memsz;
    }
}

uint32_t spur_sample_depth(void)
{
    enum { DEPTH = 128 };
    const struct spur_config *config = &spur_settings;
    return config->unwind || !(config->sample.hz || config->sample.event) ? config->unwind : DEPTH;
}

void spur_sample_start(void)
{
    const struct spur_sample_setting *setting = &spur_settings.sample;
    if (!setting->hz && !setting->event)
        return;
    enum spur_sample_kind kind = spur_sample_choose(setting, &sampling.why);
    if (kind == SPUR_SAMPLE_OFF || !spur_sample_take_signal(on_signal))
        return;
    find_text();
    sampling.has_stacks = spur_cfi_start();
    sampling.kind = kind;
    spur_sample_write_start(kind);
    spur_sample_thread();
}

void spur_sample_after_fork(void)
{
    spur_lock_reset(&spur_perf_opening);
    spur_sample_signal_after_fork();
    if (sampling.kind == SPUR_SAMPLE_OFF)
        return;
    atomic_store_explicit(&sampling.taken, 0, memory_order_relaxed);
    atomic_store_explicit(&sampling.merged, 0, memory_order_relaxed);
    atomic_store_explicit(&sampling.lost, 0, memory_order_relaxed);
    spur_self.pending = 0;
    spur_self.held = 0;
}

static void tell(const char *name, uint64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    spur_def_property(name, text);
}

void spur_sample_tell(void)
{
    char text[128];
    const struct spur_sample_setting *setting = &spur_settings.sample;
    if (sampling.why)
        spur_say("SPUR_SAMPLE: %s", sampling.why);
    if (sampling.kind == SPUR_SAMPLE_OFF)
        return;
    if (!sampling.has_stacks)
        spur_say("samples have no call stacks: %s", SPUR_HERE == SPUR_NONE
                                                        ? "they are not followed on this processor"
                                                        : "they need process_vm_readv(2)");
    if (setting->hz)
        snprintf(text, sizeof text, "%u a second of %s, by %s", setting->hz, spur_sample_name(),
                 sampling.kind == SPUR_SAMPLE_PERF ? "perf_event_open"
                 : own && own->source.page         ? "timer_create and perf_event_open"
                                                   : "timer_create");
    else
        snprintf(text, sizeof text, "each %llu %s in user mode, by perf_event_open",
                 (unsigned long long)setting->period, setting->event);
    spur_def_property(SPUR_PROPERTY_SAMPLING, text);
}

void spur_sample_tell_end(void)
{
    if (sampling.kind == SPUR_SAMPLE_OFF)
        return;
    tell("SAMPLES", atomic_load_explicit(&sampling.taken, memory_order_relaxed));
    tell("SAMPLES_LOST", atomic_load_explicit(&sampling.lost, memory_order_relaxed));
    tell("SAMPLES_MERGED", atomic_load_explicit(&sampling.merged, memory_order_relaxed));
}
