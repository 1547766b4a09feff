/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/define/finish_context.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "finish/define/finish_define.h"
#include "session/properties.h"

enum { NAME_BYTES = 4096, ID_SHIFT = 32 };

#define UNDEFINED OTF2_UNDEFINED_UINT32

/* Behind the last function of a code: no region has this number. */
static const uint64_t end_of_list = UINT64_MAX;

static bool add(struct spur_words *words, uint64_t word)
{
    uint64_t *at = spur_words_add(words, 1);
    if (at)
        *at = word;
    return at != NULL;
}

/* ---- functions ---- */

/* Functions in a header of the system are equal in all modules into which they are inlined. */
static bool is_for_script(const struct finish_frame *frame, const char *module)
{
    static const char headers[] = "/usr/include/", libraries[] = "/usr/lib/";
    const char *slash = strrchr(module, '/');
    const char *name = slash ? slash + 1 : module;
    bool is = false;
#define BEGINS(text) is |= strncmp(name, text, strlen(text)) == 0;
#define CONTAINS(text) is |= strstr(name, text) != NULL;
#include "wrappers/python/python_callers.def"
    return is && strncmp(frame->source, headers, sizeof headers - 1) != 0 &&
           strncmp(frame->source, libraries, sizeof libraries - 1) != 0;
}

static const char *describe(const struct finish_frame *frame, const char *module)
{
    if (frame->is_script)
        return SPUR_FUNCTION_OF_SCRIPT;
    return is_for_script(frame, module) ? SPUR_FUNCTION_FOR_SCRIPT : SPUR_FUNCTION_OF_CODE;
}

/*
 * Without debug information the function's file is the module: a name is unique within a module at
 * most.
 */
static uint32_t define_function(struct finish *f, const struct finish_frame *frame, uint32_t code)
{
    char text[NAME_BYTES];
    snprintf(text, sizeof text, "%s", frame->function);
    if (!text[0])
        finish_code_address(f, code, frame->offset, text, sizeof text);
    uint32_t name = spur_unify_string(f->unify, text[0] ? text : "[unknown]");
    const char *module = finish_code_path(f, code);
    const char *described = describe(frame, module);
    snprintf(text, sizeof text, "%s", frame->source[0] ? frame->source : module);
    uint32_t file = spur_unify_string(f->unify, text);
    uint32_t description = spur_unify_string(f->unify, described);
    const struct spur_cell cells[SPUR_AT_Region_END] = {
        [SPUR_AT_Region_name] = {name, NULL},
        [SPUR_AT_Region_canonicalName] = {name, NULL},
        [SPUR_AT_Region_description] = {description, NULL},
        [SPUR_AT_Region_regionRole] = {OTF2_REGION_ROLE_FUNCTION, NULL},
        [SPUR_AT_Region_paradigm] = {OTF2_PARADIGM_SAMPLING, NULL},
        [SPUR_AT_Region_regionFlags] = {OTF2_REGION_FLAG_NONE, NULL},
        [SPUR_AT_Region_sourceFile] = {file, NULL},
        [SPUR_AT_Region_beginLineNumber] = {frame->begin, NULL},
        [SPUR_AT_Region_endLineNumber] = {0, NULL}};
    return spur_unify_define(f->unify, SPUR_DEFINITION_Region, cells);
}

/* *place is undefined if file and line are unknown. */
static bool define_place(struct finish *f, const struct finish_frame *frame, uint32_t *place)
{
    *place = UNDEFINED;
    if (!frame->line)
        return true;
    uint32_t file = spur_unify_string(f->unify, frame->file);
    const struct spur_cell cells[SPUR_AT_SourceCodeLocation_END] = {
        [SPUR_AT_SourceCodeLocation_file] = {file, NULL},
        [SPUR_AT_SourceCodeLocation_lineNumber] = {frame->line, NULL}};
    *place = spur_unify_define(f->unify, SPUR_DEFINITION_SourceCodeLocation, cells);
    return *place != UNDEFINED;
}

/*
 * The index in `first` of the functions of a context's code. The site of a call is a context of one
 * frame: a function without a name is named by the address of the call there.
 */
static uint64_t place_of(const struct finish *f, const struct finish_functions *functions,
                         uint32_t context, const struct spur_cell *cells)
{
    const uint64_t codes = spur_unify_count(f->unify, SPUR_SPACE_CODE);
    const uint64_t code = cells[SPUR_AT_ContextAt_code].number;
    bool is_site = cells[SPUR_AT_ContextAt_parent].number == UNDEFINED &&
                   cells[SPUR_AT_ContextAt_region].number == UNDEFINED &&
                   !functions->above.at[context];
    if (code >= codes)
        return UNDEFINED;
    return is_site ? codes + spur_unify_count(f->unify, SPUR_SPACE_CODE_CALL) + code : code;
}

/* Code without any known frame is a function of its own. */
static bool list_functions(struct finish *f, const struct finish_frames *frames, uint32_t code,
                           uint64_t place, struct finish_functions *functions)
{
    struct finish_frame frame = {.function = "", .file = "", .source = ""};
    functions->first.at[place] = functions->list.n + 1;
    bool is_known = finish_frames_get(frames, code, 0, &frame);
    uint32_t depth = 0;
    if (place > code)
        frame.offset = 0;
    do {
        uint32_t line, region = define_function(f, &frame, code);
        if (region == UNDEFINED || !define_place(f, &frame, &line) ||
            !add(&functions->list, (uint64_t)region << ID_SHIFT | line))
            return false;
    } while (is_known && finish_frames_get(frames, code, ++depth, &frame));
    return add(&functions->list, end_of_list);
}

/* ---- calls ---- */

/*
 * Is the context's parent code as well? Then the parent is a frame right above this frame, or above
 * a function.
 */
static bool is_called(const struct finish *f, const struct spur_cell *cells, uint64_t *caller)
{
    struct spur_record record;
    struct spur_cell parent[SPUR_CELLS_MAX];
    uint64_t id = cells[SPUR_AT_ContextAt_parent].number;
    bool has_code = cells[SPUR_AT_ContextAt_code].number != UNDEFINED;
    bool has_region = cells[SPUR_AT_ContextAt_region].number != UNDEFINED;
    if (id == UNDEFINED || has_code == has_region)
        return false;
    spur_unify_get(f->unify, SPUR_SPACE_CALLING_CONTEXT, (uint32_t)id, &record, parent);
    if (record.kind != SPUR_DEFINITION_ContextAt)
        return false;
    *caller = parent[SPUR_AT_ContextAt_code].number;
    return *caller != UNDEFINED && parent[SPUR_AT_ContextAt_region].number == UNDEFINED;
}

/* The name of a region that is a function of a library; false: another region. */
static bool copy_name(const struct finish *f, uint64_t region, char *text, size_t size)
{
    struct spur_record record;
    struct spur_cell cells[SPUR_CELLS_MAX];
    spur_unify_get(f->unify, SPUR_SPACE_REGION, (uint32_t)region, &record, cells);
    if (record.kind != SPUR_DEFINITION_Region)
        return false;
    uint64_t name = cells[SPUR_AT_Region_name].number;
    if (name >= spur_unify_count(f->unify, SPUR_SPACE_STRING))
        return false;
    spur_unify_get(f->unify, SPUR_SPACE_STRING, (uint32_t)name, &record, cells);
    snprintf(text, size, "%s", (const char *)cells[SPUR_AT_String_string].at);
    return true;
}

/* The number of the context's CodeCall + 1, 0: no call; false: no memory. */
static bool define_call(struct finish *f, uint32_t context, uint64_t *call)
{
    struct spur_record record;
    struct spur_cell cells[SPUR_CELLS_MAX];
    char name[NAME_BYTES] = "";
    uint64_t caller;
    *call = 0;
    spur_unify_get(f->unify, SPUR_SPACE_CALLING_CONTEXT, context, &record, cells);
    if (record.kind != SPUR_DEFINITION_ContextAt || !is_called(f, cells, &caller))
        return true;
    uint64_t callee = cells[SPUR_AT_ContextAt_code].number;
    if (callee == UNDEFINED &&
        !copy_name(f, cells[SPUR_AT_ContextAt_region].number, name, sizeof name))
        return true;
    const struct spur_cell made[SPUR_AT_CodeCall_END] = {[SPUR_AT_CodeCall_caller] = {caller, NULL},
                                                         [SPUR_AT_CodeCall_callee] = {callee, NULL},
                                                         [SPUR_AT_CodeCall_name] = {strlen(name),
                                                                                    name}};
    uint32_t id = spur_unify_define(f->unify, SPUR_DEFINITION_CodeCall, made);
    *call = (uint64_t)id + 1;
    return id != UNDEFINED;
}

int finish_context_calls(struct finish *f, struct finish_functions *functions)
{
    uint32_t n = spur_unify_count(f->unify, SPUR_SPACE_CALLING_CONTEXT);
    for (uint32_t id = 0; id < n; id++) {
        uint64_t call;
        if (!define_call(f, id, &call) || !add(&functions->call, call))
            return -ENOMEM;
    }
    return 0;
}

/* ---- the functions of all contexts ---- */

/* Lists the functions of a context's code, and of the call that led to the code. */
static bool list_context(struct finish *f, const struct finish_frames *frames, uint32_t codes,
                         uint32_t context, struct finish_functions *functions)
{
    const uint64_t *first = functions->first.at;
    struct spur_record record;
    struct spur_cell cells[SPUR_CELLS_MAX];
    struct finish_frame frame;
    spur_unify_get(f->unify, SPUR_SPACE_CALLING_CONTEXT, context, &record, cells);
    if (record.kind != SPUR_DEFINITION_ContextAt)
        return true;
    const uint64_t code = cells[SPUR_AT_ContextAt_code].number;
    const uint64_t place = place_of(f, functions, context, cells);
    if (place != UNDEFINED && !first[place] &&
        !list_functions(f, frames, (uint32_t)code, place, functions))
        return false;
    uint64_t call = functions->call.at[context];
    uint32_t number = codes + (uint32_t)call - 1;
    return !call || first[number] || !finish_frames_get(frames, number, 0, &frame) ||
           list_functions(f, frames, number, number, functions);
}

static bool list_parents(struct finish *f, uint32_t contexts, struct spur_words *above)
{
    struct spur_record record;
    struct spur_cell cells[SPUR_CELLS_MAX];
    if (contexts && !spur_words_add(above, contexts))
        return false;
    for (uint32_t id = 0; id < contexts; id++) {
        spur_unify_get(f->unify, SPUR_SPACE_CALLING_CONTEXT, id, &record, cells);
        if (record.kind != SPUR_DEFINITION_ContextAt)
            continue;
        uint64_t parent = cells[SPUR_AT_ContextAt_parent].number;
        if (parent < contexts)
            above->at[parent] = 1;
    }
    return true;
}

int finish_context_functions(struct finish *f, const struct finish_frames *frames,
                             struct finish_functions *functions)
{
    uint32_t codes = spur_unify_count(f->unify, SPUR_SPACE_CODE);
    uint32_t calls = spur_unify_count(f->unify, SPUR_SPACE_CODE_CALL);
    uint32_t contexts = spur_unify_count(f->unify, SPUR_SPACE_CALLING_CONTEXT);
    if (!list_parents(f, contexts, &functions->above) ||
        (codes && contexts && !spur_words_add(&functions->first, 2 * (size_t)codes + calls)))
        return -ENOMEM;
    for (uint32_t id = 0; id < contexts; id++)
        if (!list_context(f, frames, codes, id, functions))
            return -ENOMEM;
    return 0;
}

void finish_functions_free(struct finish_functions *functions)
{
    spur_words_free(&functions->first);
    spur_words_free(&functions->call);
    spur_words_free(&functions->above);
    spur_words_free(&functions->list);
}

/* ---- contexts ---- */

struct defining {
    struct finish *f;
    const struct finish_functions *functions;
    const struct spur_words *region_id;
    uint64_t codes;
    struct spur_words id; /* in the archive, by unified id of the ContextAt */
};

/* Gives the id in the archive: CallingContexts stand behind all contexts defined by processes. */
static bool define_context(struct defining *d, uint64_t region, uint64_t place, uint64_t *parent)
{
    struct spur_unify *unify = d->f->unify;
    const struct spur_cell cells[SPUR_AT_CallingContext_END] = {
        [SPUR_AT_CallingContext_region] = {region, NULL},
        [SPUR_AT_CallingContext_sourceCodeLocation] = {place, NULL},
        [SPUR_AT_CallingContext_parent] = {*parent, NULL}};
    uint32_t before = spur_unify_count(unify, SPUR_SPACE_CALLING_CONTEXT);
    uint32_t id = spur_unify_define(unify, SPUR_DEFINITION_CallingContext, cells);
    if (id == UNDEFINED)
        return false;
    uint64_t depth = *parent < d->f->contexts.n ? d->f->contexts.at[*parent].depth + 1 : 1;
    if (id == before &&
        !finish_contexts_add(&d->f->contexts, (uint32_t)*parent, (uint32_t)region, (uint32_t)depth))
        return false;
    *parent = id - d->f->first_context;
    return true;
}

/*
 * Defines all functions around the code, outermost first; the first function is `region` if there
 * is a region.
 */
static bool define_functions(struct defining *d, uint64_t code, uint64_t region, uint64_t *parent)
{
    const struct finish_functions *functions = d->functions;
    uint64_t at = code < functions->first.n ? functions->first.at[code] : 0;
    const uint64_t *first = at ? &functions->list.at[at - 1] : NULL;
    size_t n = 0;
    while (first && first[n] != end_of_list)
        n++;
    if (region != UNDEFINED &&
        !define_context(d, d->region_id->at[region], n ? (uint32_t)first[--n] : UNDEFINED, parent))
        return false;
    while (n-- > 0)
        if (!define_context(d, d->region_id->at[first[n] >> ID_SHIFT], (uint32_t)first[n], parent))
            return false;
    return true;
}

static int define_contexts(struct defining *d)
{
    struct spur_record record;
    struct spur_cell cells[SPUR_CELLS_MAX];
    for (uint32_t id = 0; id < d->f->first_context; id++) {
        spur_unify_get(d->f->unify, SPUR_SPACE_CALLING_CONTEXT, id, &record, cells);
        uint64_t context = UNDEFINED;
        if (record.kind == SPUR_DEFINITION_ContextAt) {
            uint64_t parent = cells[SPUR_AT_ContextAt_parent].number;
            uint64_t region = cells[SPUR_AT_ContextAt_region].number;
            uint64_t call = d->functions->call.at[id];
            d->f->has_stacks |= parent != UNDEFINED || region != UNDEFINED;
            uint64_t jumped = call ? d->codes + call - 1 : UNDEFINED;
            context = parent < d->id.n ? d->id.at[parent] : UNDEFINED;
            if (!define_functions(d, jumped, UNDEFINED, &context) ||
                !define_functions(d, place_of(d->f, d->functions, id, cells), region, &context))
                return -ENOMEM;
        }
        if (!add(&d->id, context))
            return -ENOMEM;
    }
    return 0;
}

int finish_context_define(struct finish *f, const struct finish_functions *functions,
                          const struct spur_words *region_id)
{
    struct defining d = {.f = f,
                         .functions = functions,
                         .region_id = region_id,
                         .codes = spur_unify_count(f->unify, SPUR_SPACE_CODE)};
    f->has_stacks = spur_unify_count(f->unify, SPUR_SPACE_INTERRUPT_GENERATOR) > 0;
    f->first_context = spur_unify_count(f->unify, SPUR_SPACE_CALLING_CONTEXT);
    int err = define_contexts(&d);
    for (uint64_t i = 0; i < f->n_processes && !err; i++) {
        struct spur_words *map = &f->process[i]->map.of[SPUR_SPACE_CALLING_CONTEXT];
        for (size_t local = 0; local < map->n; local++)
            map->at[local] = map->at[local] < d.id.n ? d.id.at[map->at[local]] : UNDEFINED;
    }
    spur_words_free(&d.id);
    return err;
}
