/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rules about the memory that a process holds: the values, and the blocks that their attributes say
 * to be taken or given back. All of it is on one location of the process.
 */
#include <inttypes.h>
#include <string.h>

#include "tools/check/check.h"
#include "wrappers/memory/memory_marks.h"

struct block {
    struct node node; /* a: address */
    uint64_t bytes;
};

static const char *const attributes[MEMORY_SAID] = {[MEMORY_SAID_TAKEN] = MEMORY_TAKEN,
                                                    [MEMORY_SAID_TAKEN_AT] = MEMORY_TAKEN_AT,
                                                    [MEMORY_SAID_GIVEN] = MEMORY_GIVEN,
                                                    [MEMORY_SAID_GIVEN_AT] = MEMORY_GIVEN_AT};

void memory_prepare(struct check *c)
{
    for (int i = 0; i < MEMORY_SAID; i++)
        c->memory_attributes[i] = NO_MEMORY_ATTRIBUTE;
    c->memory_held = c->memory_peak = OTF2_UNDEFINED_METRIC_MEMBER;
    for (size_t i = 0; i < c->n_all; i++) {
        const struct definition *d = &c->all[i];
        if (d->record == OTF2_DEF_MetricMember) {
            const struct otf2_def_MetricMember *def = d->data;
            if (def->valueType == OTF2_TYPE_UINT64 && !strcmp(text_of(c, def->name), MEMORY_HELD))
                c->memory_held = def->self;
            if (def->valueType == OTF2_TYPE_UINT64 && !strcmp(text_of(c, def->name), MEMORY_PEAK))
                c->memory_peak = def->self;
        } else if (d->record == OTF2_DEF_Attribute) {
            const struct otf2_def_Attribute *def = d->data;
            for (int k = 0; k < MEMORY_SAID; k++)
                if (def->type == OTF2_TYPE_UINT64 && !strcmp(text_of(c, def->name), attributes[k]))
                    c->memory_attributes[k] = def->self;
        }
    }
}

void memory_attribute(const struct check *c, struct location *at, uint64_t attribute,
                      OTF2_AttributeValue value)
{
    for (int i = 0; i < MEMORY_SAID; i++)
        if (c->memory_attributes[i] == attribute) {
            at->memory.said[i] = value.uint64;
            at->memory.is_said |= 1u << i;
        }
}

/* ---- blocks ---- */

static void take(struct check *c, struct location *at, uint64_t bytes, uint64_t address)
{
    const struct key key = {.a = address};
    struct table *blocks = &at->memory.blocks;
    blocks->node_bytes = sizeof(struct block);
    if (table_find(blocks, key))
        found(c->verdict, RULE_MEMORY_BLOCK, event_place(at),
              "the block at %#" PRIx64 " is taken, and was not given back before", address);
    struct block *block = table_intern(blocks, key);
    block->bytes = bytes;
}

static void give(struct check *c, struct location *at, uint64_t bytes, uint64_t address)
{
    struct block *block = table_find(&at->memory.blocks, (struct key){.a = address});
    if (!block) {
        found(c->verdict, RULE_MEMORY_BLOCK, event_place(at),
              "the block at %#" PRIx64 " is given back, and was not taken", address);
        return;
    }
    if (block->bytes != bytes)
        found(c->verdict, RULE_MEMORY_BLOCK, event_place(at),
              "the block at %#" PRIx64 " is given back with %" PRIu64 " bytes, and had %" PRIu64,
              address, bytes, block->bytes);
    table_remove(&at->memory.blocks, block);
}

static bool is_said(unsigned said, unsigned first, unsigned second)
{
    return said == (1u << first | 1u << second);
}

static void check_block(struct check *c, struct location *at)
{
    const uint64_t *said = at->memory.said;
    unsigned which = at->memory.is_said;
    if (is_said(which, MEMORY_SAID_TAKEN, MEMORY_SAID_TAKEN_AT))
        take(c, at, said[MEMORY_SAID_TAKEN], said[MEMORY_SAID_TAKEN_AT]);
    else if (is_said(which, MEMORY_SAID_GIVEN, MEMORY_SAID_GIVEN_AT))
        give(c, at, said[MEMORY_SAID_GIVEN], said[MEMORY_SAID_GIVEN_AT]);
    else if (which)
        found(c->verdict, RULE_MEMORY_BLOCK, event_place(at),
              "a block is neither taken nor given back: both need its bytes and its address");
}

/* ---- values ---- */

void memory_value(struct check *c, struct location *at, const struct otf2_evt_Metric *m,
                  const struct otf2_def_MetricClass *class)
{
    const uint64_t *held = NULL;
    const uint64_t *peak = NULL;
    for (unsigned i = 0; i < m->numberOfMetrics && i < class->numberOfMetrics; i++) {
        if (class->metricMembers[i] == c->memory_held)
            held = &m->metricValues[i].unsigned_int;
        if (class->metricMembers[i] == c->memory_peak)
            peak = &m->metricValues[i].unsigned_int;
    }
    if (held)
        check_block(c, at);
    if (!held || !peak)
        return;
    if (*held > *peak || *peak < at->memory.peak)
        found(c->verdict, RULE_MEMORY_PEAK, event_place(at),
              "the process holds %" PRIu64 " bytes; the most until now is %" PRIu64
              ", and was %" PRIu64,
              *held, *peak, at->memory.peak);
    at->memory.peak = *peak;
}
