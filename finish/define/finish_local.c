/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "base/beneath.h"
#include "base/raw_file.h"
#include "finish/define/finish_define.h"
#include "finish/define/finish_groups.h"
#include "finish/events/finish_out.h"
#include "finish/find/finish_settled.h"
#include "finish/state/finish_trouble.h"

_Static_assert(
    (uint64_t)SPUR_IDS_MAX * 5 + (64 << 10) < OTF2_CHUNK_SIZE_MAX,
    "a table of the most ids, of five bytes each, and all that is beside it, is one chunk");

struct translating {
    struct finish *f;
    struct spur_words ids; /* of the map at hand */
    int err;               /* -errno of what is no error of the library */
};

/* A map of the first `n` ids. *is_needed and NULL: no memory. */
static OTF2_IdMap *new_map(struct translating *work, const struct finish_process *p, int space,
                           size_t n, bool *is_needed)
{
    const struct spur_words *map = &p->map.of[space];
    work->ids.n = 0;
    uint64_t *ids = n ? spur_words_add(&work->ids, n) : NULL;
    *is_needed = n && !ids;
    for (size_t i = 0; i < n && ids; i++) {
        uint64_t id = space == SPUR_SPACE_GROUP ? finish_group_id(&work->f->group_ids, map->at[i])
                                                : map->at[i];
        *is_needed |= id != i;
        ids[i] = id == OTF2_UNDEFINED_UINT32 ? OTF2_UNDEFINED_UINT64 : id;
    }
    return *is_needed && ids ? OTF2_IdMap_CreateFromUint64Array(n, ids, true) : NULL;
}

static OTF2_ErrorCode put_offsets(OTF2_DefWriter *writer, const struct spur_clock_line *line)
{
    OTF2_ErrorCode error = OTF2_SUCCESS;
    for (uint32_t i = 0; line->is_shifted && i < line->n && !error; i++)
        error =
            OTF2_DefWriter_WriteClockOffset(writer, line->time[i], line->offset[i], line->error[i]);
    return error;
}

static OTF2_ErrorCode put_local(const struct translating *work, const struct finish_process *p,
                                uint64_t location, OTF2_IdMap *const *maps)
{
    static const OTF2_MappingType type[] = {
#define SPACE(NAME, mapping) mapping,
#include "session/definitions.def"
    };
    OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(work->f->archive, location);
    OTF2_ErrorCode error = writer ? OTF2_SUCCESS : OTF2_ERROR_MEM_ALLOC_FAILED;
    for (int space = 0; space < SPUR_SPACES && !error; space++)
        if (maps[space] && type[space] < OTF2_MAPPING_MAX)
            error = OTF2_DefWriter_WriteMappingTable(writer, type[space], maps[space]);
    if (!error)
        error = put_offsets(writer, &p->line);
    if (writer) {
        OTF2_ErrorCode closed = OTF2_Archive_CloseDefWriter(work->f->archive, writer);
        error = error ? error : closed;
    }
    return error;
}

/*
 * The names of threads are strings, so the table grows with the threads, and there is one for each:
 * all but the first get no more of it than their events may refer to.
 */
static OTF2_ErrorCode shorten_strings(struct translating *work, const struct finish_process *p,
                                      OTF2_IdMap **map)
{
    size_t n = atomic_load_explicit(&p->head.event_strings, memory_order_relaxed);
    if (!*map || n >= p->map.of[SPUR_SPACE_STRING].n)
        return OTF2_SUCCESS;
    OTF2_IdMap_Free(*map);
    bool is_needed;
    *map = new_map(work, p, SPUR_SPACE_STRING, n, &is_needed);
    return is_needed && !*map ? OTF2_ERROR_MEM_ALLOC_FAILED : OTF2_SUCCESS;
}

/* Of a thread; for containers it goes to f->store. */
static OTF2_ErrorCode put_thread(struct translating *work, const struct finish_process *p,
                                 struct finish_thread *t, OTF2_IdMap *const *maps)
{
    uint64_t location = finish_location_id(p, t);
    struct finish_out out;
    finish_out_begin(&out, work->f, location, "def");
    OTF2_ErrorCode error = put_local(work, p, location, maps);
    if (!error && work->f->container)
        work->err = finish_out_keep(&out, work->f, FINISH_IN_STORE, &t->def);
    finish_out_end(&out, work->f);
    return work->err ? OTF2_ERROR_INTEGRITY_FAULT : error;
}

static void path_of(const struct finish *f, uint64_t location, char path[SPUR_FILE_PATH_BYTES])
{
    snprintf(path, SPUR_FILE_PATH_BYTES, "%s/traces/%llu.def", f->place,
             (unsigned long long)location);
}

/*
 * From the second thread on all threads of a process have the same tables, and to make a file costs
 * more than all else about a short thread. False: the file system has no second names for a file,
 * or no more of them.
 */
static bool name_again(const struct finish *f, const struct finish_process *p,
                       const struct finish_thread *first, struct finish_thread *t)
{
    char from[SPUR_FILE_PATH_BYTES], to[SPUR_FILE_PATH_BYTES];
    if (f->container) {
        t->def = first->def;
        return true;
    }
    path_of(f, finish_location_id(p, first), from);
    path_of(f, finish_location_id(p, t), to);
    return spur_beneath_link(from, to) == 0;
}

static OTF2_ErrorCode put_process(struct translating *work, const struct finish_process *p)
{
    OTF2_IdMap *maps[SPUR_SPACES] = {NULL};
    const struct finish_thread *named = p->threads; /* the last one whose file was made */
    OTF2_ErrorCode error = OTF2_SUCCESS;
    for (int space = 0; space < SPUR_SPACES && !error; space++) {
        bool is_needed;
        maps[space] = new_map(work, p, space, p->map.of[space].n, &is_needed);
        if (is_needed && !maps[space])
            error = OTF2_ERROR_MEM_ALLOC_FAILED;
    }
    for (uint64_t t = 0; t < p->n_threads && !error; t++) {
        if (t > 1 && name_again(work->f, p, named, &p->threads[t]))
            continue;
        error = put_thread(work, p, &p->threads[t], maps);
        named = &p->threads[t];
        if (t == 0 && !error)
            error = shorten_strings(work, p, &maps[SPUR_SPACE_STRING]);
    }
    for (int space = 0; space < SPUR_SPACES; space++)
        if (maps[space])
            OTF2_IdMap_Free(maps[space]);
    return error;
}

/* The file that the process has written of the thread itself. */
static bool find_own(const struct finish *f, const struct finish_process *p,
                     struct finish_thread *t)
{
    char path[SPUR_FILE_PATH_BYTES];
    if (f->container && finish_settled_kept(p, t, FINISH_TOLD_DEF, &t->def))
        return true;
    if (!f->container)
        return finish_settled_has(&f->adopted_def, finish_location_id(p, t));
    int fd = spur_file_open(finish_settled_path(f, p, t->number, "def", path), &t->def.bytes);
    if (fd < 0)
        return false;
    spur_file_close(fd);
    t->def.in = FINISH_IN_SETTLED;
    return t->def.bytes > 0;
}

/* The process has written them itself, and would write the same now. */
static bool are_there(const struct translating *work, const struct finish_process *p)
{
    const struct spur_unified_map *told = &p->told_map;
    const uint64_t *id = told->ids;
    if (!p->has_definitions || p->line.is_shifted || !told->memory)
        return false;
    for (int space = 0; space < SPUR_SPACES; space++) {
        const struct spur_words *map = &p->map.of[space];
        if (map->n != told->defined[space])
            return false;
        for (size_t i = 0; i < map->n; i++)
            if (*id++ != (space == SPUR_SPACE_GROUP
                              ? finish_group_id(&work->f->group_ids, map->at[i])
                              : map->at[i]))
                return false;
    }
    for (uint64_t t = 0; t < p->n_threads; t++)
        if (!find_own(work->f, p, &p->threads[t]))
            return false;
    return true;
}

static int put_locals(struct finish *f, struct finish_process *p)
{
    struct translating work = {.f = f};
    if (are_there(&work, p))
        return 0;
    OTF2_ErrorCode error = put_process(&work, p);
    spur_words_free(&work.ids);
    return work.err ? finish_blame(f, work.err, "definitions")
                    : finish_check(f, error, "definitions");
}

const struct finish_step finish_local_step = {.number = FINISH_STEP_LOCALS,
                                              .one = put_locals,
                                              .is_far = finish_settled_is_seen,
                                              .gives = FINISH_COLUMN(THREADS) | FINISH_COLUMN(MAP) |
                                                       FINISH_COLUMN(TOLD_MAP) |
                                                       FINISH_COLUMN(ADOPTED_DEF) |
                                                       FINISH_COLUMN(GROUP_IDS),
                                              .takes = FINISH_COLUMN(THREADS),
                                              .writes = true};

int finish_local(struct finish *f)
{
    return finish_each(f, &finish_local_step);
}
