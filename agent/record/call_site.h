/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Call sites (SPUR_SITES): an attribute of each Enter of a wrapped call names the place of the call
 * in the program. Each location keeps the attribute lists of the last sites, by return address, as
 * the bytes in front of the Enter; agent/stacks/site.c makes the lists.
 *
 * Return addresses in the agent are passed over, and return addresses in libraries that only
 * translate, as the bindings of MPI for Fortran do. For such an address, only the distance up the
 * stack to the end of the caller's frame is kept. The caller of a function that an interpreter
 * calls is the script. The place in the script is found anew for each call, and has an address of
 * its own (agent/stacks/script.h).
 */
#ifndef SPUR_CALL_SITE_H
#define SPUR_CALL_SITE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "agent/record/hooks.h"
#include "agent/record/location.h"

enum {
    SPUR_SITE_BYTES = 16, /* all written by one store, whatever the length is */
    SPUR_SITE_ROOM = 24,  /* free bytes in a chunk for a list; a writer's estimate */
    SPUR_SITES_BITS = 8,
    SPUR_SITES = 1 << SPUR_SITES_BITS,
    SPUR_SITE_WAYS = 4 /* possible places of a site */
};

struct spur_site {
    const void *address; /* NULL: free */
    uint8_t bytes[SPUR_SITE_BYTES];
    uint32_t length; /* 0: no list is written */
    uint32_t up;     /* not 0: passed over; from its frame to its caller's, or: */
};
enum {
    SPUR_SITE_SCRIPT = INT32_MAX
}; /* the call comes from the script of an interpreter, if any */

struct spur_sites {
    const _Atomic uint32_t *unloads; /* of objects, up to now, */
    uint32_t valid_for;              /* and at the time of the first site */
    uint32_t attribute;              /* OTF2_AttributeRef */
    uint32_t next;                   /* way that is taken next where all are in use */
    struct spur_site site[SPUR_SITES + SPUR_SITE_WAYS];
};

static inline struct spur_site *spur_site_first(struct spur_sites *sites, const void *address)
{
    uint64_t hash = (uint64_t)(uintptr_t)address * 0x9e3779b97f4a7c15u;
    return &sites->site[hash >> (64 - SPUR_SITES_BITS)];
}

static inline const struct spur_site *spur_site_known(struct spur_sites *sites, const void *address)
{
    const struct spur_site *site = spur_site_first(sites, address);
    for (int i = 0; i < SPUR_SITE_WAYS; i++)
        if (__builtin_expect(site[i].address == address, 1))
            return &site[i];
    return NULL;
}

/* The site of a call of the location's thread, the owner. The location has sites. */
static inline __attribute__((always_inline)) const struct spur_site *
spur_site_of(struct spur_loc *loc, struct spur_caller caller)
{
    struct spur_sites *sites = loc->sites;
    bool is_valid = sites->valid_for == atomic_load_explicit(sites->unloads, memory_order_acquire);
    const struct spur_site *site = is_valid ? spur_site_known(sites, caller.address) : NULL;
    if (__builtin_expect(!site || site->up, 0))
        site = spur_hooks.site(loc, caller);
    if (!site)
        __builtin_unreachable();
    return site;
}

/* The bytes of a site. There is room for SPUR_SITE_ROOM bytes. */
static inline uint8_t *spur_site_fill(uint8_t *at, const struct spur_site *site)
{
    memcpy(at, site->bytes, SPUR_SITE_BYTES);
    return at + site->length;
}

#endif
