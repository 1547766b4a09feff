/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The launches of the last calls, by CUPTI's numbers. A launch stays until so many others have come
 * that its place is needed: a graph gives many works.
 */
#include "wrappers/cuda/cuda.h"

enum { LAUNCHES_BITS = 16, LAUNCHES = 1 << LAUNCHES_BITS, CHAINS = LAUNCHES };

struct kept {
    struct device_launch launch;
    uint32_t correlation;
    uint32_t next; /* place + 1; 0: none */
};

static struct {
    struct wrapper_lock lock;
    struct kept *kept;
    uint32_t *chain; /* place + 1 */
    uint64_t n;      /* all that there were */
} all;

static uint32_t *chain_of(uint32_t correlation)
{
    return &all.chain[correlation % CHAINS];
}

static bool is_ready(void)
{
    if (!all.kept)
        all.kept = spur_mem_new(LAUNCHES * sizeof *all.kept);
    if (!all.chain)
        all.chain = spur_mem_new(CHAINS * sizeof *all.chain);
    return all.kept && all.chain;
}

static void unlink_kept(uint32_t place)
{
    uint32_t *at = chain_of(all.kept[place].correlation);
    while (*at && *at != place + 1)
        at = &all.kept[*at - 1].next;
    if (*at)
        *at = all.kept[place].next;
}

static const struct kept *find(uint32_t correlation)
{
    uint32_t at = *chain_of(correlation);
    while (at && all.kept[at - 1].correlation != correlation)
        at = all.kept[at - 1].next;
    return at ? &all.kept[at - 1] : NULL;
}

void cuda_launch_keep(uint32_t correlation, const struct device_launch *launch)
{
    wrapper_lock_take(&all.lock);
    if (is_ready()) {
        uint32_t place = (uint32_t)(all.n % LAUNCHES);
        if (all.n++ >= LAUNCHES)
            unlink_kept(place);
        uint32_t *chain = chain_of(correlation);
        all.kept[place] = (struct kept){*launch, correlation, *chain};
        *chain = place + 1;
    }
    wrapper_lock_give(&all.lock);
}

bool cuda_launch_find(uint32_t correlation, struct device_launch *launch)
{
    wrapper_lock_take(&all.lock);
    const struct kept *kept = all.chain ? find(correlation) : NULL;
    if (kept)
        *launch = kept->launch;
    wrapper_lock_give(&all.lock);
    return kept != NULL;
}

/* In a child of fork(), whose parent's threads may have held the lock. */
void cuda_launches_forget(void)
{
    wrapper_lock_give(&all.lock);
    if (all.kept)
        spur_mem_free(all.kept, LAUNCHES * sizeof *all.kept);
    if (all.chain)
        spur_mem_free(all.chain, CHAINS * sizeof *all.chain);
    all.kept = NULL;
    all.chain = NULL;
    all.n = 0;
}
