/* SPDX-License-Identifier: BSD-3-Clause */
#include "reader/containers.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/memory.h"
#include "format/rank_map.h"

enum { KINDS = 3 };

/* A rank: a task of a container of each kind. */
struct rank {
    uint32_t file;
    uint32_t task;
    bool is_known[KINDS]; /* the rank's records are in the pieces */
};

/* A location of a rank. */
struct place {
    OTF2_LocationRef location;
    uint32_t rank;
    struct otf2_pieces of[KINDS];
};

struct file {
    char *path; /* NULL: the file was not needed so far */
    bool is_open;
    struct otf2_container_file table;
};

struct otf2_containers {
    char *folder;
    char *name;
    uint32_t n_files; /* of a kind */
    struct file *files[KINDS];
    bool is_absent[KINDS]; /* there is no container of the kind */
    struct rank *ranks;
    uint64_t n_ranks, ranks_room;
    struct place *places; /* by location, then rank */
    uint64_t n_places, places_room;
};

/* More room in an array of `size` bytes each; false without memory, the array stays. */
static bool grow(void *array, uint64_t n, uint64_t *room, size_t size)
{
    enum { FIRST = 4 };
    void *old;
    if (n < *room)
        return true;
    uint64_t more = *room ? 2 * *room : FIRST;
    void *new = otf2_mem_new((size_t)more * size);
    if (!new)
        return false;
    memcpy(&old, array, sizeof old);
    if (n)
        memcpy(new, old, (size_t)n * size);
    otf2_mem_free(old);
    memcpy(array, &new, sizeof new);
    *room = more;
    return true;
}

/* ---- the rank map ---- */

static int by_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->location != y->location)
        return x->location < y->location ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* The announced numbers. */
struct announced {
    bool has_all;
    uint64_t files, ranks, locations, of_rank;
};

static OTF2_ErrorCode add_rank(struct otf2_containers *c, const struct announced *a,
                               const uint64_t *value, size_t at, struct otf2_fault *fault)
{
    if (a->of_rank || value[OTF2_RANK_MAP_NUMBER] != c->n_ranks || c->n_ranks >= a->ranks)
        return otf2_fault_at(fault, at, "here should be another rank or a location");
    if (value[OTF2_RANK_MAP_FILE] >= a->files || value[OTF2_RANK_MAP_TASK] >= a->ranks)
        return otf2_fault_at(fault, at, "a rank is in a container that is not there");
    if (!grow(&c->ranks, c->n_ranks, &c->ranks_room, sizeof *c->ranks))
        return otf2_fault_memory(fault);
    c->ranks[c->n_ranks++] = (struct rank){.file = (uint32_t)value[OTF2_RANK_MAP_FILE],
                                           .task = (uint32_t)value[OTF2_RANK_MAP_TASK]};
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode add_location(struct otf2_containers *c, const struct announced *a,
                                   OTF2_LocationRef location, size_t at, struct otf2_fault *fault)
{
    if (!a->of_rank)
        return otf2_fault_at(fault, at, "a rank has more locations than it should");
    if (!grow(&c->places, c->n_places, &c->places_room, sizeof *c->places))
        return otf2_fault_memory(fault);
    c->places[c->n_places++] =
        (struct place){.location = location, .rank = (uint32_t)(c->n_ranks - 1)};
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode add_record(struct otf2_containers *c, struct announced *a,
                                 const struct otf2_rank_map_record *record, size_t at,
                                 struct otf2_fault *fault)
{
    const uint64_t *value = record->value;
    OTF2_ErrorCode error = OTF2_SUCCESS;
    if ((record->kind == OTF2_RANK_MAP_ALL) == a->has_all)
        return otf2_fault_at(fault, at, "the numbers of all ranks do not come first");
    switch (record->kind) {
    case OTF2_RANK_MAP_ALL:
        *a = (struct announced){true, value[OTF2_RANK_MAP_FILES], value[OTF2_RANK_MAP_RANKS],
                                value[OTF2_RANK_MAP_LOCATIONS], 0};
        break;
    case OTF2_RANK_MAP_RANK:
        error = add_rank(c, a, value, at, fault);
        a->of_rank = value[OTF2_RANK_MAP_OF_RANK];
        break;
    case OTF2_RANK_MAP_LOCATION:
        error = add_location(c, a, value[0], at, fault);
        a->of_rank--;
        break;
    case OTF2_RANK_MAP_END:
        /* Each file has a rank: the number of files is bounded by the ranks read. */
        if (a->of_rank || a->ranks != c->n_ranks || a->locations != c->n_places || !a->files ||
            a->files > a->ranks)
            error = otf2_fault_at(fault, at, "there are not as many ranks as announced");
        c->n_files = (uint32_t)a->files;
        break;
    }
    return error;
}

static OTF2_ErrorCode read_map(struct otf2_containers *c, const uint8_t *bytes, size_t n,
                               struct otf2_fault *fault)
{
    struct otf2_rank_map_walk walk = {.bytes = bytes, .n = n};
    struct otf2_rank_map_record record = {.kind = OTF2_RANK_MAP_ALL};
    struct announced announced = {0};
    OTF2_ErrorCode error = OTF2_SUCCESS;
    while (!error && record.kind != OTF2_RANK_MAP_END) {
        const char *wrong = otf2_rank_map_next(&walk, &record);
        error = wrong ? otf2_fault_at(fault, walk.at, wrong)
                      : add_record(c, &announced, &record, walk.at, fault);
    }
    if (!error && c->n_places)
        qsort(c->places, c->n_places, sizeof *c->places, by_place);
    return error;
}

static OTF2_ErrorCode load_map(struct otf2_containers *c, struct otf2_fault *fault)
{
    uint64_t n = 0;
    *fault = (struct otf2_fault){0};
    if (!otf2_path_map(c->folder, c->name, fault->path, sizeof fault->path))
        return otf2_fault_at(fault, 0, "the path is too long");
    int fd = otf2_input_open(fault, &n);
    if (fd < 0)
        return fault->code;
    uint8_t *bytes = otf2_mem_new((size_t)n + 1);
    OTF2_ErrorCode error =
        bytes ? otf2_input_read(fd, 0, bytes, n, fault) : otf2_fault_memory(fault);
    close(fd);
    if (!error)
        error = read_map(c, bytes, (size_t)n, fault);
    otf2_mem_free(bytes);
    for (unsigned k = 0; !error && k < KINDS; k++) {
        c->files[k] = otf2_mem_new(c->n_files * sizeof *c->files[k]);
        if (!c->files[k])
            error = otf2_fault_memory(fault);
    }
    return error;
}

struct otf2_containers *otf2_containers_new(const char *folder, const char *name,
                                            struct otf2_fault *fault)
{
    struct otf2_containers *c = otf2_mem_new(sizeof *c);
    *fault = (struct otf2_fault){0};
    if (c) {
        c->folder = otf2_text_new(folder);
        c->name = otf2_text_new(name);
    }
    if (!c || !c->folder || !c->name)
        (void)otf2_fault_memory(fault);
    else if (!load_map(c, fault))
        return c;
    otf2_containers_free(c);
    return NULL;
}

void otf2_containers_free(struct otf2_containers *c)
{
    if (!c)
        return;
    for (unsigned k = 0; k < KINDS; k++) {
        for (uint32_t i = 0; c->files[k] && i < c->n_files; i++) {
            otf2_container_file_fini(&c->files[k][i].table);
            otf2_mem_free(c->files[k][i].path);
        }
        otf2_mem_free(c->files[k]);
        for (uint64_t i = 0; i < c->n_places; i++)
            otf2_mem_free(c->places[i].of[k].pieces);
    }
    otf2_mem_free(c->places);
    otf2_mem_free(c->ranks);
    otf2_mem_free(c->folder);
    otf2_mem_free(c->name);
    otf2_mem_free(c);
}

uint32_t otf2_containers_files(const struct otf2_containers *c)
{
    return c->n_files;
}

uint64_t otf2_containers_locations(const struct otf2_containers *c)
{
    return c->n_places;
}

OTF2_LocationRef otf2_containers_location(const struct otf2_containers *c, uint64_t i)
{
    return c->places[i].location;
}

/* ---- a container ---- */

static unsigned kind_of(OTF2_FileType type)
{
    return type == OTF2_FILETYPE_EVENTS ? 0 : type == OTF2_FILETYPE_LOCAL_DEFS ? 1 : 2;
}

static bool set_path(const struct otf2_containers *c, OTF2_FileType type, uint64_t number,
                     struct otf2_fault *fault)
{
    if (otf2_path_make(c->folder, c->name, type, number, fault->path, sizeof fault->path))
        return true;
    (void)otf2_fault_at(fault, 0, "the path is too long");
    return false;
}

/* Reports a missing container: nobody wrote files of the type, or the container is lost. */
static void tell_missing(struct otf2_containers *c, OTF2_FileType type, uint32_t number,
                         struct otf2_fault *fault)
{
    bool *is_absent = &c->is_absent[kind_of(type)];
    uint32_t other = 0;
    *is_absent = *is_absent || c->n_files == 1;
    while (!*is_absent && other < c->n_files && set_path(c, type, other, fault) &&
           access(fault->path, F_OK) != 0)
        other++;
    *is_absent = *is_absent || other == c->n_files;
    if (set_path(c, type, number, fault) && !*is_absent)
        (void)otf2_fault_at(fault, 0, "is missing, others are there");
}

/* Opens a container, and reads its table at the first time. -1: *fault gives the reason. */
static int open_container(struct otf2_containers *c, OTF2_FileType type, uint32_t number,
                          struct otf2_fault *fault)
{
    struct file *file = &c->files[kind_of(type)][number];
    uint64_t bytes;
    if (!set_path(c, type, number, fault))
        return -1;
    int fd = otf2_input_open(fault, &bytes);
    if (fd < 0 && fault->code == OTF2_ERROR_ENOENT)
        tell_missing(c, type, number, fault);
    if (fd < 0)
        return -1;
    OTF2_ErrorCode error = OTF2_SUCCESS;
    if (!file->path)
        file->path = otf2_text_new(fault->path);
    if (!file->path)
        error = otf2_fault_memory(fault);
    if (!error && !file->is_open) {
        error = otf2_container_file_read(&file->table, fd, bytes, fault);
        file->is_open = !error;
    }
    const struct otf2_container *head = &file->table.head;
    if (!error && (head->files != c->n_files || head->number != number))
        error = otf2_fault_at(fault, 0, "it is not the container that the rank map says");
    if (!error)
        return fd;
    close(fd);
    return -1;
}

static struct place *find_place(const struct otf2_containers *c, OTF2_LocationRef location,
                                uint32_t rank)
{
    uint64_t low = 0, high = c->n_places;
    const struct place key = {.location = location, .rank = rank};
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (by_place(&c->places[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->n_places ? &c->places[low] : NULL;
}

struct adding {
    struct otf2_pieces *to;
    struct otf2_fault *fault;
};

static OTF2_ErrorCode add_piece(void *user, uint64_t at, uint64_t bytes)
{
    const struct adding *adding = user;
    struct otf2_pieces *p = adding->to;
    if (!grow(&p->pieces, p->n, &p->room, sizeof *p->pieces))
        return otf2_fault_memory(adding->fault);
    p->pieces[p->n++] = (struct otf2_piece){p->bytes, at};
    p->bytes += bytes;
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode read_task(struct otf2_containers *c, unsigned kind, uint32_t rank,
                                struct otf2_container_walk *w, const char *path)
{
    uint64_t location, bytes, before = 1;
    OTF2_ErrorCode error = otf2_container_walk_begin(w, rank);
    while (!error && otf2_container_walk_more(w)) {
        error = otf2_container_walk_record(w, &location, &bytes);
        if (error)
            break;
        struct place *place = find_place(c, location, rank);
        if (!place || place->location != location || place->rank != rank)
            return otf2_fault_at(
                w->fault, w->at,
                "a record of a location that the rank map does not give this rank");
        /* A hole is zeros, and no writer writes zeros. */
        if (!bytes && !before)
            return otf2_fault_at(w->fault, w->at, "empty records");
        before = bytes;
        struct adding adding = {&place->of[kind], w->fault};
        adding.to->path = path;
        error = otf2_container_walk_pass(w, bytes, add_piece, &adding,
                                         "a record reaches beyond the end of its task");
    }
    return error ? error : w->fault->code;
}

static void forget(struct otf2_containers *c, unsigned kind, uint32_t rank)
{
    for (uint64_t i = 0; i < c->n_places; i++) {
        struct place *place = &c->places[i];
        if (place->rank != rank)
            continue;
        otf2_mem_free(place->of[kind].pieces);
        place->of[kind] = (struct otf2_pieces){0};
    }
}

/* Finds the pieces of all locations of a rank. */
static OTF2_ErrorCode know_rank(struct otf2_containers *c, OTF2_FileType type, uint32_t number,
                                struct otf2_fault *fault)
{
    unsigned kind = kind_of(type);
    struct rank *rank = &c->ranks[number];
    if (rank->is_known[kind])
        return OTF2_SUCCESS;
    if (c->is_absent[kind] && set_path(c, type, rank->file, fault)) {
        fault->what = "cannot be opened";
        return fault->code = OTF2_ERROR_ENOENT;
    }
    int fd = open_container(c, type, rank->file, fault);
    if (fd < 0)
        return fault->code;
    const struct file *file = &c->files[kind][rank->file];
    struct otf2_container_walk walk = {.file = &file->table,
                                       .fd = fd,
                                       .task = rank->task,
                                       .fault = fault};
    OTF2_ErrorCode error = read_task(c, kind, number, &walk, file->path);
    close(fd);
    rank->is_known[kind] = !error;
    if (error)
        forget(c, kind, number);
    return error;
}

const struct otf2_pieces *otf2_containers_find(struct otf2_containers *c, OTF2_FileType type,
                                               OTF2_LocationRef location, struct otf2_fault *fault)
{
    *fault = (struct otf2_fault){0};
    const struct place *end = c->places + c->n_places;
    const struct place *place = find_place(c, location, 0);
    /* A rank may know of a location without having written to the location's file. */
    for (; place && place < end && place->location == location; place++) {
        const struct otf2_pieces *pieces = &place->of[kind_of(type)];
        if (know_rank(c, type, place->rank, fault))
            return NULL;
        if (pieces->bytes)
            return pieces;
    }
    (void)otf2_path_make(c->folder, c->name, type, location, fault->path, sizeof fault->path);
    fault->code = OTF2_ERROR_ENOENT;
    fault->what = "cannot be opened";
    return NULL;
}

OTF2_ErrorCode otf2_containers_find_all(struct otf2_containers *c, OTF2_FileType type,
                                        struct otf2_fault *fault)
{
    *fault = (struct otf2_fault){0};
    for (uint64_t i = 0; i < c->n_ranks && !fault->code; i++)
        (void)know_rank(c, type, (uint32_t)i, fault);
    return fault->code;
}

/* A number of 4 bytes; the number has to be `wanted`. */
static bool read_same(const struct otf2_container *head, int fd, uint64_t at, uint32_t wanted,
                      struct otf2_fault *fault)
{
    uint8_t bytes[sizeof(int32_t)];
    if (otf2_input_read(fd, at, bytes, sizeof bytes, fault))
        return false;
    if (otf2_container_get(head, bytes, sizeof bytes) == wanted)
        return true;
    (void)otf2_fault_at(fault, at, "it does not say where all ranks are, as the rank map does");
    return false;
}

OTF2_ErrorCode otf2_containers_judge_places(struct otf2_containers *c, OTF2_FileType type,
                                            struct otf2_fault *fault)
{
    *fault = (struct otf2_fault){0};
    if (c->n_files == 1)
        return OTF2_SUCCESS;
    int fd = open_container(c, type, 0, fault);
    if (fd < 0) {
        fault->code = OTF2_SUCCESS;
        return OTF2_SUCCESS;
    }
    const struct otf2_container_file *f = &c->files[kind_of(type)][0].table;
    uint64_t at = f->tail_at + (f->rows + 1) * f->head.tasks * OTF2_CONTAINER_WORD_BYTES;
    bool is_same = read_same(&f->head, fd, at, (uint32_t)c->n_ranks, fault);
    for (uint64_t i = 0; is_same && i < c->n_ranks; i++) {
        const struct rank *rank = &c->ranks[i];
        at += 2 * sizeof(int32_t);
        is_same = read_same(&f->head, fd, at - sizeof(int32_t), rank->file, fault) &&
                  read_same(&f->head, fd, at, rank->task, fault);
    }
    close(fd);
    return fault->code;
}

OTF2_ErrorCode otf2_pieces_read(const struct otf2_pieces *p, uint64_t at, void *to, uint64_t bytes,
                                struct otf2_fault *fault)
{
    uint64_t low = 0, high = p->n, size;
    *fault = (struct otf2_fault){0};
    memcpy(fault->path, p->path, strlen(p->path) + 1);
    int fd = otf2_input_open(fault, &size);
    if (fd < 0)
        return fault->code;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (p->pieces[middle].begin <= at)
            low = middle;
        else
            high = middle;
    }
    for (char *next = to; bytes && !fault->code; low++) {
        uint64_t end = low + 1 < p->n ? p->pieces[low + 1].begin : p->bytes;
        uint64_t part = end - at < bytes ? end - at : bytes;
        (void)otf2_input_read(fd, p->pieces[low].at + (at - p->pieces[low].begin), next, part,
                              fault);
        next += part;
        at += part;
        bytes -= part;
    }
    close(fd);
    return fault->code;
}
