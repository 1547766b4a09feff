/* SPDX-License-Identifier: BSD-3-Clause */
#include "writer/pack_files.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "format/container.h"
#include "format/memory.h"
#include "format/rank_map.h"
#include "writer/file.h"

enum {
    WORD = OTF2_CONTAINER_WORD_BYTES,
    PLACE = 2, /* file and task */
    PEN_BYTES = 1 << 20,
    BLOCK_MOST = 32 << 20 /* the reference library was seen to read these */
};

/* ---- paths ---- */

static bool make_path(const struct otf2_pack_archive *a, unsigned kind, uint64_t number, char *path)
{
    return otf2_path_make(a->folder, a->name, otf2_contained_types[kind], number, path,
                          OTF2_PATH_BYTES);
}

/* ---- the plan ---- */

int otf2_pack_share(struct otf2_pack *p, uint32_t n_files, const uint32_t *host, uint32_t n_hosts)
{
    uint32_t *number = n_files ? NULL : otf2_mem_new((size_t)n_hosts * sizeof *number); /* + 1 */
    p->file = otf2_mem_new((size_t)p->ranks * sizeof *p->file);
    int err = p->file && (n_files || number) ? 0 : -ENOMEM;
    p->n_files = n_files < p->ranks ? n_files : p->ranks;
    for (uint32_t rank = 0; rank < p->ranks && !err; rank++) {
        if (n_files) {
            p->file[rank] = (uint32_t)((uint64_t)rank * p->n_files / p->ranks);
            continue;
        }
        if (!number[host[rank]])
            number[host[rank]] = ++p->n_files;
        p->file[rank] = number[host[rank]] - 1;
    }
    otf2_mem_free(number);
    return err;
}

static int place_ranks(struct otf2_pack *p)
{
    p->places = otf2_mem_new((size_t)p->ranks * PLACE * sizeof *p->places);
    p->tasks = otf2_mem_new((size_t)p->n_files * sizeof *p->tasks);
    if (!p->places || !p->tasks)
        return -ENOMEM;
    for (uint32_t rank = 0; rank < p->ranks; rank++) {
        p->places[(uint64_t)PLACE * rank] = p->file[rank];
        p->places[(uint64_t)PLACE * rank + 1] = p->tasks[p->file[rank]]++;
    }
    return 0;
}

static struct otf2_container head_of(const struct otf2_pack *p, uint32_t file)
{
    return (struct otf2_container){.tasks = p->tasks[file],
                                   .files = p->n_files,
                                   .number = file,
                                   .align = p->align};
}

static uint64_t block_of(const struct otf2_pack *p, uint64_t bytes)
{
    uint64_t most = (uint64_t)BLOCK_MOST / p->align * p->align;
    uint64_t block = (bytes + p->align - 1) / p->align * p->align;
    if (!block)
        return p->align;
    return block > most && most ? most : block;
}

/* One behind the other in each file; a file's ranks do not stand together. */
static void place_blocks(const struct otf2_pack *p, struct otf2_pack_task *task, uint64_t *ends)
{
    for (uint32_t file = 0; file < p->n_files; file++) {
        const struct otf2_container head = head_of(p, file);
        ends[file] = otf2_container_blocks_at(&head);
    }
    for (uint32_t rank = 0; rank < p->ranks; rank++) {
        struct otf2_task_blocks *blocks = &task[rank].blocks;
        blocks->begin = ends[p->file[rank]];
        blocks->block = block_of(p, task[rank].bytes);
        ends[p->file[rank]] += blocks->block;
    }
    for (uint32_t rank = 0; rank < p->ranks; rank++) {
        const struct otf2_container head = head_of(p, p->file[rank]);
        task[rank].blocks.row = ends[p->file[rank]] - otf2_container_blocks_at(&head);
    }
}

static int plan_kind(struct otf2_pack *p, unsigned kind, uint64_t *ends)
{
    bool is_used = false;
    for (uint64_t i = 0; i < p->n && !is_used; i++)
        is_used = p->locations[i].bytes[kind] != 0;
    if (!is_used)
        return 0;
    struct otf2_pack_task *task = p->task[kind] = otf2_mem_new((size_t)p->ranks * sizeof *task);
    if (!task)
        return -ENOMEM;
    for (uint64_t i = 0; i < p->n; i++) {
        struct otf2_pack_location *l = &p->locations[i];
        l->at[kind] = task[l->rank].bytes;
        if (l->bytes[kind])
            task[l->rank].bytes += OTF2_CONTAINER_RECORD_BYTES + l->bytes[kind];
    }
    place_blocks(p, task, ends);
    return 0;
}

int otf2_pack_plan(struct otf2_pack *p)
{
    int err = place_ranks(p);
    uint64_t *ends = err ? NULL : otf2_mem_new((size_t)p->n_files * sizeof *ends);
    if (!err && !ends)
        err = -ENOMEM;
    for (unsigned kind = 0; kind < OTF2_CONTAINED_KINDS && !err; kind++)
        err = plan_kind(p, kind, ends);
    otf2_mem_free(ends);
    return err;
}

void otf2_pack_fini(struct otf2_pack *p)
{
    for (unsigned kind = 0; kind < OTF2_CONTAINED_KINDS; kind++)
        otf2_mem_free(p->task[kind]);
    otf2_mem_free(p->file);
    otf2_mem_free(p->places);
    otf2_mem_free(p->tasks);
    p->file = p->places = p->tasks = NULL;
    memset(p->task, 0, sizeof p->task);
}

/* ---- copying ---- */

int otf2_pack_begin(struct otf2_pack_pen *pen, const struct otf2_pack *p)
{
    *pen = (struct otf2_pack_pen){.pack = p, .bytes = otf2_mem_new(PEN_BYTES)};
    return pen->bytes ? 0 : -ENOMEM;
}

void otf2_pack_end(struct otf2_pack_pen *pen)
{
    otf2_mem_free(pen->bytes);
    pen->bytes = NULL;
}

static int write_out(struct otf2_pack_pen *pen)
{
    const struct otf2_pack *p = pen->pack;
    if (!pen->n)
        return 0;
    if (!make_path(&p->to, pen->kind, p->file[pen->rank], pen->culprit))
        return -ENAMETOOLONG;
    int err = otf2_task_write(p->files, pen->culprit, &p->task[pen->kind][pen->rank].blocks,
                              pen->at, pen->bytes, pen->n);
    pen->at += pen->n;
    pen->n = 0;
    return err;
}

static int read_part(struct otf2_pack_pen *pen, const struct otf2_pack_location *l, uint64_t at,
                     size_t bytes)
{
    const struct otf2_pack *p = pen->pack;
    uint8_t *to = pen->bytes + pen->n;
    if (p->read)
        return p->read(p, l, pen->kind, at, to, bytes, pen->culprit);
    if (!make_path(&p->from, pen->kind, l->id, pen->culprit))
        return -ENAMETOOLONG;
    return otf2_file_read(p->files, pen->culprit, at, to, bytes);
}

static int copy_file(struct otf2_pack_pen *pen, const struct otf2_pack_location *l)
{
    const uint64_t bytes = l->bytes[pen->kind];
    const uint64_t head[] = {l->id, bytes};
    int err = PEN_BYTES - pen->n < sizeof head ? write_out(pen) : 0;
    memcpy(pen->bytes + pen->n, head, sizeof head);
    pen->n += sizeof head;
    for (uint64_t done = 0; done < bytes && !err;) {
        uint64_t room = PEN_BYTES - pen->n;
        uint64_t part = bytes - done < room ? bytes - done : room;
        err = read_part(pen, l, done, (size_t)part);
        if (err)
            return err;
        pen->n += part;
        done += part;
        if (pen->n == PEN_BYTES)
            err = write_out(pen);
    }
    return err;
}

/* The locations of a rank stand together. */
static uint64_t first_of(const struct otf2_pack *p, uint32_t rank)
{
    uint64_t low = 0, high = p->n;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (p->locations[middle].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int otf2_pack_rank(struct otf2_pack_pen *pen, uint32_t rank)
{
    const struct otf2_pack *p = pen->pack;
    int err = 0;
    pen->rank = rank;
    for (pen->kind = 0; pen->kind < OTF2_CONTAINED_KINDS && !err; pen->kind++) {
        pen->at = 0;
        for (uint64_t i = first_of(p, rank); i < p->n && p->locations[i].rank == rank && !err; i++)
            if (p->locations[i].bytes[pen->kind])
                err = copy_file(pen, &p->locations[i]);
        if (!err)
            err = write_out(pen);
    }
    return err;
}

/* ---- around the blocks ---- */

/* What stands in front of the blocks and behind them, of one container. */
struct frame {
    const struct otf2_pack *pack;
    const struct otf2_pack_task *task; /* of each rank */
    uint32_t file;
    uint64_t rows;
    uint64_t tail_at;
    uint64_t *words; /* one for each task: of its rank, the size of its block, ... */
    char *culprit;
};

static void collect(const struct frame *f,
                    uint64_t (*of)(const struct frame *f, uint32_t rank, uint64_t row),
                    uint64_t row, uint64_t *words)
{
    const struct otf2_pack *p = f->pack;
    for (uint32_t rank = 0; rank < p->ranks; rank++)
        if (p->file[rank] == f->file)
            *words++ = of(f, rank, row);
}

static uint64_t rank_of(const struct frame *f, uint32_t rank, uint64_t row)
{
    (void)f, (void)row;
    return rank;
}

static uint64_t size_of(const struct frame *f, uint32_t rank, uint64_t row)
{
    (void)row;
    return f->task[rank].blocks.block;
}

static uint64_t blocks_of(const struct frame *f, uint32_t rank, uint64_t row)
{
    const struct otf2_pack_task *task = &f->task[rank];
    (void)row;
    return task->bytes ? (task->bytes + task->blocks.block - 1) / task->blocks.block : 1;
}

static uint64_t used_of(const struct frame *f, uint32_t rank, uint64_t row)
{
    const struct otf2_pack_task *task = &f->task[rank];
    uint64_t begin = row * task->blocks.block;
    uint64_t left = task->bytes > begin ? task->bytes - begin : 0;
    return left < task->blocks.block ? left : task->blocks.block;
}

static int put(const struct frame *f, uint64_t at, const void *data, uint64_t bytes)
{
    const struct otf2_bytes part = {data, (size_t)bytes};
    return otf2_file_patch(f->pack->files, f->culprit, at, &part, 1);
}

static int put_tail(const struct frame *f)
{
    const struct otf2_pack *p = f->pack;
    const uint64_t row_bytes = (uint64_t)WORD * p->tasks[f->file];
    const uint64_t map_at = f->tail_at + row_bytes * (1 + f->rows);
    collect(f, blocks_of, 0, f->words);
    int err = put(f, f->tail_at, f->words, row_bytes);
    for (uint64_t row = 0; row < f->rows && !err; row++) {
        collect(f, used_of, row, f->words);
        err = put(f, f->tail_at + row_bytes * (1 + row), f->words, row_bytes);
    }
    if (err || f->file || p->n_files == 1)
        return err;
    err = put(f, map_at, &p->ranks, sizeof p->ranks);
    return err ? err
               : put(f, map_at + sizeof p->ranks, p->places,
                     (uint64_t)PLACE * p->ranks * sizeof *p->places);
}

static int put_front(const struct frame *f, const char *name)
{
    const uint32_t tasks = f->pack->tasks[f->file];
    uint64_t *sizes = f->words + tasks;
    const struct otf2_container_front front = {.head = head_of(f->pack, f->file),
                                               .name = name,
                                               .ranks = f->words,
                                               .sizes = sizes,
                                               .rows = f->rows,
                                               .tail_at = f->tail_at};
    uint64_t n = otf2_container_end_at(&front.head) + OTF2_CONTAINER_END_BYTES;
    uint8_t *bytes = otf2_mem_new((size_t)n);
    if (!bytes)
        return -ENOMEM;
    collect(f, rank_of, 0, f->words);
    collect(f, size_of, 0, sizes);
    otf2_container_encode(bytes, &front);
    int err = put(f, 0, bytes, n);
    otf2_mem_free(bytes);
    return err;
}

static int complete_file(const struct otf2_pack *p, unsigned kind, uint32_t file, char *culprit)
{
    char name[OTF2_PATH_BYTES];
    struct frame f = {.pack = p, .task = p->task[kind], .file = file, .culprit = culprit};
    const struct otf2_container head = head_of(p, file);
    uint64_t row = 0;
    if (!make_path(&p->to, kind, file, culprit) ||
        !otf2_path_make(".", p->from.name, otf2_contained_types[kind], 0, name, sizeof name))
        return -ENAMETOOLONG;
    f.words = otf2_mem_new((size_t)2 * p->tasks[file] * sizeof *f.words);
    if (!f.words)
        return -ENOMEM;
    for (uint32_t rank = 0; rank < p->ranks; rank++)
        if (p->file[rank] == file) {
            uint64_t blocks = blocks_of(&f, rank, 0);
            f.rows = blocks > f.rows ? blocks : f.rows;
            row = f.task[rank].blocks.row;
        }
    f.tail_at = otf2_container_blocks_at(&head) + f.rows * row;
    int err = put_tail(&f);
    if (!err)
        err = put_front(&f, name);
    otf2_mem_free(f.words);
    return err;
}

static int write_map(const struct otf2_pack *p, char *culprit)
{
    uint64_t *counts = otf2_mem_new((size_t)p->ranks * sizeof *counts);
    uint64_t *ids = otf2_mem_new((size_t)p->n * sizeof *ids);
    uint8_t *bytes = otf2_mem_new(otf2_rank_map_room(p->ranks, p->n));
    int err = counts && ids && bytes ? 0 : -ENOMEM;
    for (uint64_t i = 0; i < p->n && !err; i++) {
        ids[i] = p->locations[i].id;
        counts[p->locations[i].rank]++;
    }
    if (!err && !otf2_path_map(p->to.folder, p->to.name, culprit, OTF2_PATH_BYTES))
        err = -ENAMETOOLONG;
    if (!err) {
        const struct otf2_rank_map map = {p->n_files, p->ranks, p->places, counts, ids, p->n};
        const struct otf2_bytes part = {bytes, otf2_rank_map_encode(&map, bytes)};
        err = otf2_file_write(p->files, culprit, 0, &part, 1);
    }
    otf2_mem_free(counts);
    otf2_mem_free(ids);
    otf2_mem_free(bytes);
    return err;
}

int otf2_pack_complete(const struct otf2_pack *p, char *culprit)
{
    int err = 0;
    for (unsigned kind = 0; kind < OTF2_CONTAINED_KINDS; kind++)
        for (uint32_t file = 0; p->task[kind] && file < p->n_files && !err; file++)
            err = complete_file(p, kind, file, culprit);
    return err ? err : write_map(p, culprit);
}
