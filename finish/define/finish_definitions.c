/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "finish/define/finish_define.h"
#include "finish/define/finish_groups.h"
#include "finish/define/finish_locks.h"
#include "finish/find/finish_find.h"
#include "finish/state/finish_trouble.h"
#include "session/paradigms.h"

enum { PARADIGMS_MAX = 256 };

/* The rows of paradigms.def as data. */
static const struct paradigm {
    OTF2_Paradigm id;
    OTF2_ParadigmClass class;
    const char *name;
    const char *template[2]; /* of communicators and windows, by OTF2_ParadigmProperty */
} paradigms[] = {
#define PARADIGM(NAME, name, CLASS, comm_template, win_template)                                   \
    {OTF2_PARADIGM_##NAME, OTF2_PARADIGM_CLASS_##CLASS, name, {comm_template, win_template}},
#include "session/paradigms.def"
#undef PARADIGM
};

enum { PARADIGMS = sizeof paradigms / sizeof paradigms[0] };

/* The state of emitting, and strings that no process has defined. */
struct emitting {
    struct finish *f;
    OTF2_GlobalDefWriter *writer;
    uint32_t machine, machine_class, node_class;
    bool is_used[PARADIGMS_MAX];
    uint32_t paradigm[PARADIGMS], template[PARADIGMS][2];
    uint64_t *members; /* for the current group */
    uint64_t room;
    struct finish_teams teams;
    uint32_t numbers[SPUR_NUMBERS_MAX]; /* the list of the current definition */
};

/* ---- strings and paradigms ---- */

static void note_paradigms(struct emitting *e, enum spur_space space, uint32_t kind, int cell)
{
    struct spur_record record;
    struct spur_cell cells[SPUR_CELLS_MAX];
    for (uint32_t id = 0; id < spur_unify_count(e->f->unify, space); id++) {
        spur_unify_get(e->f->unify, space, id, &record, cells);
        if (record.kind == kind)
            e->is_used[cells[cell].number % PARADIGMS_MAX] = true;
    }
}

static void collect(struct emitting *e)
{
    struct spur_unify *unify = e->f->unify;
    e->machine = spur_unify_string(unify, "Machine");
    e->machine_class = spur_unify_string(unify, "machine");
    e->node_class = spur_unify_string(unify, "node");
    finish_io_names(e->f);
    finish_lost_names(e->f);
    finish_end_properties(e->f);
    note_paradigms(e, SPUR_SPACE_REGION, SPUR_DEFINITION_Region, SPUR_AT_Region_paradigm);
    note_paradigms(e, SPUR_SPACE_GROUP, SPUR_DEFINITION_Group, SPUR_AT_Group_paradigm);
    for (int i = 0; i < PARADIGMS; i++) {
        const struct paradigm *p = &paradigms[i];
        e->is_used[p->id] |= p->id == OTF2_PARADIGM_MPI && e->f->n_mpi > 0;
        if (!e->is_used[p->id])
            continue;
        e->paradigm[i] = spur_unify_string(unify, p->name);
        for (int k = 0; k < 2; k++)
            if (p->template[k])
                e->template[i][k] = spur_unify_string(unify, p->template[k]);
    }
}

static OTF2_ErrorCode put_paradigms(const struct emitting *e)
{
    OTF2_ErrorCode error = OTF2_SUCCESS;
    for (int i = 0; i < PARADIGMS && !error; i++) {
        const struct paradigm *p = &paradigms[i];
        if (!e->is_used[p->id])
            continue;
        error = OTF2_GlobalDefWriter_WriteParadigm(e->writer, p->id, e->paradigm[i], p->class);
        for (int k = 0; k < 2 && !error; k++) {
            const OTF2_AttributeValue value = {.stringRef = e->template[i][k]};
            if (p->template[k])
                error = OTF2_GlobalDefWriter_WriteParadigmProperty(e->writer, p->id,
                                                                   (OTF2_ParadigmProperty)k,
                                                                   OTF2_TYPE_STRING, value);
        }
    }
    return error;
}

/* ---- the machine and the processes ---- */

static OTF2_ErrorCode put_node(const struct emitting *e, uint32_t id, uint32_t name, uint32_t class,
                               uint32_t parent, OTF2_SystemTreeDomain domain)
{
    OTF2_ErrorCode error =
        OTF2_GlobalDefWriter_WriteSystemTreeNode(e->writer, id, name, class, parent);
    return error ? error : OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(e->writer, id, domain);
}

static OTF2_ErrorCode put_system(const struct emitting *e)
{
    OTF2_ErrorCode error =
        put_node(e, 0, e->machine, e->machine_class, OTF2_UNDEFINED_SYSTEM_TREE_NODE,
                 OTF2_SYSTEM_TREE_DOMAIN_MACHINE);
    for (uint32_t i = 0; i < e->f->n_hosts && !error; i++)
        error = put_node(e, i + 1, e->f->host[i], e->node_class, 0,
                         OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
    return error;
}

static OTF2_ErrorCode put_location_group(const struct emitting *e, struct finish_process *p,
                                         uint32_t id)
{
    p->location_group = id;
    OTF2_ErrorCode error =
        OTF2_GlobalDefWriter_WriteLocationGroup(e->writer, id, p->label,
                                                OTF2_LOCATION_GROUP_TYPE_PROCESS, p->node,
                                                p->creator ? p->creator->location_group
                                                           : OTF2_UNDEFINED_LOCATION_GROUP);
    for (uint32_t i = 0; i < p->n_properties && !error; i++) {
        const OTF2_AttributeValue value = {.stringRef = p->property[i].value};
        error = OTF2_GlobalDefWriter_WriteLocationGroupProperty(e->writer, id, p->property[i].name,
                                                                OTF2_TYPE_STRING, value);
    }
    error = error ? error : finish_clock_property(e->f, p, e->writer);
    return error ? error : finish_locks_properties(p, e->writer);
}

/* A creator stands before the processes it created, whatever their numbers are. */
static OTF2_ErrorCode put_location_groups(const struct emitting *e)
{
    OTF2_ErrorCode error = OTF2_SUCCESS;
    uint32_t id = 0;
    for (uint64_t i = 0; i < e->f->n_processes && !error; i++)
        while (e->f->process[i]->location_group == OTF2_UNDEFINED_LOCATION_GROUP && !error) {
            struct finish_process *p = e->f->process[i];
            while (p->creator && p->creator->location_group == OTF2_UNDEFINED_LOCATION_GROUP)
                p = p->creator;
            error = put_location_group(e, p, id++);
        }
    return error;
}

/* Behind all processes: each device knows the process that made the device. */
static OTF2_ErrorCode put_devices(const struct emitting *e)
{
    OTF2_ErrorCode error = OTF2_SUCCESS;
    uint32_t id = (uint32_t)e->f->n_processes;
    for (uint64_t i = 0; i < e->f->n_processes; i++) {
        struct finish_process *p = e->f->process[i];
        p->first_device = id;
        for (uint64_t d = 0; d < p->devices.n && !error; d++)
            error =
                OTF2_GlobalDefWriter_WriteLocationGroup(e->writer, id++, (uint32_t)p->devices.at[d],
                                                        OTF2_LOCATION_GROUP_TYPE_ACCELERATOR,
                                                        p->node, p->location_group);
    }
    return error;
}

static uint32_t group_of(const struct finish_process *p, const struct finish_thread *t)
{
    return t->device ? p->first_device + t->device - 1 : p->location_group;
}

static OTF2_ErrorCode put_locations(const struct emitting *e)
{
    OTF2_ErrorCode error = OTF2_SUCCESS;
    for (uint64_t i = 0; i < e->f->n_processes; i++) {
        const struct finish_process *p = e->f->process[i];
        for (uint64_t t = 0; t < p->n_threads && !error; t++)
            error =
                OTF2_GlobalDefWriter_WriteLocation(e->writer, finish_location_id(p, &p->threads[t]),
                                                   p->threads[t].name, p->threads[t].type,
                                                   p->threads[t].events,
                                                   group_of(p, &p->threads[t]));
    }
    return error;
}

/* ---- the unified definitions ---- */

static uint64_t *room_for(struct emitting *e, uint64_t n)
{
    if (n > e->room) {
        spur_mem_free(e->members, e->room * sizeof *e->members);
        e->members = spur_mem_new(n * sizeof *e->members);
        e->room = e->members ? n : 0;
    }
    return e->members;
}

/* The locations that groups of a paradigm index: the ranks' main threads, or all threads. */
static uint64_t list_locations(struct emitting *e, uint64_t paradigm)
{
    const struct finish *f = e->f;
    uint64_t n = 0;
    if (paradigm == OTF2_PARADIGM_MPI)
        for (; n < f->n_mpi; n++)
            e->members[n] = n << 32;
    else
        for (uint64_t i = 0; i < f->n_processes; i++)
            for (uint64_t t = 0; t < f->process[i]->n_threads; t++)
                e->members[n++] = finish_location_id(f->process[i], &f->process[i]->threads[t]);
    return n;
}

static const struct finish_process *process_of(const struct finish *f, uint64_t number)
{
    uint64_t low = 0, high = f->n_processes;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (f->process[middle]->number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < f->n_processes && f->process[low]->number == number ? f->process[low] : NULL;
}

/* The threads of a process. The first member is the number of the process. */
static uint64_t list_threads(struct emitting *e, uint64_t number)
{
    const struct finish_process *p = process_of(e->f, number);
    uint64_t n = 0;
    for (uint64_t t = 0; p && t < p->n_threads; t++)
        if (p->threads[t].type == OTF2_LOCATION_TYPE_CPU_THREAD)
            e->members[n++] = p->first_thread + t;
    return n;
}

/* Likewise: the main thread of a process and the streams of its devices. */
static uint64_t list_streams(struct emitting *e, uint64_t number)
{
    const struct finish_process *p = process_of(e->f, number);
    uint64_t n = 0;
    for (uint64_t t = 0; p && t < p->n_threads; t++)
        if (t == 0 || p->threads[t].type == OTF2_LOCATION_TYPE_ACCELERATOR_STREAM)
            e->members[n++] = p->first_thread + t;
    return n;
}

/* The threads of a team. The second member is the number of the process's team. */
static uint64_t list_team(struct emitting *e, uint64_t number, uint64_t team)
{
    const struct finish_process *p = process_of(e->f, number);
    return p ? finish_team(p, team, e->members, e->f->n_threads) : 0;
}

static bool fill_group(struct emitting *e, struct spur_cell *cells)
{
    struct spur_cell *members = &cells[SPUR_AT_Group_members];
    uint64_t type = cells[SPUR_AT_Group_groupType].number;
    uint64_t paradigm = cells[SPUR_AT_Group_paradigm].number;
    uint64_t most = e->f->n_mpi > e->f->n_threads ? e->f->n_mpi : e->f->n_threads;
    if (!room_for(e, most + 1))
        return false;
    const uint64_t *run = (const uint64_t *)members->at + 1; /* behind the number of runs */
    uint64_t runs = run[-1];
    uint64_t n = spur_members_expand(members, 0, e->members, most);
    if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS)
        n = list_locations(e, paradigm);
    else if (paradigm == OTF2_PARADIGM_PTHREAD && type == OTF2_GROUP_TYPE_COMM_GROUP)
        n = runs == 1 ? list_threads(e, run[0]) : 0;
    else if (paradigm == OTF2_PARADIGM_OPENMP && type == OTF2_GROUP_TYPE_COMM_GROUP)
        n = runs == 2 ? list_team(e, run[0], run[2]) : 0;
    else if (spur_paradigm_is_device(paradigm) && type == OTF2_GROUP_TYPE_COMM_GROUP)
        n = runs == 1 ? list_streams(e, run[0]) : 0;
    members->number = n;
    members->at = e->members;
    return true;
}

/* Lists have words of 64 bits in a journal; a definition has one list at most. */
static void fill_list(struct emitting *e, uint32_t kind, struct spur_cell *cells)
{
    const struct spur_definition *row = &spur_definitions[kind];
    for (int i = 0; i < row->cells; i++) {
        const uint64_t *word = cells[i].at;
        if (!spur_is_list(row->cell[i]))
            continue;
        for (uint64_t n = 0; n < cells[i].number; n++)
            e->numbers[n] = (uint32_t)word[n];
        cells[i].at = e->numbers;
    }
}

/* The process of a metric has become a location group. */
static void fill_scope(const struct emitting *e, struct spur_cell *cells)
{
    struct spur_cell *scope = &cells[SPUR_AT_MetricInstance_scope];
    const bool is_of_host =
        cells[SPUR_AT_MetricInstance_metricScope].number == OTF2_SCOPE_SYSTEM_TREE_NODE;
    const struct finish_process *p = process_of(e->f, scope->number);
    scope->number = !p ? OTF2_UNDEFINED_UINT64 : is_of_host ? p->node : p->location_group;
}

/* Arguments of OTF2_GlobalDefWriter_Write<Name>, by the kind of cell. */
#define ARG_U8(c) (uint8_t)(c).number
#define ARG_U32(c) (uint32_t)(c).number
#define ARG_U64(c) (c).number
#define ARG_I64(c) (int64_t)(c).number
#define ARG_TEXT(c) (c).at
#define ARG_MEMBERS(c) (uint32_t)(c).number, (c).at
#define ARG_NUMBERS(c) (uint8_t)(c).number, (c).at
#define ARG_DIMENSIONS ARG_NUMBERS
#define ARG_METRICS ARG_NUMBERS
#define ARG_STRING ARG_U32
#define ARG_ATTRIBUTE ARG_U32
#define ARG_REGION ARG_U32
#define ARG_SOURCE_CODE_LOCATION ARG_U32
#define ARG_CALLING_CONTEXT ARG_U32
#define ARG_GROUP(c) finish_group_id(&e->f->group_ids, (c).number)
#define ARG_COMM ARG_U32
#define ARG_PARAMETER ARG_U32
#define ARG_RMA_WIN ARG_U32
#define ARG_IO_FILE ARG_U32
#define ARG_IO_HANDLE ARG_U32
#define ARG_CART_TOPOLOGY ARG_U32
#define ARG_METRIC ARG_U32
#define ARG_(Row, kind, name) , ARG_##kind(cells[SPUR_AT_##Row##_##name])

/* Writes the definition `unified` with `id` as its id in the archive. */
static OTF2_ErrorCode put_definition(struct emitting *e, enum spur_space space, uint32_t unified,
                                     uint32_t id)
{
    struct spur_record record;
    struct spur_cell cells[SPUR_CELLS_MAX];
    spur_unify_get(e->f->unify, space, unified, &record, cells);
    if (space == SPUR_SPACE_GROUP && !fill_group(e, cells))
        return OTF2_ERROR_MEM_ALLOC_FAILED;
    fill_list(e, record.kind, cells);
    if (record.kind == SPUR_DEFINITION_MetricInstance)
        fill_scope(e, cells);
    if (record.kind == SPUR_DEFINITION_FileProperty)
        return finish_io_property(e->writer, cells);
    if (spur_definitions[record.kind].identity == SPUR_IDENTITY_ORDINAL) {
        uint32_t name = spur_unify_name(e->f->unify, space, unified);
        cells[SPUR_UNIFY_AT_NAME].number = name == OTF2_UNDEFINED_STRING ? e->f->no_name : name;
    }
    if (record.kind == SPUR_DEFINITION_IoHandle)
        return finish_io_handle(e->writer, id, cells);
    switch (record.kind) {
#define DEFINITION(Name, number_, ...) DEFINITION_(Name, number_, __VA_ARGS__)
#define DEFINITION_(Name, number_, space_, identity, ...)                                          \
    case number_:                                                                                  \
        return OTF2_GlobalDefWriter_Write##Name(e->writer, id OTF2_SEQ(ARG_, Name, __VA_ARGS__));
#define FACT(Name, number_, space_, ...)                                                           \
    case number_:                                                                                  \
        return OTF2_GlobalDefWriter_Write##Name(e->writer OTF2_SEQ(ARG_, Name, __VA_ARGS__));
#define PRIVATE(Name, number_, space_, ...)                                                        \
    case number_:                                                                                  \
        return OTF2_SUCCESS;
#include "session/definitions.def"
    default:
        return OTF2_ERROR_INTEGRITY_FAULT;
    }
}

/* Numbers the groups with ids of their own, see finish_groups.h. */
static OTF2_ErrorCode number_groups(struct emitting *e)
{
    uint32_t count = spur_unify_count(e->f->unify, SPUR_SPACE_GROUP);
    for (uint32_t unified = 0; unified < count; unified++) {
        struct spur_record record;
        struct spur_cell cells[SPUR_CELLS_MAX];
        spur_unify_get(e->f->unify, SPUR_SPACE_GROUP, unified, &record, cells);
        bool is_team = cells[SPUR_AT_Group_paradigm].number == OTF2_PARADIGM_OPENMP &&
                       cells[SPUR_AT_Group_groupType].number == OTF2_GROUP_TYPE_COMM_GROUP;
        const struct spur_cell *members = &cells[SPUR_AT_Group_members];
        if (is_team && !fill_group(e, cells))
            return OTF2_ERROR_MEM_ALLOC_FAILED;
        if (is_team ? !finish_teams_add(&e->teams, members->at, members->number)
                    : !finish_teams_add_other(&e->teams))
            return OTF2_ERROR_MEM_ALLOC_FAILED;
    }
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode put_groups(struct emitting *e)
{
    OTF2_ErrorCode error = OTF2_SUCCESS;
    uint32_t next = 0;
    for (uint32_t unified = 0; unified < e->f->group_ids.n && !error; unified++)
        if (finish_group_id(&e->f->group_ids, unified) == next)
            error = put_definition(e, SPUR_SPACE_GROUP, unified, next++);
    return error;
}

static OTF2_ErrorCode put_space(struct emitting *e, enum spur_space space)
{
    const struct spur_words *order = &e->f->region_order;
    OTF2_ErrorCode error = OTF2_SUCCESS;
    if (space == SPUR_SPACE_GROUP)
        return put_groups(e);
    if (space == SPUR_SPACE_REGION) {
        for (uint32_t id = 0; id < order->n && !error; id++)
            error = put_definition(e, space, (uint32_t)order->at[id], id);
        return error;
    }
    uint32_t first = space == SPUR_SPACE_CALLING_CONTEXT ? e->f->first_context : 0;
    for (uint32_t id = first; id < spur_unify_count(e->f->unify, space) && !error; id++)
        error = put_definition(e, space, id, id - first);
    return error;
}

static OTF2_ErrorCode put_global(struct emitting *e)
{
    OTF2_ErrorCode error = finish_clock_properties(e->f, e->writer);
    for (int space = 0; space < SPUR_SPACES && !error; space++) {
        error = put_space(e, (enum spur_space)space);
        if (space != SPUR_SPACE_STRING || error)
            continue;
        error = put_paradigms(e);
        error = error ? error : finish_io_paradigms(e->f, e->writer);
        error = error ? error : put_system(e);
        error = error ? error : put_location_groups(e);
        error = error ? error : put_devices(e);
        error = error ? error : put_locations(e);
        error = error ? error : finish_lost_properties(e->f, e->writer);
    }
    return error;
}

int finish_definitions(struct finish *f)
{
    struct emitting e = {.f = f, .teams = {.id = &f->group_ids}};
    OTF2_ErrorCode error = number_groups(&e);
    if (!error)
        error = OTF2_Archive_OpenDefFiles(f->archive);
    int err = error ? 0 : finish_local(f);
    if (!error && !err)
        error = OTF2_Archive_CloseDefFiles(f->archive);
    e.writer = error || err ? NULL : OTF2_Archive_GetGlobalDefWriter(f->archive);
    if (!error && !err && !e.writer)
        error = OTF2_ERROR_MEM_ALLOC_FAILED;
    if (e.writer) {
        collect(&e);
        error = put_global(&e);
    }
    if (e.writer) {
        OTF2_ErrorCode closed = OTF2_Archive_CloseGlobalDefWriter(f->archive, e.writer);
        error = error ? error : closed;
    }
    spur_mem_free(e.members, e.room * sizeof *e.members);
    finish_teams_free(&e.teams);
    return err ? err : finish_check(f, error, "definitions");
}
