/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Containers of several processes: the assignment of processes to containers, and the data around
 * the blocks. Only collective operations with equal numbers of elements are used, since the
 * callbacks for MPI of OTF2 3.0 handle unequal numbers wrongly. A process that has failed still
 * takes part in the following operations: otherwise the remaining processes would wait.
 */
#include "writer/contained.h"

#include <errno.h>
#include <string.h>

#include "format/container.h"
#include "format/memory.h"
#include "format/paths.h"
#include "format/rank_map.h"
#include "writer/archive_state.h"

enum { WORD = OTF2_CONTAINER_WORD_BYTES, PLACE = 2 /* file and task */ };

static OTF2_ErrorCode no_memory(const OTF2_Archive *a)
{
    return OTF2_FAIL(OTF2_ERROR_MEM_ALLOC_FAILED, "%s: no memory for its containers", a->path);
}

/* ---- operations ---- */

/*
 * The processes of a container are the processes of the local context; without a local context, all
 * processes.
 */
static OTF2_CollectiveContext *of_file(const OTF2_Archive *a)
{
    return a->local_context ? a->local_context : a->global_context;
}

static OTF2_ErrorCode result(const char *what, OTF2_CallbackCode code)
{
    return code == OTF2_CALLBACK_SUCCESS
               ? OTF2_SUCCESS
               : OTF2_FAIL(OTF2_ERROR_COLLECTIVE_CALLBACK, "cannot %s", what);
}

static OTF2_ErrorCode tell_all(OTF2_Archive *a, OTF2_CollectiveContext *context, uint64_t *words,
                               uint32_t n)
{
    return result("broadcast", a->collectives.otf2_bcast(a->collective_data, context, words, n,
                                                         OTF2_TYPE_UINT64, OTF2_COLLECTIVES_ROOT));
}

/*
 * Collects `n` words of each of `size` processes on the root: *all is new on the root, and NULL
 * elsewhere. First the root tells whether the root has the memory.
 */
static OTF2_ErrorCode collect(OTF2_Archive *a, OTF2_CollectiveContext *context, uint32_t rank,
                              uint32_t size, const uint64_t *words, uint32_t n, uint64_t **all)
{
    uint64_t is_ready = 1;
    *all = NULL;
    if (rank == OTF2_COLLECTIVES_ROOT) {
        *all = otf2_mem_new((size_t)size * (n ? n : 1) * sizeof **all);
        is_ready = *all != NULL;
    }
    OTF2_ErrorCode error = tell_all(a, context, &is_ready, 1);
    if (!error && !is_ready)
        error = no_memory(a);
    if (!error && n)
        error =
            result("gather", a->collectives.otf2_gather(a->collective_data, context, words, *all, n,
                                                        OTF2_TYPE_UINT64, OTF2_COLLECTIVES_ROOT));
    if (error) {
        otf2_mem_free(*all);
        *all = NULL;
    }
    return error;
}

static OTF2_ErrorCode collect_all(OTF2_Archive *a, const uint64_t *words, uint32_t n,
                                  uint64_t **all)
{
    return collect(a, a->global_context, a->contained.rank, a->contained.ranks, words, n, all);
}

static OTF2_ErrorCode collect_file(OTF2_Archive *a, const uint64_t *words, uint32_t n,
                                   uint64_t **all)
{
    return collect(a, of_file(a), a->contained.task, a->contained.tasks, words, n, all);
}

/* ---- places of processes ---- */

/* Files are numbered in the order of the ranks that are the first of their communicator. */
static OTF2_ErrorCode number_files(OTF2_Archive *a)
{
    struct otf2_contained *c = &a->contained;
    uint64_t word = c->task == OTF2_COLLECTIVES_ROOT;
    uint64_t files = 0;
    uint64_t *all;
    OTF2_ErrorCode error = collect_all(a, &word, 1, &all);
    if (error)
        return error;
    for (uint32_t i = 0; all && i < c->ranks; i++)
        all[i] = all[i] ? files++ : 0;
    error = result("scatter",
                   a->collectives.otf2_scatter(a->collective_data, a->global_context, all, &word, 1,
                                               OTF2_TYPE_UINT64, OTF2_COLLECTIVES_ROOT));
    otf2_mem_free(all);
    error = otf2_first_of(error, tell_all(a, a->global_context, &files, 1));
    error = otf2_first_of(error, tell_all(a, of_file(a), &word, 1));
    c->files = (uint32_t)files;
    c->file = (uint32_t)word;
    return error;
}

/* *mine: the errors of the first process only. */
static OTF2_ErrorCode note_places(OTF2_Archive *a, OTF2_ErrorCode *mine)
{
    struct otf2_contained *c = &a->contained;
    const uint64_t place[PLACE] = {c->file, c->task};
    uint64_t *all;
    OTF2_ErrorCode error = collect_all(a, place, PLACE, &all);
    if (error || !all)
        return error;
    c->places = otf2_mem_new((size_t)c->ranks * PLACE * sizeof *c->places);
    for (uint64_t i = 0; c->places && i < (uint64_t)PLACE * c->ranks; i++)
        c->places[i] = (uint32_t)all[i];
    otf2_mem_free(all);
    *mine = c->places ? OTF2_SUCCESS : no_memory(a);
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode ask(OTF2_Archive *a, OTF2_CollectiveContext *context, uint32_t *size,
                          uint32_t *rank)
{
    if (a->collectives.otf2_get_size(a->collective_data, context, size) != OTF2_CALLBACK_SUCCESS ||
        a->collectives.otf2_get_rank(a->collective_data, context, rank) != OTF2_CALLBACK_SUCCESS ||
        *rank >= *size)
        return OTF2_FAIL(OTF2_ERROR_COLLECTIVE_CALLBACK, "cannot get the number of processes");
    return OTF2_SUCCESS;
}

static struct otf2_container head_of(const struct otf2_contained *c)
{
    return (struct otf2_container){.tasks = c->tasks,
                                   .files = c->files,
                                   .number = c->file,
                                   .align = c->align};
}

/* Removes files left by an earlier run. */
static void remove_old(const OTF2_Archive *a)
{
    char path[OTF2_PATH_BYTES];
    for (unsigned k = 0; k < OTF2_CONTAINED_KINDS; k++)
        if (otf2_archive_file(a, otf2_contained_types[k], a->contained.file, path, sizeof path))
            (void)a->files->remove(path);
}

OTF2_ErrorCode otf2_contained_begin(OTF2_Archive *a)
{
    struct otf2_contained *c = &a->contained;
    OTF2_ErrorCode mine = OTF2_SUCCESS;
    OTF2_ErrorCode error = ask(a, a->global_context, &c->ranks, &c->rank);
    error = otf2_first_of(error, ask(a, of_file(a), &c->tasks, &c->task));
    c->files = 1;
    if (!error && a->local_context) {
        error = number_files(a);
        error = error ? error : note_places(a, &mine);
    }
    uint64_t align = c->rank == OTF2_COLLECTIVES_ROOT && !mine ? otf2_file_align(a->path) : 0;
    error = otf2_first_of(error, error ? error : tell_all(a, a->global_context, &align, 1));
    if (!error && !align) /* the first process has failed */
        error = mine ? mine : no_memory(a);
    if (error)
        return error;
    c->align = (uint32_t)align;
    c->blocks.block = (OTF2_CONTAINER_BLOCK_BYTES + align - 1) / align * align;
    const struct otf2_container head = head_of(c);
    c->blocks.begin = otf2_container_blocks_at(&head) + c->task * c->blocks.block;
    c->blocks.row = c->tasks * c->blocks.block;
    if (c->task == OTF2_COLLECTIVES_ROOT)
        remove_old(a);
    return result("meet", a->collectives.otf2_barrier(a->collective_data, a->global_context));
}

/* ---- the rank map ---- */

/* A location's number among the locations of this process, from the newest. */
static void list_locations(const struct otf2_contained *c, OTF2_LocationRef *list)
{
    uint64_t i = c->locations.n_nodes;
    for (const struct otf2_node *node = c->locations.newest; node; node = node->older)
        list[--i] = node->location;
}

static OTF2_ErrorCode write_file(const OTF2_Archive *a, const char *path, const void *bytes,
                                 size_t n)
{
    struct otf2_bytes part = {bytes, n};
    int err = otf2_file_write(a->files, path, 0, &part, 1);
    return err ? OTF2_FAIL(otf2_error_from_errno(-err), "%s: cannot write", path) : OTF2_SUCCESS;
}

/* counts: of each rank; `ids` has the ids of all ranks, one rank after another. */
static OTF2_ErrorCode write_map(const OTF2_Archive *a, const uint64_t *counts, uint64_t n,
                                const uint64_t *ids)
{
    char path[OTF2_PATH_BYTES];
    const struct otf2_contained *c = &a->contained;
    const struct otf2_rank_map map = {c->files, c->ranks, c->places, counts, ids, n};
    uint8_t *bytes = otf2_mem_new(otf2_rank_map_room(c->ranks, n));
    if (!bytes)
        return no_memory(a);
    size_t size = otf2_rank_map_encode(&map, bytes);
    OTF2_ErrorCode error = otf2_path_map(a->path, a->name, path, sizeof path)
                               ? write_file(a, path, bytes, size)
                               : OTF2_FAIL(OTF2_ERROR_ENAMETOOLONG, "%s: path too long", a->path);
    otf2_mem_free(bytes);
    return error;
}

/*
 * Brings the ids of all ranks to the root, a piece of each rank at a time: so a rank with many ids
 * does not cost all ranks as much. `most`: the most ids of a rank.
 */
static OTF2_ErrorCode collect_ids(OTF2_Archive *a, const OTF2_LocationRef *own, uint64_t most,
                                  const uint64_t *counts, uint64_t *ids)
{
    enum { PIECE = 16 };
    const struct otf2_contained *c = &a->contained;
    OTF2_ErrorCode error = OTF2_SUCCESS;
    for (uint64_t from = 0; !error && from < most; from += PIECE) {
        uint64_t piece[PIECE] = {0};
        uint64_t *all;
        for (uint64_t i = 0; own && i < PIECE && from + i < c->locations.n_nodes; i++)
            piece[i] = own[from + i];
        error = collect_all(a, piece, PIECE, &all);
        uint64_t *to = ids;
        for (uint32_t rank = 0; all && ids && rank < c->ranks; to += counts[rank], rank++)
            for (uint64_t i = 0; i < PIECE && from + i < counts[rank]; i++)
                to[from + i] = all[(uint64_t)PIECE * rank + i];
        otf2_mem_free(all);
    }
    return error;
}

/*
 * `own` may be NULL: this process has failed, but the remaining processes must not wait. `used`, in
 * and out: the kinds in use, here and on all processes. *mine: the errors of the first process
 * only.
 */
static OTF2_ErrorCode share_locations(OTF2_Archive *a, const OTF2_LocationRef *own, uint64_t *used,
                                      OTF2_ErrorCode *mine)
{
    enum { WORDS = 2 };
    const struct otf2_contained *c = &a->contained;
    uint64_t told[WORDS] = {*used, own ? c->locations.n_nodes : 0};
    uint64_t sum = 0;
    uint64_t *all;
    OTF2_ErrorCode error = collect_all(a, told, WORDS, &all);
    if (error)
        return error;
    for (uint32_t i = 0; all && i < c->ranks; i++) {
        uint64_t n = all[(uint64_t)WORDS * i + 1];
        told[0] |= all[(uint64_t)WORDS * i];
        told[1] = n > told[1] ? n : told[1];
        all[i] = n;
        sum += n;
    }
    uint64_t *ids = all ? otf2_mem_new((size_t)(sum + 1) * sizeof *ids) : NULL;
    error = tell_all(a, a->global_context, told, WORDS);
    if (!error)
        error = collect_ids(a, own, told[1], all, ids);
    if (!error && all)
        *mine = ids ? write_map(a, all, sum, ids) : no_memory(a);
    otf2_mem_free(ids);
    otf2_mem_free(all);
    *used = told[0];
    return error;
}

/* ---- around the blocks ---- */

/* The data written into a container by the container's first process. */
struct frame {
    OTF2_Archive *archive;
    OTF2_FileType type;
    uint64_t rows;
    uint64_t tail_at;
    OTF2_ErrorCode error; /* the first error; other processes are not told */
};

static void frame_put(struct frame *f, uint64_t at, const void *data, uint64_t bytes)
{
    char path[OTF2_PATH_BYTES];
    OTF2_Archive *a = f->archive;
    struct otf2_bytes part = {data, (size_t)bytes};
    if (f->error)
        return;
    int err = otf2_archive_file(a, f->type, a->contained.file, path, sizeof path)
                  ? otf2_file_patch(a->files, path, at, &part, 1)
                  : -ENAMETOOLONG;
    if (err)
        f->error = OTF2_FAIL(otf2_error_from_errno(-err), "%s: cannot write", path);
}

static void put_head(struct frame *f, const uint64_t *ranks)
{
    char name[OTF2_PATH_BYTES];
    const struct otf2_contained *c = &f->archive->contained;
    const struct otf2_container_front front = {.head = head_of(c),
                                               .name = name,
                                               .ranks = ranks,
                                               .size = c->blocks.block,
                                               .rows = f->rows,
                                               .tail_at = f->tail_at};
    uint64_t n = otf2_container_end_at(&front.head) + OTF2_CONTAINER_END_BYTES;
    uint8_t *bytes = otf2_mem_new((size_t)n);
    if (!bytes || !otf2_archive_file(f->archive, f->type, 0, name, sizeof name)) {
        f->error = otf2_first_of(f->error, no_memory(f->archive));
        otf2_mem_free(bytes);
        return;
    }
    otf2_container_encode(bytes, &front);
    frame_put(f, 0, bytes, n);
    otf2_mem_free(bytes);
}

/* Writes the used bytes of each block, a few rows at a time. */
static OTF2_ErrorCode put_rows(struct frame *f, uint64_t bytes)
{
    enum { PIECE = 16 };
    OTF2_Archive *a = f->archive;
    const struct otf2_contained *c = &a->contained;
    uint64_t row_bytes = (uint64_t)WORD * c->tasks;
    OTF2_ErrorCode error = OTF2_SUCCESS;
    for (uint64_t from = 0; !error && from < f->rows; from += PIECE) {
        uint64_t piece[PIECE] = {0};
        uint64_t *all;
        uint64_t n = f->rows - from < PIECE ? f->rows - from : PIECE;
        for (uint64_t i = 0; i < n && bytes; i++) {
            uint64_t begin = (from + i) * c->blocks.block;
            uint64_t left = bytes > begin ? bytes - begin : 0;
            piece[i] = left < c->blocks.block ? left : c->blocks.block;
        }
        error = collect_file(a, piece, PIECE, &all);
        uint64_t *row = all ? otf2_mem_new((size_t)row_bytes) : NULL;
        if (all && !row)
            f->error = otf2_first_of(f->error, no_memory(a));
        for (uint64_t i = 0; row && i < n; i++) {
            for (uint32_t task = 0; task < c->tasks; task++)
                row[task] = all[(uint64_t)PIECE * task + i];
            frame_put(f, f->tail_at + row_bytes * (1 + from + i), row, row_bytes);
        }
        otf2_mem_free(row);
        otf2_mem_free(all);
    }
    return error;
}

/*
 * In file 0 of several files: the place of each rank. The root of all ranks need not be in file 0.
 */
static OTF2_ErrorCode put_places(struct frame *f)
{
    enum { PIECE = 512 };
    OTF2_Archive *a = f->archive;
    const struct otf2_contained *c = &a->contained;
    uint64_t n = (uint64_t)PLACE * c->ranks;
    uint64_t at = f->tail_at + (uint64_t)WORD * c->tasks * (1 + f->rows);
    bool is_mine = c->file == 0 && c->task == OTF2_COLLECTIVES_ROOT;
    OTF2_ErrorCode error = OTF2_SUCCESS;
    if (c->files == 1)
        return OTF2_SUCCESS;
    if (is_mine)
        frame_put(f, at, &c->ranks, sizeof c->ranks);
    at += sizeof c->ranks;
    for (uint64_t from = 0; !error && from < n; from += PIECE) {
        uint64_t words[PIECE] = {0};
        uint32_t part[PIECE];
        uint32_t some = n - from < PIECE ? (uint32_t)(n - from) : PIECE;
        for (uint32_t i = 0; c->places && i < some; i++)
            words[i] = c->places[from + i];
        error = tell_all(a, a->global_context, words, some);
        for (uint32_t i = 0; i < some; i++)
            part[i] = (uint32_t)words[i];
        if (is_mine)
            frame_put(f, at + sizeof *part * from, part, sizeof *part * some);
    }
    return error;
}

/* Completes a container. Without its head a container is invalid: the head comes last. */
static OTF2_ErrorCode complete(OTF2_Archive *a, unsigned kind)
{
    const struct otf2_contained *c = &a->contained;
    const struct otf2_container head = head_of(c);
    struct frame f = {.archive = a, .type = otf2_contained_types[kind]};
    uint64_t bytes = c->kinds[kind].bytes;
    const uint64_t own = bytes ? (bytes + c->blocks.block - 1) / c->blocks.block : 1;
    const uint64_t rank = c->rank;
    uint64_t *counts, *ranks = NULL;
    OTF2_ErrorCode error = collect_file(a, &own, 1, &counts);
    for (uint32_t i = 0; counts && i < c->tasks; i++)
        f.rows = counts[i] > f.rows ? counts[i] : f.rows;
    if (!error)
        error = tell_all(a, of_file(a), &f.rows, 1);
    if (!error)
        error = collect_file(a, &rank, 1, &ranks);
    f.tail_at = otf2_container_blocks_at(&head) + f.rows * c->blocks.row;
    if (counts)
        frame_put(&f, f.tail_at, counts, (uint64_t)WORD * c->tasks);
    if (!error)
        error = put_rows(&f, bytes);
    f.error = otf2_first_of(f.error, error); /* nothing is written any more after an error */
    error = otf2_first_of(error, put_places(&f));
    if (!error && ranks)
        put_head(&f, ranks);
    otf2_mem_free(counts);
    otf2_mem_free(ranks);
    return otf2_first_of(error, f.error);
}

OTF2_ErrorCode otf2_contained_end(OTF2_Archive *a)
{
    const struct otf2_contained *c = &a->contained;
    uint64_t used = 0;
    for (unsigned k = 0; k < OTF2_CONTAINED_KINDS; k++)
        used |= (uint64_t)c->kinds[k].is_used << k;
    OTF2_LocationRef *own = otf2_mem_new((size_t)(c->locations.n_nodes + 1) * sizeof *own);
    OTF2_ErrorCode map = OTF2_SUCCESS;
    OTF2_ErrorCode mine = own ? OTF2_SUCCESS : no_memory(a);
    if (own)
        list_locations(c, own);
    OTF2_ErrorCode error = share_locations(a, own, &used, &map);
    otf2_mem_free(own);
    OTF2_ErrorCode first = otf2_first_of(otf2_first_of(mine, map), error);
    for (unsigned k = 0; !error && k < OTF2_CONTAINED_KINDS; k++)
        if (used >> k & 1)
            first = otf2_first_of(first, complete(a, k));
    return first;
}
