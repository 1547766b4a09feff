/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/control.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/buffer.h"
#include "agent/clock.h"
#include "agent/process.h"
#include "agent/procfs.h"
#include "agent/spur_agent.h"

static _Atomic uint32_t nothing_asked;
_Atomic uint32_t *spur_control_asked = &nothing_asked;

static struct {
    _Atomic uint64_t off_at, on_at; /* of the last switch */
    bool is_inherited;              /* from the process that forked this one: */
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

/* From now on the location has to look before it records. */
static void tell_off(struct spur_loc *loc)
{
    put_switch(loc, atomic_load(&control.off_at), false);
    atomic_store(&loc->slot->room, 0);
}

/* ---- switching ---- */

/* True if that changed anything. The times are read before others can see the state. */
static bool switch_off(void)
{
    struct spur_segment *segment = spur_buffer_segment();
    atomic_store(&control.off_at, spur_clock_now());
    if (!spur_process_pause(true))
        return false;
    control.was_off = true;
    segment->is_paused = 1;
    segment->pauses++;
    return true;
}

static bool switch_on(void)
{
    struct spur_segment *segment = spur_buffer_segment();
    atomic_store(&control.on_at, spur_clock_now());
    if (!spur_process_pause(false))
        return false;
    control.was_off = false;
    segment->is_paused = 0;
    return true;
}

/* What others have asked is done by the first thread that comes by. */
static void do_asked(void)
{
    uint32_t asked = atomic_exchange(spur_control_asked, 0);
    if (asked & SPUR_ASK_OFF)
        (void)switch_off();
    if (asked & SPUR_ASK_ON)
        (void)switch_on();
}

bool spur_control_attend(struct spur_loc *loc)
{
    atomic_store(&loc->slot->room, SPUR_SLOT_REGIONS); /* before the look: see agent/control.h */
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

/* Nothing has been recorded yet, and would not be now. */
static bool would_begin_off(uint32_t state)
{
    return (state == SPUR_ARMED && spur_process.config.start == SPUR_START_OFF) ||
           (state == SPUR_CHILD && control.was_off);
}

/* A switch off is told by its thread before it happens, one on after it. */
void spur_recording(bool on)
{
    struct spur_thread_state *self = &spur_self;
    uint32_t state = spur_state_now();
    bool is_off = state == SPUR_PAUSED || would_begin_off(state);
    if (self->depth || state == SPUR_OFF || state == SPUR_UNBORN || on != is_off)
        return;
    int saved = errno;
    spur_inside_begin();
    if (on && state != SPUR_PAUSED)
        (void)spur_process_open();
    if (on ? switch_on() : state == SPUR_ON || spur_process_open()) {
        struct spur_loc *loc = spur_loc_self();
        if (!on && switch_off() && loc)
            tell_off(loc);
        else if (on && loc && loc->told_off)
            (void)spur_control_attend(loc);
    }
    spur_inside_end();
    errno = saved;
}

bool spur_is_recording(void)
{
    uint32_t state = spur_state_now();
    return state == SPUR_ON || (state == SPUR_ARMED && spur_process.config.start == SPUR_START_ON);
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
    put_switch(loc, loc->now, false);
    atomic_store(&loc->slot->room, 0);
}

static bool asked_of_session(const char *dir, bool *is_off)
{
    char path[SPUR_PATH_BYTES + 32], text[8];
    snprintf(path, sizeof path, "%s/.spur/" SPUR_CONTROL_FILE, dir);
    if (spur_procfs_read(path, text, sizeof text) <= 0)
        return false;
    *is_off = strcmp(text, "off") == 0;
    return *is_off || strcmp(text, "on") == 0;
}

bool spur_control_starts_off(const char *dir)
{
    struct spur_segment *segment = spur_buffer_segment();
    bool is_off = spur_process.config.start == SPUR_START_OFF;
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
    /* Of a parent that has recorded nothing its child knows no more than itself. */
    control.is_inherited |= spur_control_asked != &nothing_asked;
    spur_control_asked = &nothing_asked;
}
