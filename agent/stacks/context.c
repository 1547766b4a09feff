/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One table holds codes by return address, valid for the number of unloaded objects that they were
 * made at, and contexts by parent and what is below it.
 */
#include "agent/stacks/context.h"

#include <errno.h>

#include "agent/definitions/definitions.h"
#include "agent/definitions/table.h"
#include "agent/stacks/code_map.h"
#include "agent/stacks/script.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/own_stack.h"
#include "session/journal.h"

enum {
    UNLOADS_SHIFT = 32,
    PATHS_MAX = 3000000, /* contexts; the rest of SPUR_IDS_MAX is for regions without a parent */
};

#define UNDEFINED OTF2_UNDEFINED_UINT32

/* Keys: a code's address and this, or a context's region and code and its parent. */
static const uint64_t code_key = UINT64_MAX;

static struct spur_lock table_lock;
static struct spur_table table;

/* ---- codes ---- */

/* The last byte of the call: the instruction behind it may be another line's, or function's. */
static uint32_t define_code(struct spur_table_key key)
{
    int saved = errno;
    uint64_t unloads = spur_code_unloads();
    const char *address = (const char *)(uintptr_t)key.first; // NOLINT(performance-no-int-to-ptr)
    spur_lock_take(&table_lock);
    uint32_t code = spur_is_script(address) ? spur_script_code(address) : spur_code_at(address - 1);
    if (code != UNDEFINED)
        spur_table_put(&table, key, unloads << UNLOADS_SHIFT | code);
    spur_lock_give(&table_lock);
    errno = saved;
    return code;
}

uint32_t spur_context_code(const void *address)
{
    const struct spur_table_key key = {(uintptr_t)address, code_key};
    uint64_t value;
    if (spur_table_find(&table, key, &value) && value >> UNLOADS_SHIFT == spur_code_unloads())
        return (uint32_t)value;
    return define_code(key);
}

/* ---- contexts ---- */

static _Atomic uint32_t n_contexts;

static void say_full_here(void)
{
    spur_say("a process has had %d different call paths, as many as an archive can tell of: calls"
             " by a new one count for the part of it that was known before; a smaller number for"
             " --unwind makes fewer",
             PATHS_MAX);
}
static void say_full(void);
SPUR_DOOR_VOID_ALONE(say_full)

static bool is_full(uint32_t parent)
{
    static _Atomic bool is_said;
    uint32_t most = parent == UNDEFINED ? SPUR_IDS_MAX : PATHS_MAX;
    if (atomic_load_explicit(&n_contexts, memory_order_relaxed) < most)
        return false;
    if (!atomic_exchange_explicit(&is_said, true, memory_order_relaxed))
        say_full();
    return true;
}

static uint32_t define_context_here(const struct spur_table_key *key, uint32_t parent,
                                    uint32_t region, uint32_t code)
{
    int saved = errno;
    spur_lock_take(&table_lock);
    uint32_t context = spur_def_context(parent, region, code);
    if (context != UNDEFINED) {
        spur_table_put(&table, *key, context);
        atomic_store_explicit(&n_contexts, context + 1, memory_order_relaxed);
    }
    spur_lock_give(&table_lock);
    errno = saved;
    return context;
}

static uint32_t define_context(const struct spur_table_key *key, uint32_t parent, uint32_t region,
                               uint32_t code);
SPUR_DOOR(uint32_t, define_context, (const struct spur_table_key *, key), (uint32_t, parent),
          (uint32_t, region), (uint32_t, code))

static inline uint32_t context_of(uint32_t parent, uint32_t region, uint32_t code)
{
    const struct spur_table_key key = {(uint64_t)region << 32 | code, parent};
    uint64_t context;
    if (spur_table_find(&table, key, &context))
        return (uint32_t)context;
    return is_full(parent) ? UNDEFINED : define_context(&key, parent, region, code);
}

/* A frame whose code is in no module any more is left out. */
uint32_t spur_context_frame(uint32_t parent, const void *address)
{
    uint32_t code = spur_context_code(address);
    uint32_t context =
        code == UNDEFINED ? UNDEFINED : context_of(parent, OTF2_UNDEFINED_REGION, code);
    return context == UNDEFINED ? parent : context;
}

uint32_t spur_context_path(uint32_t parent, const void *const *leaf_first, uint32_t n,
                           bool leaf_is_exact)
{
    for (uint32_t i = n; i-- > 0;) {
        const char *address = leaf_first[i];
        parent = spur_context_frame(parent, address + (i == 0 && leaf_is_exact));
    }
    return parent;
}

uint32_t spur_context_region(uint32_t parent, OTF2_RegionRef region, const void *address)
{
    if (region == OTF2_UNDEFINED_REGION)
        return UNDEFINED;
    uint32_t code = address ? spur_context_code(address) : UNDEFINED;
    uint32_t context = context_of(parent, region, code);
    return context == UNDEFINED ? context_of(UNDEFINED, region, UNDEFINED) : context;
}

void spur_context_after_fork(void)
{
    spur_table_forget(&table);
    atomic_store_explicit(&n_contexts, 0, memory_order_relaxed);
    spur_lock_reset(&table_lock);
}
