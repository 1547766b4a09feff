/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "finish/define/finish_context.h"
#include "finish/define/finish_crash.h"
#include "finish/define/finish_define.h"
#include "finish/define/finish_frames.h"
#include "finish/define/finish_locks.h"
#include "session/paradigms.h"

enum { NAME_BYTES = 4096, CONSTRUCT_BYTES = 256 };

/* A RegionAt, copied: its texts would move with the next string. */
struct construct {
    char name[CONSTRUCT_BYTES], group[CONSTRUCT_BYTES];
    uint64_t role, paradigm, code, call;
    const char *name_prefix, *canonical_prefix, *file;
};

static void copy_construct(struct construct *to, const struct spur_cell *cells)
{
    snprintf(to->name, sizeof to->name, "%s", (const char *)cells[SPUR_AT_RegionAt_construct].at);
    snprintf(to->group, sizeof to->group, "%s", (const char *)cells[SPUR_AT_RegionAt_group].at);
    to->role = cells[SPUR_AT_RegionAt_regionRole].number;
    to->paradigm = cells[SPUR_AT_RegionAt_paradigm].number;
    to->code = cells[SPUR_AT_RegionAt_code].number;
    to->call = cells[SPUR_AT_RegionAt_call].number;
    const char *file = spur_paradigm_file(to->paradigm);
    to->file = file ? file : "";
    to->name_prefix = spur_paradigm_prefix(to->paradigm);
    to->canonical_prefix = to->name_prefix + strspn(to->name_prefix, "!$");
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* A path of the module; borrowed until a definition is added. */
static const char *path_of(const struct finish *f, uint64_t module)
{
    struct spur_record record;
    struct spur_cell cells[SPUR_CELLS_MAX];
    for (uint32_t id = 0; id < spur_unify_count(f->unify, SPUR_SPACE_MODULE_FILE); id++) {
        spur_unify_get(f->unify, SPUR_SPACE_MODULE_FILE, id, &record, cells);
        if (cells[SPUR_AT_ModuleFile_module].number == module)
            return cells[SPUR_AT_ModuleFile_path].at;
    }
    return "";
}

/*
 * The module of a code, OTF2_UNDEFINED_UINT32 if there is no module, and the address in the module.
 */
static uint32_t module_of(const struct finish *f, uint32_t code, uint64_t *offset)
{
    struct spur_record record;
    struct spur_cell cells[SPUR_CELLS_MAX];
    if (code >= spur_unify_count(f->unify, SPUR_SPACE_CODE))
        return OTF2_UNDEFINED_UINT32;
    spur_unify_get(f->unify, SPUR_SPACE_CODE, code, &record, cells);
    if (record.kind != SPUR_DEFINITION_Code)
        return OTF2_UNDEFINED_UINT32;
    *offset = cells[SPUR_AT_Code_offset].number;
    return (uint32_t)cells[SPUR_AT_Code_module].number;
}

const char *finish_code_path(const struct finish *f, uint32_t code)
{
    uint64_t offset;
    return path_of(f, module_of(f, code, &offset));
}

void finish_address(const struct finish *f, uint32_t module, uint64_t offset, char *text,
                    size_t size)
{
    struct spur_record record;
    struct spur_cell cells[SPUR_CELLS_MAX];
    spur_unify_get(f->unify, SPUR_SPACE_MODULE, module, &record, cells);
    const char *identity = cells[SPUR_AT_Module_identity].at;
    if (strncmp(identity, "[jit]", strlen("[jit]")) == 0)
        snprintf(text, size, "[jit]"); /* an address in memory differs in the next run */
    else
        snprintf(text, size, "%s+0x%llx", base_name(path_of(f, module)),
                 (unsigned long long)offset);
}

void finish_code_address(const struct finish *f, uint32_t code, uint64_t function, char *text,
                         size_t size)
{
    uint64_t offset;
    uint32_t module = module_of(f, code, &offset);
    text[0] = '\0';
    if (module != OTF2_UNDEFINED_UINT32)
        finish_address(f, module, function ? function : offset, text, size);
}

/*
 * The length of a function's name without a compiler's ending. Code moved out of a function by a
 * compiler has the function's name with an ending, for example "._omp_fn.0" or ".constprop.0";
 * demangled, "f(int) [clone ._omp_fn.0]". A name that begins with a dot belongs to the compiler
 * altogether.
 */
static int function_length(const char *function)
{
    const char *end = strstr(function, " [clone ");
    if (!end && function[0] && function[0] != '.' && !strchr(function, '('))
        end = strchr(function, '.');
    return (int)(end ? end - function : (ptrdiff_t)strlen(function));
}

/* The place of a region: the text appended to the region's name, and file and line if known. */
struct place {
    char name[NAME_BYTES];
    char file[NAME_BYTES];
    uint32_t line;
};

static bool find_named(const struct finish_frames *frames, uint64_t code,
                       struct finish_frame *frame)
{
    return code != OTF2_UNDEFINED_UINT32 && finish_frames_get(frames, (uint32_t)code, 0, frame) &&
           (frame->function[0] || frame->line);
}

static void find_place(const struct finish *f, const struct finish_frames *frames,
                       const struct construct *c, struct place *place)
{
    struct finish_frame frame;
    uint64_t code = c->code;
    *place = (struct place){.line = 0};
    if (code == OTF2_UNDEFINED_UINT32)
        return;
    bool is_known = find_named(frames, code, &frame) || find_named(frames, c->call, &frame);
    if (is_known && frame.line && frame.file[0]) {
        place->line = frame.line;
        snprintf(place->file, sizeof place->file, "%s", frame.file);
        snprintf(place->name, sizeof place->name, " @%s:%u", base_name(frame.file), frame.line);
    } else if (is_known && frame.function[0]) {
        snprintf(place->name, sizeof place->name, " @%.*s", function_length(frame.function),
                 frame.function);
    } else {
        char address[NAME_BYTES / 2];
        finish_code_address(f, (uint32_t)code, 0, address, sizeof address);
        if (address[0])
            snprintf(place->name, sizeof place->name, " @%s", address);
    }
}

/*
 * A function is a region of its own name; at the function's beginning another function may be
 * inlined.
 */
static void find_function(const struct finish *f, const struct finish_frames *frames,
                          const struct construct *c, struct place *place)
{
    struct finish_frame frame;
    uint64_t code = c->code;
    *place = (struct place){.line = 0};
    for (uint32_t depth = 0;
         code != OTF2_UNDEFINED_UINT32 && finish_frames_get(frames, (uint32_t)code, depth, &frame);
         depth++) {
        place->line = frame.file[0] ? frame.line : 0;
        snprintf(place->file, sizeof place->file, "%s", frame.file);
        snprintf(place->name, sizeof place->name, "%.*s", function_length(frame.function),
                 frame.function);
    }
    if (!place->name[0] && code != OTF2_UNDEFINED_UINT32)
        finish_code_address(f, (uint32_t)code, 0, place->name, sizeof place->name);
}

/* Defines the Region for a RegionAt, OTF2_UNDEFINED_UINT32: no memory. */
static uint32_t define_region(struct finish *f, const struct finish_frames *frames,
                              const struct construct *c)
{
    char text[NAME_BYTES + 2 * CONSTRUCT_BYTES];
    struct place place;
    bool is_function = c->paradigm == OTF2_PARADIGM_COMPILER;
    (is_function ? find_function : find_place)(f, frames, c, &place);
    snprintf(text, sizeof text, "%s%s%s", c->name_prefix, c->name, place.name);
    uint32_t name = spur_unify_string(f->unify, text);
    if (!is_function)
        snprintf(text, sizeof text, "%s%s", c->canonical_prefix, c->name);
    uint32_t canonical = spur_unify_string(f->unify, text);
    uint32_t group = spur_unify_string(f->unify, c->group);
    uint32_t file = spur_unify_string(f->unify, place.line ? place.file : c->file);
    const struct spur_cell cells[SPUR_AT_Region_END] = {
        [SPUR_AT_Region_name] = {name, NULL},
        [SPUR_AT_Region_canonicalName] = {canonical, NULL},
        [SPUR_AT_Region_description] = {group, NULL},
        [SPUR_AT_Region_regionRole] = {c->role, NULL},
        [SPUR_AT_Region_paradigm] = {c->paradigm, NULL},
        [SPUR_AT_Region_regionFlags] = {OTF2_REGION_FLAG_NONE, NULL},
        [SPUR_AT_Region_sourceFile] = {file, NULL},
        [SPUR_AT_Region_beginLineNumber] = {place.line, NULL},
        [SPUR_AT_Region_endLineNumber] = {0, NULL}};
    return spur_unify_define(f->unify, SPUR_DEFINITION_Region, cells);
}

/* Defines the same region with the name in the source; the linker's name stays, too. */
static uint32_t rename_region(struct finish *f, const struct spur_cell *region, const char *name)
{
    struct spur_cell cells[SPUR_AT_Region_END];
    memcpy(cells, region, sizeof cells);
    cells[SPUR_AT_Region_name].number = spur_unify_string(f->unify, name);
    return spur_unify_define(f->unify, SPUR_DEFINITION_Region, cells);
}

/* For each unified region the Region that stands for the region, made if need be. */
static int define_regions(struct finish *f, const struct finish_frames *frames,
                          struct spur_words *stands_for)
{
    uint32_t n = spur_unify_count(f->unify, SPUR_SPACE_REGION);
    struct spur_record record;
    struct spur_cell cells[SPUR_CELLS_MAX];
    struct construct construct;
    for (uint32_t id = 0; id < n; id++) {
        uint64_t *at = spur_words_add(stands_for, 1);
        if (!at)
            return -ENOMEM;
        *at = id;
        spur_unify_get(f->unify, SPUR_SPACE_REGION, id, &record, cells);
        const char *name = finish_frames_region(frames, id);
        uint32_t region = id;
        if (record.kind == SPUR_DEFINITION_RegionAt) {
            copy_construct(&construct, cells);
            region = define_region(f, frames, &construct);
        } else if (name) {
            region = rename_region(f, cells, name);
        }
        stands_for->at[id] = region;
        if (region == OTF2_UNDEFINED_UINT32)
            return -ENOMEM;
    }
    return 0;
}

/* Regions made since stand for themselves. Regions made from a RegionAt are not numbered twice. */
static int add_functions(const struct finish *f, struct spur_words *stands_for)
{
    uint32_t n = spur_unify_count(f->unify, SPUR_SPACE_REGION);
    while (stands_for->n < n) {
        uint64_t *at = spur_words_add(stands_for, 1);
        if (!at)
            return -ENOMEM;
        *at = stands_for->n - 1;
    }
    return 0;
}

/* Ids in the archive by first appearance; `stands_for` becomes the id. */
static int number_regions(struct finish *f, struct spur_words *stands_for)
{
    uint32_t n = spur_unify_count(f->unify, SPUR_SPACE_REGION);
    struct spur_words number = {0};
    uint64_t *id_plus_1 = spur_words_add(&number, (size_t)n + 1);
    int err = id_plus_1 ? 0 : -ENOMEM;
    for (size_t i = 0; i < stands_for->n && !err; i++) {
        uint64_t region = stands_for->at[i];
        if (!id_plus_1[region]) {
            uint64_t *next = spur_words_add(&f->region_order, 1);
            if (!next) {
                err = -ENOMEM;
                break;
            }
            *next = region;
            id_plus_1[region] = f->region_order.n;
        }
        stands_for->at[i] = id_plus_1[region] - 1;
    }
    spur_words_free(&number);
    return err;
}

static void renumber(struct spur_words *map, const struct spur_words *id)
{
    for (size_t i = 0; i < map->n; i++)
        if (map->at[i] < id->n)
            map->at[i] = id->at[map->at[i]];
}

int finish_code(struct finish *f)
{
    struct spur_words id = {0};
    struct finish_frames frames = {0};
    struct finish_functions functions = {0};
    int err = finish_context_calls(f, &functions);
    if (!err)
        err = finish_frames_find(f, &frames);
    if (!err)
        finish_crashes(f, &frames);
    if (!err)
        err = finish_locks(f, &frames);
    if (!err)
        err = define_regions(f, &frames, &id);
    if (!err)
        err = finish_context_functions(f, &frames, &functions);
    if (!err)
        err = add_functions(f, &id);
    finish_frames_free(&frames);
    if (!err)
        err = number_regions(f, &id);
    for (uint64_t i = 0; i < f->n_processes && !err; i++)
        renumber(&f->process[i]->map.of[SPUR_SPACE_REGION], &id);
    if (!err)
        err = finish_context_define(f, &functions, &id);
    finish_functions_free(&functions);
    spur_words_free(&id);
    return err;
}
