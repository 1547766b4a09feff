/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/check/holds.h"

#include <stdlib.h>

enum { EXCLUSIVE, SHARED, WAYS };

/* One that is not the last. */
struct kept {
    struct hold hold;
    struct kept *below;  /* an earlier one of the same number */
    struct holder *of;   /* NULL: taken out, but still in its number's list */
    struct kept *before; /* of the holder and the same way */
    struct kept *after;
};

struct number {
    struct node node; /* a: lock, b: number */
    struct kept *latest;
};

struct holder {
    struct node node; /* a: lock, c: location */
    const struct location *at;
    struct kept *kept[WAYS];
    struct holder *before, *after; /* of the lock, as long as it keeps it exclusively */
};

void holds_begin(struct holds *holds)
{
    holds->numbers.node_bytes = sizeof(struct number);
    holds->holders.node_bytes = sizeof(struct holder);
}

static void free_number(void *node, void *context)
{
    struct number *number = node;
    (void)context;
    for (struct kept *below; number->latest; number->latest = below) {
        below = number->latest->below;
        free(number->latest);
    }
}

void holds_end(struct holds *holds)
{
    table_each(&holds->numbers, free_number, NULL);
    table_fini(&holds->numbers);
    table_fini(&holds->holders);
}

static struct key number_key(const struct held *held, uint32_t order)
{
    return (struct key){(uintptr_t)held, order, 0};
}

static struct key holder_key(const struct held *held, const struct location *at)
{
    return (struct key){(uintptr_t)held, 0, at->id};
}

static void link_holder(struct held *held, struct holder *holder)
{
    holder->before = NULL;
    holder->after = held->exclusive;
    if (holder->after)
        holder->after->before = holder;
    held->exclusive = holder;
}

static void unlink_holder(struct held *held, struct holder *holder)
{
    *(holder->before ? &holder->before->after : &held->exclusive) = holder->after;
    if (holder->after)
        holder->after->before = holder->before;
}

/* Into the maps. */
static void keep(struct holds *holds, struct held *held, struct hold hold)
{
    struct number *number = table_intern(&holds->numbers, number_key(held, hold.order));
    struct holder *holder = table_intern(&holds->holders, holder_key(held, hold.at));
    struct kept **first = &holder->kept[hold.is_shared ? SHARED : EXCLUSIVE];
    struct kept *kept = take_memory(sizeof *kept);
    *kept = (struct kept){hold, number->latest, holder, NULL, *first};
    if (!hold.is_shared && !*first)
        link_holder(held, holder);
    if (*first)
        (*first)->before = kept;
    *first = kept;
    number->latest = kept;
    holder->at = hold.at;
}

/* Out of its holder's list. */
static void give_up(struct holds *holds, struct held *held, struct kept *kept)
{
    struct holder *holder = kept->of;
    struct kept **first = &holder->kept[kept->hold.is_shared ? SHARED : EXCLUSIVE];
    *(kept->before ? &kept->before->after : first) = kept->after;
    if (kept->after)
        kept->after->before = kept->before;
    kept->of = NULL;
    if (!kept->hold.is_shared && !*first)
        unlink_holder(held, holder);
    if (!holder->kept[EXCLUSIVE] && !holder->kept[SHARED])
        table_remove(&holds->holders, holder);
}

void holds_add(struct holds *holds, struct held *held, struct hold new)
{
    if (held->has_last)
        keep(holds, held, held->last);
    held->last = new;
    held->has_last = true;
}

const struct hold *holds_rival(const struct held *held, const struct hold *wish)
{
    if (wish->is_shared)
        return NULL;
    if (held->has_last && held->last.at != wish->at && !held->last.is_shared)
        return &held->last;
    const struct holder *holder = held->exclusive;
    if (holder && holder->at == wish->at)
        holder = holder->after;
    return holder ? &holder->kept[EXCLUSIVE]->hold : NULL;
}

bool holds_take(struct holds *holds, struct held *held, uint32_t order, struct hold *taken)
{
    if (held->has_last && held->last.order == order) {
        *taken = held->last;
        held->has_last = false;
        return true;
    }
    struct number *number = table_find(&holds->numbers, number_key(held, order));
    bool is_held = false;
    while (number && number->latest && !is_held) {
        struct kept *kept = number->latest;
        is_held = kept->of;
        *taken = kept->hold;
        if (is_held)
            give_up(holds, held, kept);
        number->latest = kept->below;
        free(kept);
    }
    if (number && !number->latest)
        table_remove(&holds->numbers, number);
    return is_held;
}

void holds_take_any(struct holds *holds, struct held *held, const struct location *at)
{
    if (held->has_last && held->last.at == at) {
        held->has_last = false;
        return;
    }
    struct holder *holder = table_find(&holds->holders, holder_key(held, at));
    if (holder)
        give_up(holds, held, holder->kept[holder->kept[EXCLUSIVE] ? EXCLUSIVE : SHARED]);
}
