/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/topics/report_gaps.h"

#include <stdlib.h>
#include <string.h>

#include "session/properties.h"
#include "tools/report/topics/report.h"

static bool says(OTF2_Reader *reader, const char *name)
{
    char *value = NULL;
    bool is_said =
        !OTF2_Reader_GetProperty(reader, name, &value) && value && strcmp(value, "0") != 0;
    free(value);
    return is_said;
}

/* Calls in which messages are sent, received or completed; names that were too many may be any. */
static bool is_of_messages(const char *name)
{
    static const char *const parts[] = {"send", "Send", "recv",  "Recv",
                                        "Wait", "Test", "Start", "..."};
    bool is_of_mpi = !strncmp(name, "MPI_", 4) || strstr(name, "...");
    for (size_t i = 0; is_of_mpi && i < sizeof parts / sizeof parts[0]; i++)
        if (strstr(name, parts[i]))
            return true;
    return false;
}

void gaps_make(struct report *r, OTF2_Reader *reader)
{
    struct gaps *g = &r->gaps;
    g->has_all_messages = true;
    for (size_t i = 0; i < r->missing.regions.n; i++)
        g->has_all_messages &= !is_of_messages(r->missing.regions.at[i]);
    g->are_there = !g->has_all_messages || says(reader, SPUR_SAYS_PAUSED_PROCESSES) ||
                   says(reader, SPUR_SAYS_DROPPED_EVENTS);
    for (size_t i = 0; i < r->defs.processes.n; i++)
        g->are_there |= r->defs.processes.at[i].has_dropped;
}

static OTF2_CallbackCode on_parameter(MERGED_EVENT, OTF2_ParameterRef parameter, uint64_t value)
{
    struct report *r = user;
    struct stream *s = profile_at(r, location, &time);
    if (parameter == r->defs.ordinal)
        s->gap.ordinal = value + 1;
    else if (parameter == r->defs.missed)
        s->gap.missed = value;
    else if (parameter == r->defs.launch_id && s->watch.what == WATCH_HOST)
        notes_tell_device(r, s, (struct device_event){.what = DEVICE_LAUNCHES, .id = value});
    else
        locks_told(r, s, parameter, value, attributes);
    return OTF2_CALLBACK_SUCCESS;
}

void gaps_register(OTF2_GlobalEvtReaderCallbacks *c)
{
    OTF2_GlobalEvtReaderCallbacks_SetParameterUnsignedIntCallback(c, on_parameter);
}

/* What was said holds for one record. */
static struct gap take(struct stream *s)
{
    struct gap gap = s->gap;
    s->gap = (struct gap){0};
    return gap;
}

static bool is_unknown(const struct report *r, const struct stream *s, const struct gap *gap)
{
    return gap->missed == GAPS_UNKNOWN ||
           (!gap->ordinal && r->defs.processes.at[s->process].has_dropped);
}

uint64_t gaps_message(struct report *r, struct stream *s, uint64_t a, uint64_t b, int side)
{
    struct gaps *g = &r->gaps;
    struct gap gap = take(s);
    if (!g->are_there)
        return 0;
    if (!g->has_all_messages || is_unknown(r, s, &gap))
        return GAPS_UNKNOWN;
    if (gap.ordinal)
        return gap.ordinal - 1;
    uint32_t index = map_index(&g->count_of, a, b, g->counts.n);
    if (index == g->counts.n)
        (void)LIST_ADD(&g->counts);
    uint64_t *next = &g->counts.at[index].next[side];
    uint64_t number = *next + gap.missed;
    *next = number + 1;
    return number;
}

uint64_t gaps_collective(const struct report *r, struct stream *s, uint64_t n)
{
    struct gap gap = take(s);
    if (!r->gaps.are_there)
        return n;
    if (is_unknown(r, s, &gap))
        return GAPS_UNKNOWN;
    return gap.ordinal ? gap.ordinal - 1 : n + gap.missed;
}

bool gaps_have_one_clock(const struct report *r, uint32_t process, uint32_t other)
{
    const struct defs *d = &r->defs;
    return d->n_nodes == 1 || d->processes.at[process].node == d->processes.at[other].node;
}
