/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A table of chains by address. An entry stays in its chain for good and is used again, so the
 * table can be searched without a lock. A thread that takes a block, or records that a block is
 * given back, is in spur_gauge_changed_for(), one thread at a time. A thread that cannot record
 * marks the entry and puts the entry on a list, for the next thread that can record.
 */
#include "wrappers/memory/memory_blocks.h"

#include "agent/spur_agent.h"
#include "session/properties.h"
#include "wrappers/memory/memory_marks.h"

enum { CHAINS_BITS = 14, CHAINS = 1 << CHAINS_BITS, ENTRIES = 512 };

enum state { FREE, KNOWN, GONE };

struct entry {
    struct entry *next; /* in the chain; never changes */
    const void *p;      /* from here on: for the thread that has changed the state */
    struct memory_block block;
    struct entry *next_gone;
    uint32_t generation; /* of the block's process */
    _Atomic uint32_t state;
};

static uint32_t frames_wanted;
static struct entry *_Atomic chains[CHAINS];
static struct entry *_Atomic gone;
static struct {
    struct entry *at;
    uint32_t left;
    uint32_t generation; /* a child of fork() may find a change half done */
} fresh;

static struct entry *_Atomic *chain_of(const void *p)
{
    enum { SMALLEST = 4 }; /* blocks have 16 bytes or more */
    uint64_t hash = ((uint64_t)(uintptr_t)p >> SMALLEST) * 0x9e3779b97f4a7c15u;
    return &chains[hash >> (64 - CHAINS_BITS)];
}

static bool is_in(const struct entry *e, enum state state)
{
    return atomic_load_explicit(&e->state, memory_order_acquire) == state &&
           e->generation == spur_generation();
}

static struct entry *find(const void *p)
{
    struct entry *e = atomic_load_explicit(chain_of(p), memory_order_acquire);
    while (e && !(is_in(e, KNOWN) && e->p == p))
        e = e->next;
    return e;
}

/* False: another thread was faster. */
static bool change(struct entry *e, uint32_t from, enum state to)
{
    return atomic_compare_exchange_strong(&e->state, &from, to);
}

static void note_gone(struct entry *e)
{
    struct entry *first = atomic_load(&gone);
    do
        e->next_gone = first;
    while (!atomic_compare_exchange_weak(&gone, &first, e));
}

/* ---- one thread at a time ---- */

static struct entry *add(const void *p)
{
    struct entry *_Atomic *chain = chain_of(p);
    if (!fresh.left || fresh.generation != spur_generation()) {
        fresh.generation = spur_generation();
        fresh.at = spur_mem_new(ENTRIES * sizeof *fresh.at);
        fresh.left = fresh.at ? ENTRIES : 0;
    }
    if (!fresh.left)
        return NULL;
    struct entry *e = fresh.at++;
    fresh.left--;
    e->next = atomic_load(chain);
    atomic_store_explicit(chain, e, memory_order_release);
    return e;
}

static bool keep(const void *p, const struct memory_block *block)
{
    struct entry *e = atomic_load(chain_of(p));
    while (e && e->generation == spur_generation() && !is_in(e, FREE))
        e = e->next;
    if (!e && !(e = add(p)))
        return false;
    e->p = p;
    e->block = *block;
    e->generation = spur_generation();
    atomic_store_explicit(&e->state, KNOWN, memory_order_release);
    return true;
}

/* ---- records ---- */

enum attribute { TAKEN, TAKEN_AT, GIVEN, GIVEN_AT, CALL_SITE, STANDS_FOR, ATTRIBUTES };

/*
 * To look up an attribute by name takes as long as the rest of a record: each attribute is looked
 * up once.
 */
static OTF2_AttributeRef attribute_of(enum attribute which)
{
    static const struct {
        const char *name, *meaning;
        OTF2_Type type;
    } row[ATTRIBUTES] = {
        [TAKEN] = {MEMORY_TAKEN, "bytes of the block that was taken", OTF2_TYPE_UINT64},
        [TAKEN_AT] = {MEMORY_TAKEN_AT, "its address", OTF2_TYPE_UINT64},
        [GIVEN] = {MEMORY_GIVEN, "bytes of the block that is given back", OTF2_TYPE_UINT64},
        [GIVEN_AT] = {MEMORY_GIVEN_AT, "its address", OTF2_TYPE_UINT64},
        [CALL_SITE] = {SPUR_ATTRIBUTE_CALL_SITE, "where the program makes the call",
                       OTF2_TYPE_CALLING_CONTEXT},
        [STANDS_FOR] = {MEMORY_STANDS_FOR, "bytes of the blocks that this one is a sample of",
                        OTF2_TYPE_UINT64}};
    static struct {
        bool is_known;
        uint32_t generation; /* of the process that knows `id` */
        OTF2_AttributeRef id;
    } known[ATTRIBUTES];
    if (!known[which].is_known || known[which].generation != spur_generation()) {
        known[which].generation = spur_generation();
        known[which].id = spur_def_attribute(row[which].name, row[which].meaning, row[which].type);
        known[which].is_known = known[which].id != OTF2_UNDEFINED_ATTRIBUTE;
    }
    return known[which].id;
}

static void give_number(struct spur_gauge_reason *reason, enum attribute which, uint64_t number)
{
    reason->attribute[reason->n++] =
        (struct spur_attribute){attribute_of(which), OTF2_TYPE_UINT64,
                                (OTF2_AttributeValue){.uint64 = number}};
}

static void give_block(struct spur_gauge_reason *reason, const struct memory_block *block)
{
    OTF2_CallingContextRef site = block->context - 1;
    if (site != OTF2_UNDEFINED_CALLING_CONTEXT)
        reason->attribute[reason->n++] =
            (struct spur_attribute){attribute_of(CALL_SITE), OTF2_TYPE_CALLING_CONTEXT,
                                    (OTF2_AttributeValue){.callingContextRef = site}};
    if (block->stands_for)
        give_number(reason, STANDS_FOR, block->stands_for);
}

static void say_taken(struct spur_gauge_reason *reason, const void *p,
                      const struct memory_block *block)
{
    give_number(reason, TAKEN, block->bytes);
    give_number(reason, TAKEN_AT, (uintptr_t)p);
    give_block(reason, block);
}

static void say_given(struct spur_gauge_reason *reason, const struct entry *e)
{
    give_number(reason, GIVEN, e->block.bytes);
    give_number(reason, GIVEN_AT, (uintptr_t)e->p);
    give_block(reason, &e->block);
}

/* Changes to be recorded: first the changes that no thread could record. */
struct change {
    const void *p;
    struct spur_frame here;     /* in the call that takes the block */
    struct memory_block *block; /* to be taken, or filled in */
    bool is_taken;
    bool is_done;
    bool was_known;
    struct entry *gone;
};

/* The next of the entries that had to wait; NULL: no entry is left. */
static struct entry *next_gone(struct change *c)
{
    struct entry *e = c->gone ? c->gone : atomic_exchange(&gone, NULL);
    while (e && e->generation != spur_generation()) /* of the parent */
        e = e->next_gone;
    c->gone = e ? e->next_gone : NULL;
    return e;
}

static bool next_reason(void *data, struct spur_gauge_reason *reason)
{
    struct change *c = data;
    struct entry *e = next_gone(c);
    if (!e && !c->is_done && (e = find(c->p))) {
        /* A block that is taken again was given back unseen. */
        if (!change(e, KNOWN, GONE))
            e = NULL;
        else if (!c->is_taken) {
            *c->block = e->block;
            c->was_known = c->is_done = true;
        }
    }
    if (e) {
        say_given(reason, e);
        atomic_store_explicit(&e->state, FREE, memory_order_release);
        return true;
    }
    if (c->is_done || !c->is_taken)
        return false;
    if (!c->block->context)
        c->block->context = spur_def_call_stack(c->here, c->block->caller, frames_wanted) + 1;
    if (!keep(c->p, c->block))
        return false;
    c->is_done = c->was_known = true;
    say_taken(reason, c->p, c->block);
    return true;
}

void memory_process_begins(void)
{
    if (spur_process_is_shown())
        return;
    struct spur_loc *loc = spur_begin(SPUR_FAMILY_MEMORY, false);
    if (loc)
        spur_end(loc);
}

void memory_blocks_start(uint32_t frames)
{
    frames_wanted = frames;
    spur_frames_start();
}

bool memory_blocks_took(const void *p, const struct memory_block *block)
{
    struct memory_block copy = *block;
    struct change c = {.p = p, .here = spur_frame_here(), .block = &copy, .is_taken = true};
    memory_process_begins();
    (void)spur_gauge_changed_for(next_reason, &c);
    return c.was_known;
}

bool memory_blocks_gave(const void *p, struct memory_block *block)
{
    struct change c = {.p = p, .block = block};
    if (!find(p))
        return false;
    if (spur_gauge_changed_for(next_reason, &c))
        return c.was_known;
    struct entry *e = find(p);
    if (!e)
        return false;
    *block = e->block;
    if (!change(e, KNOWN, GONE))
        return false;
    note_gone(e);
    return true;
}
