/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/stacks/site.h"

#include <errno.h>

#include "agent/definitions/definitions.h"
#include "agent/stacks/binding.h"
#include "agent/stacks/cfi.h"
#include "agent/stacks/code_map.h"
#include "agent/stacks/context.h"
#include "agent/stacks/script.h"
#include "agent/state/settings.h"
#include "base/mem.h"
#include "base/own_code.h"
#include "base/own_stack.h"
#include "base/processor.h"
#include "session/properties.h"
#include "writer/evt_inline.h"

enum { FRAMES_MAX = 8 }; /* frames passed over at most */

static bool is_on;
static const struct spur_site nowhere;

/* ---- frames passed over ---- */

/*
 * The kind of code that makes a call. The calls of a binding and of a script's interpreter count as
 * calls of their callers.
 */
enum caller {
    PROGRAM,
    BINDING, /* a library that calls MPI on behalf of its caller */
    SCRIPT   /* an interpreter, calling for a script */
};

static enum caller caller_at_here(const void *address)
{
    char name[64];
    if (!spur_code_file(address, name, sizeof name))
        return PROGRAM;
    if (spur_binding_is_named(name))
        return BINDING;
    return spur_script_calls(name) ? SCRIPT : PROGRAM;
}
static enum caller caller_at(const void *address);
SPUR_DOOR(enum caller, caller_at, (const void *, address))

/*
 * The distance from the stack pointer at the call at `address` up to the end of the caller's frame;
 * 0: unknown.
 */
static uint32_t find_up(const void *address)
{
    enum { UP_MAX = 64 << 10 };
    struct spur_cfi_rule rule;
    if (!spur_cfi_find((uintptr_t)address - 1, &rule))
        return 0;
    bool is_plain = SPUR_CELL(PUSHED) != 0 && rule.frame.base == SPUR_CELL(STACK) &&
                    !rule.frame.is_read && !rule.is_signal && !rule.is_plt &&
                    rule.frame.offset > 0 && rule.frame.offset < UP_MAX &&
                    rule.address.base == SPUR_CFI_CFA && rule.address.is_read &&
                    rule.address.offset == -(int32_t)sizeof(void *);
    return is_plain ? (uint32_t)rule.frame.offset : 0;
}

/* ---- a site ---- */

/* Writes the attribute list in the form of otf2_attributes_encode(). */
static void make_bytes(struct spur_site *site, uint32_t attribute, uint32_t context)
{
    uint8_t *p = site->bytes;
    *p++ = OTF2_FRAME_ATTRIBUTES;
    uint8_t *length = p++;
    p = otf2_wire_put_tight(p, OTF2_WIRE_VAR32, 1);
    p = otf2_wire_put_tight(p, OTF2_WIRE_VAR32, attribute);
    *p++ = OTF2_TYPE_CALLING_CONTEXT;
    p = otf2_wire_put_tight(p, OTF2_WIRE_VAR32, context);
    *length = (uint8_t)(p - length - 1);
    site->length = (uint32_t)(p - site->bytes);
}

static void make(const struct spur_sites *sites, const void *address, struct spur_site *site)
{
    *site = nowhere;
    bool is_agent = spur_is_own_code(address);
    enum caller caller = is_agent                  ? BINDING
                         : spur_is_script(address) ? PROGRAM
                                                   : caller_at(address);
    if (caller == BINDING)
        site->up = find_up(address);
    if (site->up || is_agent || sites->attribute == OTF2_UNDEFINED_ATTRIBUTE)
        return;
    site->up = caller == SCRIPT ? SPUR_SITE_SCRIPT : 0;
    uint32_t context = spur_context_frame(OTF2_UNDEFINED_CALLING_CONTEXT, address);
    if (context != OTF2_UNDEFINED_CALLING_CONTEXT)
        make_bytes(site, sites->attribute, context);
}

/* If longjmp() leaves a call in the middle of keep(), no half-written site remains. */
static const struct spur_site *keep(struct spur_sites *sites, const void *address,
                                    const struct spur_site *made)
{
    struct spur_site *site = spur_site_first(sites, address);
    uint32_t way = 0;
    while (way < SPUR_SITE_WAYS && site[way].address)
        way++;
    site += way < SPUR_SITE_WAYS ? way : sites->next++ % SPUR_SITE_WAYS;
    site->address = NULL;
    atomic_signal_fence(memory_order_seq_cst);
    memcpy(site->bytes, made->bytes, sizeof site->bytes);
    site->length = made->length;
    site->up = made->up;
    atomic_signal_fence(memory_order_seq_cst);
    site->address = address;
    return site;
}

static const struct spur_site *learn(struct spur_sites *sites, const void *address)
{
    struct spur_site made;
    int saved = errno;
    make(sites, address, &made);
    errno = saved;
    return keep(sites, address, &made);
}

/* Forgets the sites after an unload: other objects may lie at the same addresses now. */
static void renew(struct spur_sites *sites)
{
    uint32_t unloads = atomic_load_explicit(sites->unloads, memory_order_acquire);
    if (sites->valid_for == unloads)
        return;
    for (uint32_t i = 0; i < SPUR_SITES + SPUR_SITE_WAYS; i++)
        sites->site[i].address = NULL;
    sites->valid_for = unloads;
}

/* `interpreter` is the site of the interpreter's own call, and counts if no script runs. */
static const struct spur_site *script_site(struct spur_sites *sites,
                                           const struct spur_site *interpreter)
{
    const void *place = spur_script_here();
    if (!place)
        return interpreter;
    const struct spur_site *site = spur_site_known(sites, place);
    return site ? site : learn(sites, place);
}

const struct spur_site *spur_site_find(struct spur_loc *loc, struct spur_caller caller)
{
    struct spur_sites *sites = loc->sites;
    const void *address = caller.address;
    uintptr_t frame = (uintptr_t)caller.frame;
    renew(sites);
    for (int i = 0; i < FRAMES_MAX; i++) {
        const struct spur_site *site = spur_site_known(sites, address);
        if (!site)
            site = learn(sites, address);
        if (!site->up)
            return site;
        if (site->up == SPUR_SITE_SCRIPT)
            return script_site(sites, site);
        frame += site->up;
        memcpy(&address, (const char *)frame - sizeof address,
               sizeof address); // NOLINT(performance-no-int-to-ptr)
    }
    return &nowhere;
}

OTF2_CallingContextRef spur_def_call_site(const void *return_address)
{
    return spur_context_frame(OTF2_UNDEFINED_CALLING_CONTEXT, return_address);
}

/* ---- locations ---- */

void spur_site_start(bool is_wanted)
{
    is_on = is_wanted;
    if (is_on)
        (void)spur_cfi_start(); /* without the rules a binding counts as the site of its calls */
}

static OTF2_AttributeRef site_attribute(void)
{
    return spur_def_attribute(SPUR_ATTRIBUTE_CALL_SITE, "where the program makes the call",
                              OTF2_TYPE_CALLING_CONTEXT);
}

OTF2_AttributeRef spur_def_site_attribute(void)
{
    return is_on || spur_settings.unwind ? site_attribute() : OTF2_UNDEFINED_ATTRIBUTE;
}

/* On locations with stacks, the stacks tell the sites already. */
void spur_site_opened(struct spur_loc *loc)
{
    if (!is_on || loc->type != OTF2_LOCATION_TYPE_CPU_THREAD ||
        (atomic_load_explicit(&loc->gate, memory_order_relaxed) & SPUR_GATE_STACKS))
        return;
    struct spur_sites *sites = spur_mem_new(sizeof *sites);
    if (!sites)
        return;
    sites->unloads = spur_code_unload_count();
    sites->valid_for = atomic_load_explicit(sites->unloads, memory_order_acquire);
    sites->attribute = site_attribute();
    if (sites->attribute == OTF2_UNDEFINED_ATTRIBUTE) {
        spur_mem_free(sites, sizeof *sites);
        return;
    }
    loc->sites = sites;
    atomic_fetch_or_explicit(&loc->gate, SPUR_GATE_SITES, memory_order_relaxed);
}

void spur_site_freed(struct spur_loc *loc)
{
    spur_mem_free(loc->sites, sizeof *loc->sites);
    loc->sites = NULL;
}
