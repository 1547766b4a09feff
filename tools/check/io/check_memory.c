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

static const char *const kinds[MEMORY_KINDS][2] = {{MEMORY_HELD, MEMORY_PEAK},
                                                   {MEMORY_MAPPED, MEMORY_MAPPED_PEAK}};

static void prepare_member(struct check *c, const struct otf2_def_MetricMember *def)
{
    const char *name = text_of(c, def->name);
    for (int i = 0; i < MEMORY_KINDS && def->valueType == OTF2_TYPE_UINT64; i++) {
        if (!strcmp(name, kinds[i][0]))
            c->memory_held[i] = def->self;
        if (!strcmp(name, kinds[i][1]))
            c->memory_peak[i] = def->self;
    }
}

void memory_prepare(struct check *c)
{
    for (int i = 0; i < MEMORY_SAID; i++)
        c->memory_attributes[i] = NO_MEMORY_ATTRIBUTE;
    for (int i = 0; i < MEMORY_KINDS; i++)
        c->memory_held[i] = c->memory_peak[i] = OTF2_UNDEFINED_METRIC_MEMBER;
    for (size_t i = 0; i < c->n_all; i++) {
        const struct definition *d = &c->all[i];
        if (d->record == OTF2_DEF_MetricMember) {
            prepare_member(c, d->data);
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
    at->memory.in_blocks += bytes - block->bytes; /* 0 of a new one */
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
    at->memory.in_blocks -= block->bytes;
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

static const uint64_t *value_of(const struct otf2_evt_Metric *m,
                                const struct otf2_def_MetricClass *class,
                                OTF2_MetricMemberRef member)
{
    for (unsigned i = 0; i < m->numberOfMetrics && i < class->numberOfMetrics; i++)
        if (class->metricMembers[i] == member)
            return &m->metricValues[i].unsigned_int;
    return NULL;
}

static void check_peak(struct check *c, struct location *at, int kind, uint64_t held, uint64_t peak)
{
    uint64_t *before = &at->memory.peak[kind];
    if (held > peak || peak < *before)
        found(c->verdict, RULE_MEMORY_PEAK, event_place(at),
              "the value of %s is %" PRIu64 " bytes; the most until now is %" PRIu64
              ", and was %" PRIu64,
              kinds[kind][0], held, peak, *before);
    *before = peak;
}

void memory_value(struct check *c, struct location *at, const struct otf2_evt_Metric *m,
                  const struct otf2_def_MetricClass *class)
{
    for (int i = 0; i < MEMORY_KINDS; i++) {
        const uint64_t *held = value_of(m, class, c->memory_held[i]);
        const uint64_t *peak = value_of(m, class, c->memory_peak[i]);
        if (held && i == 0)
            check_block(c, at);
        if (held && peak)
            check_peak(c, at, i, *held, *peak);
        if (held)
            at->memory.held[i] = *held;
    }
}

/*
 * Only now: what a thread gives back inside of a call is recorded behind that, when the sum has
 * fallen already.
 */
void memory_end(struct check *c, const struct location *at)
{
    enum { NOT_ADDED = 64 << 10 }; /* to the sum, by a thread */
    const struct memory *m = &at->memory;
    const uint64_t lag = NOT_ADDED * at->process->n_locations;
    const uint64_t has = m->held[0] + m->held[1];
    if (m->in_blocks > has + lag && !c->is_cut && !c->has_gaps)
        found(c->verdict, RULE_MEMORY_SUM, event_place(at),
              "at its end the process has %" PRIu64
              " bytes, and the blocks that it has taken and not given back are %" PRIu64,
              has, m->in_blocks);
}
