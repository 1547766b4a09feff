/* SPDX-License-Identifier: BSD-3-Clause */
/* Call sites: from a calling context to its place in the program. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "session/properties.h"
#include "tools/base/defs.h"
#include "tools/base/event_callbacks.h"
#include "tools/base/fail.h"
#include "wrappers/device/device_marks.h"
#include "wrappers/memory/memory_marks.h"
#include "wrappers/python/python_marks.h"

/* A damaged archive may have a circle of contexts. */
enum { INLINED_MAX = 64 };

static OTF2_CallbackCode on_attribute(void *user, OTF2_AttributeRef self, OTF2_StringRef name,
                                      OTF2_StringRef description, OTF2_Type type)
{
    struct defs *d = user;
    const struct {
        const char *name;
        OTF2_Type type;
        OTF2_AttributeRef *found;
    } known[] = {{SPUR_ATTRIBUTE_CALL_SITE, OTF2_TYPE_CALLING_CONTEXT, &d->call_site},
                 {SPUR_ATTRIBUTE_CALLS, OTF2_TYPE_UINT64, &d->calls},
                 {MEMORY_TAKEN, OTF2_TYPE_UINT64, &d->taken},
                 {MEMORY_GIVEN, OTF2_TYPE_UINT64, &d->given},
                 {MEMORY_STANDS_FOR, OTF2_TYPE_UINT64, &d->stands_for},
                 {SPUR_ATTRIBUTE_OFFSET, OTF2_TYPE_UINT64, &d->offset},
                 {SPUR_ATTRIBUTE_MAPPED, OTF2_TYPE_UINT64, &d->mapped},
                 {DEVICE_CORRELATION, OTF2_TYPE_UINT64, &d->work_id},
                 {DEVICE_BYTES, OTF2_TYPE_UINT64, &d->work_bytes},
                 {DEVICE_ITEMS, OTF2_TYPE_UINT64, &d->work_items}};
    (void)description;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (type == known[i].type && !strcmp(defs_text(d, name), known[i].name))
            *known[i].found = self;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_place(void *user, OTF2_SourceCodeLocationRef self, OTF2_StringRef file,
                                  uint32_t line)
{
    struct defs *d = user;
    map_set(&d->by_id, DEFS_PLACE, self, (uint32_t)d->places.n);
    *LIST_ADD(&d->places) = (struct place_of_code){file, line};
    return OTF2_CALLBACK_SUCCESS;
}

void defs_sites_register(OTF2_GlobalDefReaderCallbacks *c)
{
    READ_DEFINITION(Attribute, on_attribute);
    READ_DEFINITION(SourceCodeLocation, on_place);
}

struct place_of_code defs_place(const struct defs *d, uint32_t context)
{
    static const struct place_of_code nowhere = {OTF2_UNDEFINED_STRING, 0};
    uint32_t place = map_find(&d->by_id, DEFS_PLACE, d->contexts.at[context].place);
    return place == NIL ? nowhere : d->places.at[place];
}

static struct site site_at(const struct defs *d, uint32_t context)
{
    struct place_of_code place = defs_place(d, context);
    return (struct site){d->contexts.at[context].region, place.file, place.line};
}

/*
 * Code in a header of the system belongs to the program only by being inlined into a function of
 * the program.
 */
static bool is_of_system(const struct defs *d, const struct site *site)
{
    const char *file = defs_text(d, site->file);
    return !strncmp(file, "/usr/include/", 13) || !strncmp(file, "/usr/lib/", 9);
}

/* The frame in which a call is made: the innermost frame outside of headers of the system. */
static uint32_t find_frame(const struct defs *d, uint32_t innermost)
{
    uint32_t context = innermost;
    struct site site = site_at(d, context);
    for (int i = 0; i < INLINED_MAX && is_of_system(d, &site); i++) {
        context = d->contexts.at[context].parent;
        if (context == NIL)
            return innermost;
        site = site_at(d, context);
    }
    return site.line ? context : innermost;
}

static void find_sites(struct defs *d)
{
    struct map known = {0};
    for (size_t i = 0; i < d->contexts.n; i++) {
        struct site site = site_at(d, find_frame(d, (uint32_t)i));
        uint64_t place = (uint64_t)site.file << 32 | site.line;
        uint32_t index = map_index(&known, site.region, place, d->sites.n);
        if (index == d->sites.n)
            *LIST_ADD(&d->sites) = site;
        d->contexts.at[i].site = index;
    }
    free(known.slots);
}

/* ---- calls for scripts ---- */

/* Kinds of functions, by region. */
enum kind { OF_NO_SCRIPT, OF_SCRIPT, OF_LOADER, CALLS_FOR_SCRIPTS };

static enum kind kind_of(const struct defs *d, const struct region *function)
{
    const char *description = defs_text(d, function->description);
    if (!strcmp(description, SPUR_FUNCTION_FOR_SCRIPT))
        return CALLS_FOR_SCRIPTS;
    if (strcmp(description, SPUR_FUNCTION_OF_SCRIPT) != 0)
        return OF_NO_SCRIPT;
    const char *file = defs_text(d, function->file);
    return strncmp(file, PYTHON_LOADER, strlen(PYTHON_LOADER)) ? OF_SCRIPT : OF_LOADER;
}

/*
 * As the agent does for call sites: the next function of a script, from a context outwards, that
 * does not load another script. If all functions of scripts load scripts, the next function. NIL:
 * no script calls.
 */
static uint32_t find_maker(const struct defs *d, const enum kind *kinds, uint32_t context)
{
    uint32_t loader = NIL;
    size_t n = 0; /* more steps than contexts: a circle */
    for (; context != NIL && n < d->contexts.n; context = d->contexts.at[context].parent, n++) {
        enum kind kind = kinds[d->contexts.at[context].region];
        if (kind == OF_SCRIPT)
            return context;
        if (kind == OF_LOADER && loader == NIL)
            loader = context;
    }
    return loader;
}

static void find_makers(struct defs *d)
{
    size_t room = 0;
    enum kind *kinds = list_grow(NULL, &room, d->regions.n + 1, sizeof *kinds);
    bool has_scripts = false;
    for (size_t i = 0; i < d->regions.n; i++) {
        kinds[i] = kind_of(d, &d->regions.at[i]);
        has_scripts |= kinds[i] == OF_SCRIPT || kinds[i] == OF_LOADER;
    }
    for (uint32_t i = 0; i < d->contexts.n; i++) {
        const struct context *frame = &d->contexts.at[find_frame(d, i)];
        uint32_t script = has_scripts ? find_maker(d, kinds, i) : NIL;
        bool is_for_script = script != NIL && kinds[frame->region] == CALLS_FOR_SCRIPTS;
        d->contexts.at[i].script = script;
        d->contexts.at[i].maker = d->contexts.at[is_for_script ? script : i].site;
    }
    free(kinds);
}

/* ---- call paths ---- */

static uint32_t path_of(struct defs *d, struct map *known, uint32_t site, uint32_t caller)
{
    uint32_t index = map_index(known, site, caller, d->paths.n);
    if (index == d->paths.n)
        *LIST_ADD(&d->paths) = (struct call_path){site, caller};
    return index;
}

/*
 * Each context once: a context without a path waits until the path of its caller, further out, is
 * known.
 */
static void find_paths(struct defs *d)
{
    struct map known = {0};
    LIST(uint32_t) waiting = {0};
    for (size_t i = 0; i < d->contexts.n; i++) {
        uint32_t at = (uint32_t)i;
        /* More waiting contexts than contexts: a circle. */
        for (; at != NIL && d->contexts.at[at].path == NIL && waiting.n < d->contexts.n;
             at = d->contexts.at[find_frame(d, at)].parent)
            *LIST_ADD(&waiting) = at;
        uint32_t path = at == NIL ? NIL : d->contexts.at[at].path;
        while (waiting.n) {
            struct context *c = &d->contexts.at[waiting.at[--waiting.n]];
            c->path = path = path_of(d, &known, c->site, path);
        }
    }
    free(waiting.at);
    free(known.slots);
}

void defs_sites_finish(struct defs *d)
{
    find_sites(d);
    find_makers(d);
    find_paths(d);
}

/* The context of the call site among the attributes; NIL: no call site. */
static uint32_t context_in(const struct defs *d, const OTF2_AttributeList *attributes)
{
    OTF2_CallingContextRef context;
    if (d->call_site == OTF2_UNDEFINED_ATTRIBUTE ||
        !OTF2_AttributeList_TestAttributeByID(attributes, d->call_site) ||
        OTF2_AttributeList_GetCallingContextRef(attributes, d->call_site, &context) != OTF2_SUCCESS)
        return NIL;
    return defs_context(d, context);
}

uint32_t defs_site_in(const struct defs *d, const OTF2_AttributeList *attributes)
{
    uint32_t index = context_in(d, attributes);
    return index == NIL ? NIL : d->contexts.at[index].site;
}

bool defs_is_code(const struct defs *d, uint32_t context)
{
    const struct region *region = &d->regions.at[d->contexts.at[context].region];
    return region->paradigm == OTF2_PARADIGM_SAMPLING;
}

uint32_t defs_site_of_call(const struct defs *d, uint32_t context)
{
    uint32_t caller = d->contexts.at[context].parent;
    return caller == NIL || !defs_is_code(d, caller) ? NIL : d->contexts.at[caller].maker;
}

uint32_t defs_taker_in(const struct defs *d, const OTF2_AttributeList *attributes, uint32_t *path)
{
    uint32_t index = context_in(d, attributes);
    uint32_t script = index == NIL ? NIL : d->contexts.at[index].script;
    index = script == NIL ? index : script;
    *path = index == NIL ? NIL : d->contexts.at[index].path;
    return index == NIL ? NIL : d->contexts.at[index].site;
}

bool defs_number_in(const OTF2_AttributeList *attributes, OTF2_AttributeRef attribute,
                    uint64_t *number)
{
    return attribute != OTF2_UNDEFINED_ATTRIBUTE &&
           OTF2_AttributeList_TestAttributeByID(attributes, attribute) &&
           OTF2_AttributeList_GetUint64(attributes, attribute, number) == OTF2_SUCCESS;
}

uint64_t defs_calls_in(const struct defs *d, const OTF2_AttributeList *attributes)
{
    uint64_t calls;
    return defs_number_in(attributes, d->calls, &calls) && calls ? calls : 1;
}

uint32_t defs_site(const struct defs *d, uint64_t context)
{
    uint32_t index = defs_context(d, context);
    return index == NIL ? NIL : d->contexts.at[index].site;
}

const char *defs_site_file(const struct defs *d, uint32_t site)
{
    const char *file = site == NIL ? "" : defs_text(d, d->sites.at[site].file);
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

char *defs_site_name(const struct defs *d, uint32_t site)
{
    if (site == NIL)
        return copy_text("");
    if (d->sites.at[site].line)
        return make_text("%s:%u", defs_site_file(d, site), d->sites.at[site].line);
    return copy_text(defs_region_name(d, d->sites.at[site].region));
}

/* ---- call paths ---- */

bool defs_path_has_callers(const struct defs *d, uint32_t path)
{
    return path != NIL && d->paths.at[path].caller != NIL;
}

static char *frame_name(const struct defs *d, uint32_t site)
{
    const char *function = defs_region_name(d, d->sites.at[site].region);
    uint32_t line = d->sites.at[site].line;
    return line ? make_text("%s (%s:%u)", function, defs_site_file(d, site), line)
                : copy_text(function);
}

static bool is_described(const struct defs *d, uint32_t path, const char *text)
{
    uint32_t region = d->sites.at[d->paths.at[path].site].region;
    return region != NIL && !strcmp(defs_text(d, d->regions.at[region].description), text);
}

char *defs_path_name(const struct defs *d, uint32_t path, unsigned most)
{
    bool is_whole = most == UINT_MAX;
    bool is_script = path != NIL && is_described(d, path, SPUR_FUNCTION_OF_SCRIPT);
    char *text = NULL;
    for (unsigned n = 0; path != NIL && n < most; n++) {
        while (!is_whole && is_script && d->paths.at[path].caller != NIL &&
               is_described(d, path, SPUR_FUNCTION_FOR_SCRIPT))
            path = d->paths.at[path].caller;
        char *frame = frame_name(d, d->paths.at[path].site);
        char *longer = text ? make_text("%s > %s", frame, text) : copy_text(frame);
        free(frame);
        free(text);
        text = longer;
        path = d->paths.at[path].caller;
    }
    if (path == NIL || !text)
        return text ? text : copy_text("");
    char *cut = make_text("... > %s", text);
    free(text);
    return cut;
}
