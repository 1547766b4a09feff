/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/io/io_ring_table.h"

#include <string.h>

#include "wrappers/io/io_hold.h"
#include "wrappers/io/io_ring_marks.h"

enum { BITS = 12, BUCKETS = 1 << BITS };

struct ring {
    const void *key; /* address of the requests; NULL: free */
    _Atomic unsigned *tail;
    const char *completions;
    size_t bytes;  /* of a completion */
    bool is_mixed; /* a completion may take two places */
    unsigned n, mask;
    unsigned begun; /* the first request, and completion, not looked at yet */
    unsigned seen;
    unsigned n_pending, n_silent;
    unsigned n_files;
    OTF2_IoHandleRef *files;
};

/* A chain keeps the order of the beginnings of operations. */
struct slot {
    struct io_ring_pending is; /* no ring: free */
    uint16_t next;             /* + 1; 0: the last slot */
};

_Atomic unsigned io_rings_pending;
static struct io_hold hold;
static struct ring rings[IO_RINGS];
static struct slot slots[IO_RING_MOST];
static struct chain {
    uint16_t first, last; /* + 1; 0: empty */
} chains[BUCKETS];
static unsigned n_fresh; /* slots from here on were never used */
static uint16_t free_slot;
static bool is_used;

void io_rings_forked(void)
{
    hold = (struct io_hold){0};
    if (!is_used)
        return;
    for (unsigned i = 0; i < IO_RINGS; i++)
        rings[i] = (struct ring){0}; /* the memory of the files is the parent's copy */
    memset(chains, 0, sizeof chains);
    n_fresh = 0;
    free_slot = 0;
    is_used = false;
    atomic_store_explicit(&io_rings_pending, 0, memory_order_relaxed);
}

/* ---- rings; the lock is held ---- */

static struct ring *find(const void *key)
{
    for (unsigned i = 0; i < IO_RINGS; i++)
        if (rings[i].key == key)
            return &rings[i];
    return NULL;
}

static void look(struct ring *r, const struct io_ring *ring)
{
    r->tail = ring->cq.tail;
    r->completions = ring->cq.completions;
    r->bytes = sizeof(struct io_ring_completion) << !!(ring->flags & IO_RING_WIDE_COMPLETIONS);
    r->is_mixed = ring->flags & IO_RING_MIXED_COMPLETIONS;
    r->mask = *ring->cq.mask;
    r->n = r->mask + 1;
}

static struct ring *find_or_add(const struct io_ring *ring)
{
    struct ring *r = find(ring->sq.requests);
    if (!r && (r = find(NULL)) != NULL) {
        is_used = true;
        atomic_thread_fence(memory_order_seq_cst); /* another thread may fork now */
        *r = (struct ring){.key = ring->sq.requests, .begun = ring->sq.own_head};
        r->seen = atomic_load_explicit(ring->cq.tail, memory_order_acquire);
    }
    if (r)
        look(r, ring);
    return r;
}

static bool is_known_kind(const struct io_ring *ring)
{
    return !(ring->flags & ~(unsigned)IO_RING_KNOWN) && ring->sq.requests && ring->sq.mask &&
           ring->cq.tail && ring->cq.mask && ring->cq.completions;
}

const void *io_ring_key(const struct io_ring *ring)
{
    if (!is_known_kind(ring) || !io_hold(&hold))
        return NULL;
    const struct ring *r = find_or_add(ring);
    const void *key = r ? r->key : NULL;
    io_let_go(&hold);
    return key;
}

bool io_ring_each(unsigned *i, const void **key)
{
    *key = NULL;
    if (!io_hold(&hold))
        return false;
    for (; !*key && *i < IO_RINGS; (*i)++)
        if (rings[*i].key && rings[*i].n_pending && spur_is_readable(rings[*i].tail) &&
            spur_is_readable(rings[*i].completions))
            *key = rings[*i].key;
    io_let_go(&hold);
    return *key != NULL;
}

/* ---- positions in the rings ---- */

bool io_ring_next_request(const struct io_ring *ring, unsigned end, unsigned *which)
{
    if (!io_hold(&hold))
        return false;
    struct ring *r = find(ring->sq.requests);
    const bool has = r && (int)(end - r->begun) > 0;
    if (has)
        *which = r->begun++;
    io_let_go(&hold);
    return has;
}

void io_ring_skip(const struct io_ring *ring)
{
    if (!io_hold(&hold))
        return;
    struct ring *r = find(ring->sq.requests);
    if (r)
        r->begun = ring->sq.own_tail;
    io_let_go(&hold);
}

/* The kernel may add completions during the reading. */
static bool next_completion(struct ring *r, struct io_ring_completion *done)
{
    for (;;) {
        const unsigned tail = atomic_load_explicit(r->tail, memory_order_acquire);
        if (tail == r->seen)
            return false;
        if (tail - r->seen > r->n)
            r->seen = tail - r->n;
        memcpy(done, r->completions + r->bytes * (r->seen & r->mask), sizeof *done);
        atomic_thread_fence(memory_order_acquire);
        if (atomic_load_explicit(r->tail, memory_order_relaxed) - r->seen <= r->n) {
            r->seen += r->is_mixed && done->flags & IO_RING_IS_WIDE ? 2 : 1;
            return true;
        }
    }
}

bool io_ring_next_completion(const void *key, struct io_ring_completion *done)
{
    if (!io_hold(&hold))
        return false;
    struct ring *r = find(key);
    const bool has = r && next_completion(r, done);
    io_let_go(&hold);
    return has;
}

/* ---- pending operations; the lock is held ---- */

static struct chain *chain_of(const void *key, uint64_t mark)
{
    enum { WORD_BITS = 64, GRAIN = 12 };
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
    return &chains[(mark ^ (uint64_t)(uintptr_t)key >> GRAIN) * golden >> (WORD_BITS - BITS)];
}

static void count(struct ring *r, const struct io_ring_pending *one, int change)
{
    r->n_pending += (unsigned)change;
    r->n_silent += one->is_silent ? (unsigned)change : 0;
    atomic_fetch_add_explicit(&io_rings_pending, (unsigned)change, memory_order_relaxed);
}

/* The number of the slot + 1; 0: no slot is free. */
static uint16_t new_slot(void)
{
    const uint16_t slot = free_slot;
    if (slot)
        free_slot = slots[slot - 1].next;
    return slot ? slot : n_fresh < IO_RING_MOST ? (uint16_t)++n_fresh : 0;
}

static void append(struct chain *chain, uint16_t slot)
{
    slots[slot - 1].next = 0;
    *(chain->last ? &slots[chain->last - 1].next : &chain->first) = slot;
    chain->last = slot;
}

/*
 * Takes `slot` out, the successor of `before`. `before` is 0 if `slot` is the first slot of the
 * chain.
 */
static void take_out(struct chain *chain, uint16_t before, uint16_t slot)
{
    *(before ? &slots[before - 1].next : &chain->first) = slots[slot - 1].next;
    if (chain->last == slot)
        chain->last = before;
    slots[slot - 1].is.ring = NULL;
    slots[slot - 1].next = free_slot;
    free_slot = slot;
}

static bool is_it(const struct ring *r, const struct io_ring_pending *one, uint64_t mark)
{
    return one->ring == r->key && one->mark == mark;
}

/*
 * Takes the operation in slot `wanted`, a slot with the mark; 0: the oldest operation with the
 * mark.
 */
static bool take(struct ring *r, uint64_t mark, uint16_t wanted, struct io_ring_pending *one)
{
    struct chain *chain = chain_of(r->key, mark);
    uint16_t before = 0, slot = chain->first;
    while (slot && (wanted ? slot != wanted : !is_it(r, &slots[slot - 1].is, mark))) {
        before = slot;
        slot = slots[slot - 1].next;
    }
    if (!slot)
        return false;
    *one = slots[slot - 1].is;
    take_out(chain, before, slot);
    count(r, one, -1);
    return true;
}

/* Takes any operation, or any operation without a completion. */
static bool take_some(struct ring *r, bool is_silent, struct io_ring_pending *one)
{
    if (!(is_silent ? r->n_silent : r->n_pending))
        return false;
    for (unsigned i = 0; i < n_fresh; i++)
        if (slots[i].is.ring == r->key && (!is_silent || slots[i].is.is_silent))
            return take(r, slots[i].is.mark, (uint16_t)(i + 1), one);
    return false;
}

bool io_ring_put(const struct io_ring_pending *one)
{
    if (!io_hold(&hold))
        return false;
    struct ring *r = find(one->ring);
    const uint16_t slot = r ? new_slot() : 0;
    if (slot) {
        slots[slot - 1].is = *one;
        append(chain_of(one->ring, one->mark), slot);
        count(r, one, 1);
    }
    io_let_go(&hold);
    return slot != 0;
}

#define TAKES(name, parameters, call)                                                              \
    bool name parameters                                                                           \
    {                                                                                              \
        if (!io_hold(&hold))                                                                       \
            return false;                                                                          \
        struct ring *r = find(key);                                                                \
        const bool has = r && (call);                                                              \
        io_let_go(&hold);                                                                          \
        return has;                                                                                \
    }
TAKES(io_ring_take, (const void *key, uint64_t mark, struct io_ring_pending *one),
      take(r, mark, 0, one))
TAKES(io_ring_take_silent, (const void *key, struct io_ring_pending *one), take_some(r, true, one))
TAKES(io_ring_take_any, (const void *key, struct io_ring_pending *one), take_some(r, false, one))

/* ---- registered files ---- */

static void free_files(struct ring *r)
{
    if (r->files)
        spur_mem_free(r->files, r->n_files * sizeof *r->files);
    r->files = NULL;
    r->n_files = 0;
}

static void make_room(struct ring *r, unsigned n)
{
    free_files(r);
    r->files = n ? spur_mem_new(n * sizeof *r->files) : NULL;
    r->n_files = r->files ? n : 0;
    for (unsigned i = 0; i < r->n_files; i++)
        r->files[i] = OTF2_UNDEFINED_IO_HANDLE;
}

void io_ring_room(const void *key, unsigned n)
{
    if (!io_hold(&hold))
        return;
    struct ring *r = find(key);
    if (r)
        make_room(r, n);
    io_let_go(&hold);
}

/* *old: the handle before. `set`: the new handle, NULL: the old handle stays. */
static bool exchange(const void *key, unsigned i, const OTF2_IoHandleRef *set,
                     OTF2_IoHandleRef *old)
{
    if (!io_hold(&hold))
        return false;
    const struct ring *r = find(key);
    const bool has = r && i < r->n_files;
    *old = has ? r->files[i] : OTF2_UNDEFINED_IO_HANDLE;
    if (has && set)
        r->files[i] = *set;
    io_let_go(&hold);
    return has;
}

OTF2_IoHandleRef io_ring_file(const void *key, unsigned i)
{
    OTF2_IoHandleRef file = OTF2_UNDEFINED_IO_HANDLE;
    (void)exchange(key, i, NULL, &file);
    return file;
}

void io_ring_set_file(const void *key, unsigned i, OTF2_IoHandleRef file)
{
    OTF2_IoHandleRef old;
    (void)exchange(key, i, &file, &old);
}

bool io_ring_take_file(const void *key, unsigned i, OTF2_IoHandleRef *file)
{
    const OTF2_IoHandleRef none = OTF2_UNDEFINED_IO_HANDLE;
    *file = none;
    return exchange(key, i, &none, file);
}

/* ---- the end, and other memory ---- */

static void forget(struct ring *r)
{
    struct io_ring_pending one;
    while (r && take_some(r, false, &one))
        ;
    if (r) {
        free_files(r);
        *r = (struct ring){0};
    }
}

void io_ring_new(const struct io_ring *ring)
{
    if (!ring->sq.requests || !io_hold(&hold))
        return;
    forget(find(ring->sq.requests));
    io_let_go(&hold);
}

/* The places in the rings go on. Operations with the same mark keep their order. */
void io_ring_moved(const void *old, const struct io_ring *ring)
{
    struct io_ring_pending one;
    if (old == ring->sq.requests || !io_hold(&hold))
        return;
    struct ring *r = find(old);
    forget(find(ring->sq.requests)); /* a ring whose end nobody saw */
    for (unsigned i = 0; r && i < n_fresh; i++)
        while (slots[i].is.ring == old && take(r, slots[i].is.mark, 0, &one)) {
            const uint16_t slot = new_slot(); /* the one that is free now */
            one.ring = ring->sq.requests;
            slots[slot - 1].is = one;
            append(chain_of(one.ring, one.mark), slot);
            count(r, &one, 1);
        }
    if (r) {
        r->key = ring->sq.requests;
        look(r, ring);
    }
    io_let_go(&hold);
}
