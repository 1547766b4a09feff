/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The launches of the last calls, by the runtime's numbers. A launch stays until so many others
 * have come that its place is needed: a graph gives many works.
 */
#include "wrappers/device/device_told.h"

enum { LAUNCHES_BITS = 16, LAUNCHES = 1 << LAUNCHES_BITS, CHAINS = LAUNCHES };

struct device_kept {
    struct device_launch launch;
    uint64_t correlation, stream;
    uint32_t next; /* place + 1; 0: none */
};

static uint32_t *chain_of(const struct device_launches *all, uint64_t correlation)
{
    return &all->chain[correlation % CHAINS];
}

static bool is_ready(struct device_launches *all)
{
    if (!all->kept)
        all->kept = spur_mem_new(LAUNCHES * sizeof *all->kept);
    if (!all->chain)
        all->chain = spur_mem_new(CHAINS * sizeof *all->chain);
    return all->kept && all->chain;
}

static void unlink_kept(const struct device_launches *all, uint32_t place)
{
    uint32_t *at = chain_of(all, all->kept[place].correlation);
    while (*at && *at != place + 1)
        at = &all->kept[*at - 1].next;
    if (*at)
        *at = all->kept[place].next;
}

static const struct device_kept *find(const struct device_launches *all, uint64_t correlation)
{
    uint32_t at = *chain_of(all, correlation);
    while (at && all->kept[at - 1].correlation != correlation)
        at = all->kept[at - 1].next;
    return at ? &all->kept[at - 1] : NULL;
}

void device_launches_keep(struct device_launches *all, uint64_t correlation,
                          const struct device_launch *launch, uint64_t stream)
{
    wrapper_lock_take(&all->lock);
    if (is_ready(all)) {
        uint32_t place = (uint32_t)(all->n % LAUNCHES);
        if (all->n++ >= LAUNCHES)
            unlink_kept(all, place);
        uint32_t *chain = chain_of(all, correlation);
        all->kept[place] = (struct device_kept){*launch, correlation, stream, *chain};
        *chain = place + 1;
    }
    wrapper_lock_give(&all->lock);
}

bool device_launches_find(struct device_launches *all, uint64_t correlation,
                          struct device_launch *launch, uint64_t *stream)
{
    wrapper_lock_take(&all->lock);
    const struct device_kept *kept = all->chain ? find(all, correlation) : NULL;
    if (kept)
        *launch = kept->launch;
    if (kept && stream)
        *stream = kept->stream;
    wrapper_lock_give(&all->lock);
    return kept != NULL;
}

void device_launches_forget(struct device_launches *all)
{
    wrapper_lock_give(&all->lock);
    if (all->kept)
        spur_mem_free(all->kept, LAUNCHES * sizeof *all->kept);
    if (all->chain)
        spur_mem_free(all->chain, CHAINS * sizeof *all->chain);
    all->kept = NULL;
    all->chain = NULL;
    all->n = 0;
}
