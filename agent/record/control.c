/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/record/control.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/record/event_ways.h"
#include "agent/segment/buffer.h"
#include "agent/spur_agent.h"
#include "agent/state/event_clock.h"
#include "agent/state/identity.h"
#include "agent/state/settings.h"
#include "agent/state/state.h"
#include "base/apart.h"
#include "base/raw_file.h"

static _Atomic uint32_t nothing_asked;
_Atomic uint32_t *spur_control_asked = &nothing_asked;

static struct {
    _Atomic uint64_t off_at, on_at; /* of the last switch */
    bool is_inherited;              /* from the parent process: */
    bool was_off;
} control;

/* ---- the records ---- */

static void put_switch(struct spur_loc *loc, uint64_t time, bool is_on)
{
    if (time > loc->now)
        loc->now = time;
    loc->told_off = !is_on;
    spur_put_MeasurementOnOff(loc, is_on ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF);
}

/* From now on the location has to look before each record. */
static void tell_off(struct spur_loc *loc)
{
    put_switch(loc, atomic_load(&control.off_at), false);
    atomic_store(&loc->slot->room, 0);
}

/* ---- switching ---- */

/* The time when other processes asked for the switch, if the time is plausible; else now. */
static uint64_t time_of(uint64_t asked_at)
{
    const uint64_t now = spur_clock_now();
    const uint64_t off_at = atomic_load(&control.off_at), on_at = atomic_load(&control.on_at);
    return asked_at > off_at && asked_at > on_at && asked_at < now ? asked_at : now;
}

/* True if the state has changed. The times are written before other threads can see the state. */
static bool switch_off(uint64_t asked_at)
{
    struct spur_segment *segment = spur_buffer_segment();
    atomic_store(&control.off_at, time_of(asked_at));
    if (!spur_state_pause(true))
        return false;
    control.was_off = true;
    segment->is_paused = 1;
    atomic_store(&segment->off_at, control.off_at);
    segment->pauses++;
    return true;
}

static bool switch_on(uint64_t asked_at)
{
    struct spur_segment *segment = spur_buffer_segment();
    atomic_store(&control.on_at, time_of(asked_at));
    if (!spur_state_pause(false))
        return false;
    control.was_off = false;
    segment->is_paused = 0;
    atomic_store(&segment->on_at, control.on_at);
    return true;
}

/* Requests of other processes are carried out by the first thread that comes by. */
static void do_asked(void)
{
    const struct spur_segment *segment = spur_buffer_segment();
    uint32_t asked = atomic_exchange(spur_control_asked, 0);
    if (asked & SPUR_ASK_OFF)
        (void)switch_off(atomic_load(&segment->off_at));
    if (asked & SPUR_ASK_ON)
        (void)switch_on(atomic_load(&segment->on_at));
}

bool spur_control_attend(struct spur_loc *loc)
{
    atomic_store(&loc->slot->room,
                 SPUR_SLOT_REGIONS); /* before the look: see agent/record/control.h */
    do_asked();
    if (spur_state_now() == SPUR_PAUSED) {
        atomic_store(&loc->slot->room, 0);
        if (!loc->told_off)
            tell_off(loc);
        return false;
    }
    if (loc->told_off)
        put_switch(loc, atomic_load(&control.on_at), true);
    return true;
}

bool spur_control_resumes(void)
{
    if (atomic_load_explicit(spur_control_asked, memory_order_relaxed))
        do_asked();
    if (spur_state_now() == SPUR_ON)
        return true;
    struct spur_loc *loc = spur_self.loc;
    if (loc && !loc->told_off && spur_self.generation == spur_process.generation)
        tell_off(loc);
    return false;
}

/*
 * Recording was asked for, and may have been ended again, during a call that the thread had entered
 * in the pause: the call counts from the request on.
 */
static void enter_late(struct spur_loc *loc, uint32_t region)
{
    struct spur_segment *segment = spur_buffer_segment();
    const uint64_t on = atomic_load(&segment->on_at), off = atomic_load(&segment->off_at);
    const bool is_over = on > loc->now && off > on && loc->told_off;
    if (is_over) {
        segment->pauses++;
        put_switch(loc, on, true);
    } else if (!spur_control_attend(loc)) {
        return;
    }
    uint32_t mark = spur_open_region(loc, region);
    if (is_over)
        put_switch(loc, off, false);
    spur_tick(loc);
    if (mark != SPUR_NOT_OPEN)
        spur_close(loc, mark);
}

void spur_control_stands(struct spur_loc *silent, uint32_t region)
{
    struct spur_loc *loc = spur_loc_self();
    if (!loc)
        return;
    if (!loc->told_off)
        tell_off(loc);
    silent->slot = loc->slot;
    silent->stands = true;
    atomic_store_explicit(&loc->slot->waiting.paused, region + 1, memory_order_relaxed);
}

void spur_control_stood(struct spur_loc *silent)
{
    struct spur_loc *loc = spur_self.loc;
    struct spur_slot *slot = silent->slot;
    silent->slot = &spur_slot_nowhere;
    silent->stands = false;
    if (!loc || spur_self.generation != spur_process.generation || loc->slot != slot)
        return;
    const uint32_t region = atomic_load_explicit(&slot->waiting.paused, memory_order_relaxed) - 1;
    atomic_store_explicit(&slot->waiting.paused, 0, memory_order_relaxed);
    if (spur_state_now() == SPUR_ON ||
        atomic_load_explicit(spur_control_asked, memory_order_relaxed))
        enter_late(loc, region);
}

/* Is nothing recorded yet, and would recording begin switched off? */
static bool would_begin_off(uint32_t state)
{
    return (state == SPUR_ARMED && spur_settings.start == SPUR_START_OFF) ||
           (state == SPUR_CHILD && control.was_off);
}

/*
 * Switches recording. The switching thread records a switch off before the pause, and a switch on
 * after the pause.
 */
void spur_recording(bool on)
{
    struct spur_thread_state *self = &spur_self;
    uint32_t state = spur_state_now();
    bool is_off = state == SPUR_PAUSED || would_begin_off(state);
    if (*spur_guard_at(self) || state == SPUR_OFF || state == SPUR_UNBORN || on != is_off)
        return;
    int saved = errno;
    spur_inside_begin();
    if (on && state != SPUR_PAUSED)
        (void)spur_process_open();
    if (on ? switch_on(0) : state == SPUR_ON || spur_process_open()) {
        struct spur_loc *loc = spur_loc_self();
        if (!on && switch_off(0) && loc)
            tell_off(loc);
        else if (on && loc && loc->told_off)
            (void)spur_control_attend(loc);
    }
    spur_inside_end();
    errno = saved;
}

void spur_control_begin_now(void)
{
    if (spur_state_now() == SPUR_PAUSED)
        (void)switch_on(0);
}

bool spur_is_recording(void)
{
    uint32_t state = spur_state_now();
    return state == SPUR_ON || (state == SPUR_ARMED && spur_settings.start == SPUR_START_ON);
}

bool spur_may_record(void)
{
    return spur_state_now() == SPUR_CHILD || spur_is_recording();
}

bool spur_is_paused(void)
{
    return spur_state_now() == SPUR_PAUSED;
}

bool spur_is_off(void)
{
    return spur_state_now() == SPUR_OFF;
}

bool spur_keeps_newest(void)
{
    return spur_settings.flush == SPUR_FLUSH_RING;
}

/* ---- the beginning ---- */

void spur_control_watch(struct spur_loc *loc)
{
    atomic_store(&loc->slot->room, SPUR_SLOT_REGIONS);
    if (atomic_load(spur_control_asked))
        atomic_store(&loc->slot->room, 0);
}

void spur_control_begin(struct spur_loc *loc)
{
    if (!spur_buffer_segment()->began_off)
        return;
    loc->told_off = true;
    (void)is_written(loc, otf2_evt_put_MeasurementOnOff(&loc->slot->cursor, NULL, loc->now,
                                                        OTF2_MEASUREMENT_OFF));
    atomic_store(&loc->slot->room, 0);
}

struct asked {
    const char *dir;
    char text[8];
};

static int read_asked(void *data)
{
    struct asked *asked = data;
    char path[SPUR_PATH_BYTES + 32];
    uint64_t size;
    snprintf(path, sizeof path, "%s/.spur/" SPUR_CONTROL_FILE, asked->dir);
    int fd = spur_file_open(path, &size);
    if (fd < 0)
        return fd;
    (void)spur_file_read(fd, 0, asked->text, sizeof asked->text - 1);
    spur_file_close(fd);
    return 0;
}

static bool asked_of_session(const char *dir, bool *is_off)
{
    struct asked asked = {dir, ""};
    const char *const text = asked.text;
    (void)spur_apart(read_asked, &asked);
    const bool is_asked_off = strcmp(text, "off") == 0;
    const bool is_asked = is_asked_off || strcmp(text, "on") == 0;
    if (is_asked)
        *is_off = is_asked_off;
    return is_asked;
}

bool spur_control_starts_off(const char *dir)
{
    struct spur_segment *segment = spur_buffer_segment();
    bool is_off = spur_settings.start == SPUR_START_OFF;
    spur_control_asked = &segment->asked;
    if (control.is_inherited)
        is_off = control.was_off;
    else
        (void)asked_of_session(dir, &is_off);
    atomic_store(&control.off_at, spur_process.start.ticks);
    control.was_off = is_off;
    segment->began_off = segment->is_paused = is_off;
    return is_off;
}

void spur_control_after_fork(void)
{
    /* If the parent has recorded nothing, the child knows only of itself. */
    control.is_inherited |= spur_control_asked != &nothing_asked;
    spur_control_asked = &nothing_asked;
}
