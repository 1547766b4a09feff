/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/find/finish_settled.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/beneath.h"
#include "base/mem.h"
#include "base/raw_file.h"
#include "finish/find/finish_find.h"
#include "finish/state/finish_trouble.h"

enum { THREADS_MAX = 1 << 24, MAP_MAX = 1 << 30, JOURNAL_MAX = 1 << 30 };
#define KEPT_MAX (UINT64_C(1) << 40)

static uint64_t words_of(uint64_t bytes)
{
    return bytes / sizeof(uint64_t);
}

uint64_t finish_settled_digest(const struct finish_settled *record)
{
    enum { AT = offsetof(struct finish_settled, digest_behind) / sizeof(uint64_t) };
    return spur_hash(1, (const uint64_t *)(const void *)record + AT, words_of(sizeof *record) - AT);
}

char *finish_settled_folder(const struct finish *f, uint64_t world, char path[SPUR_FILE_PATH_BYTES])
{
    char file[64];
    snprintf(file, sizeof file, "settled-%016llx", (unsigned long long)world);
    return finish_path(f, NULL, file, path);
}

char *finish_settled_path(const struct finish *f, const struct finish_process *p, uint32_t thread,
                          const char *ending, char path[SPUR_FILE_PATH_BYTES])
{
    char file[96];
    snprintf(file, sizeof file, "settled-%016llx/traces/%llu.%s", (unsigned long long)p->head.world,
             (unsigned long long)((uint64_t)(uint32_t)p->head.rank << 32 | thread), ending);
    return finish_path(f, NULL, file, path);
}

/* ---- who has a record ---- */

struct scan {
    struct finish *f;
    struct finish_names folders;
};

static bool is_good(struct finish_settled *record, uint64_t left)
{
    if (left < sizeof *record)
        return false;
    const uint64_t behind = record->bytes - sizeof *record;
    return record->magic == FINISH_SETTLED_MAGIC && record->bytes >= sizeof *record &&
           record->bytes <= left && record->bytes % sizeof(uint64_t) == 0 &&
           record->threads <= THREADS_MAX && record->map_bytes <= MAP_MAX &&
           record->journal_bytes <= JOURNAL_MAX && record->kept_bytes <= KEPT_MAX &&
           behind == record->threads * FINISH_TOLD * sizeof(uint64_t) + record->map_bytes +
                         record->journal_bytes + record->kept_bytes &&
           record->digest == finish_settled_digest(record) &&
           memchr(record->name, '\0', sizeof record->name) &&
           finish_is_process_name(record->name) && finish_head_check(&record->head) &&
           record->head.rank >= 0;
}

static int take_record(struct scan *s, const struct finish_settled *record, const char *path,
                       uint64_t at)
{
    struct finish *f = s->f;
    struct finish_process *p =
        finish_names_find(f, &s->folders, record->name, strlen(record->name));
    uint64_t *to = spur_words_add(&f->settled, 1);
    bool has_folder = p;
    if (p && p->is_settled)
        return 0; /* told twice */
    p = p ? p : finish_add(f);
    if (!p || !to)
        return -ENOMEM;
    *to = (uint64_t)(uintptr_t)p;
    memcpy(p->name, record->name, sizeof p->name);
    memcpy(&p->head, &record->head, sizeof p->head);
    p->state = FINISH_ENDED;
    p->is_snapshot = p->is_running = p->is_there = false;
    p->is_settled = true;
    p->has_folder = has_folder;
    p->has_definitions = record->has_definitions;
    p->told_at = at;
    p->told_in = path;
    p->kept_at = at + record->bytes - record->kept_bytes;
    p->kept_bytes = record->kept_bytes;
    return 0;
}

static int scan_file(void *data, const char *name)
{
    struct scan *s = data;
    struct finish_ends ends = {0};
    struct finish_settled *record = spur_mem_new(sizeof *record);
    struct finish_told *told = spur_mem_new(sizeof *told);
    char file[SPUR_NAME_BYTES + 16];
    uint64_t size = 0, at = sizeof ends;
    if (!record || !told)
        return -ENOMEM; /* what there is goes with the process */
    told->next = s->f->told;
    s->f->told = told;
    snprintf(file, sizeof file, FINISH_ENDS_FOLDER "/%.*s", SPUR_NAME_BYTES, name);
    int fd = spur_file_open(finish_path(s->f, NULL, file, told->path), &size);
    if (fd >= 0 && spur_file_read(fd, 0, &ends, sizeof ends) == sizeof ends &&
        ends.magic == FINISH_ENDS_MAGIC && ends.end < size)
        size = ends.end;
    int err = fd < 0 && !spur_file_is_none(fd) ? fd : 0;
    while (fd >= 0 && !err && ends.magic == FINISH_ENDS_MAGIC && at + sizeof *record <= size) {
        int64_t n = spur_file_read(fd, at, record, sizeof *record);
        bool is_record = n == sizeof *record && is_good(record, size - at);
        s->f->keeps_settled |=
            !is_record; /* it was one, and is damaged: the next one is looked for */
        err = n < 0 ? (int)n : is_record ? take_record(s, record, told->path, at) : 0;
        at += is_record ? record->bytes : sizeof(uint64_t);
    }
    if (fd >= 0)
        spur_file_close(fd);
    spur_mem_free(record, sizeof *record);
    return finish_blame(s->f, err, "%s", told->path);
}

int finish_settled_scan(struct finish *f)
{
    struct scan s = {.f = f};
    char path[SPUR_FILE_PATH_BYTES];
    finish_path(f, NULL, FINISH_ENDS_FOLDER, path);
    if (!spur_file_is_there(path))
        return 0;
    int err = finish_names_sort(f, &s.folders) ? spur_file_list(path, scan_file, &s) : -ENOMEM;
    finish_names_free(&s.folders);
    return spur_file_is_none(err) ? 0 : err;
}

/* ---- what it tells ---- */

static int take_told(struct finish_process *p, const struct finish_settled *record, const char *at)
{
    const uint64_t told = record->threads * FINISH_TOLD;
    uint64_t *words = spur_words_add(&p->told, told ? told : 1);
    p->journal_room = record->journal_bytes + sizeof(uint64_t);
    p->journal = spur_mem_new(p->journal_room);
    uint64_t room = record->map_bytes + sizeof(uint64_t);
    void *map = spur_mem_new(room);
    if (!words || !p->journal || !map)
        return -ENOMEM;
    memcpy(words, at, told * sizeof *words);
    p->told.n = told;
    p->is_damaged = record->digest_behind != spur_hash(1, (const uint64_t *)(const void *)at,
                                                       words_of(record->bytes - sizeof *record));
    at += told * sizeof *words;
    memcpy(map, at, record->map_bytes);
    memcpy(p->journal, at + record->map_bytes, record->journal_bytes);
    p->journal_bytes = spur_journal_length(p->journal, record->journal_bytes);
    p->is_damaged |= p->journal_bytes < p->head.journal_bytes;
    (void)spur_unified_map_take(map, record->map_bytes, room, &p->told_map);
    return 0;
}

/* Those of one file, of which the first is at `i`; *i becomes the next one behind. */
static int load_file(struct finish *f, uint64_t *i)
{
    struct finish_process *p = (struct finish_process *)(uintptr_t)f->settled.at[*i];
    const char *path = p->told_in;
    void *memory = NULL;
    uint64_t bytes = 0, room = 0;
    int err = spur_file_load(path, UINT64_MAX - 1, &memory, &bytes, &room);
    for (; *i < f->settled.n && !err; ++*i) {
        p = (struct finish_process *)(uintptr_t)f->settled.at[*i];
        if (strcmp(p->told_in, path) != 0)
            break;
        struct finish_settled *record = (void *)((char *)memory + p->told_at);
        bool is_it = p->told_at < bytes && is_good(record, bytes - p->told_at);
        /* It was just before. */
        err = is_it ? take_told(p, record, (const char *)record + sizeof *record) : -EIO;
    }
    spur_mem_free(memory, room);
    return finish_blame(f, err, "%s", path);
}

int finish_settled_load(struct finish *f)
{
    int err = 0;
    for (uint64_t i = 0; i < f->settled.n && !err;)
        err = load_file(f, &i);
    return err;
}

bool finish_settled_is_seen(const struct finish_process *p)
{
    return !p->kept_bytes;
}

const uint64_t *finish_settled_of(const struct finish_process *p, const struct finish_thread *t)
{
    const uint64_t at = (uint64_t)(t - p->threads) * FINISH_TOLD;
    const uint64_t *told = p->told.at + at;
    bool is_there = p->told_in && at + FINISH_TOLD <= p->told.n;
    return is_there && told[FINISH_TOLD_NUMBER] == t->number ? told : NULL;
}

bool finish_settled_kept(const struct finish_process *p, const struct finish_thread *t,
                         unsigned which, struct finish_source *source)
{
    const uint64_t *told = finish_settled_of(p, t);
    if (!told || !told[which])
        return false;
    const uint64_t at = told[which] - 1;
    const uint64_t bytes =
        told[which == FINISH_TOLD_EVT ? FINISH_TOLD_BYTES : FINISH_TOLD_DEF_BYTES];
    if (!bytes || at > p->kept_bytes || bytes > p->kept_bytes - at)
        return false;
    *source = (struct finish_source){.at = p->kept_at + at, .bytes = bytes, .in = FINISH_IN_TOLD};
    return true;
}

/* ---- their files ---- */

static bool less_word(const void *context, uint64_t a, uint64_t b)
{
    (void)context;
    return a < b;
}

static int note_file(void *data, const char *name)
{
    struct finish *f = data;
    char *end;
    unsigned long long id = strtoull(name, &end, 10);
    bool is_evt = strcmp(end, ".evt") == 0, is_def = strcmp(end, ".def") == 0;
    if (end == name || (!is_evt && !is_def))
        return 0;
    uint64_t *at = spur_words_add(is_evt ? &f->adopted_evt : &f->adopted_def, 1);
    if (!at)
        return -ENOMEM;
    *at = id;
    return 0;
}

bool finish_settled_has(const struct spur_words *list, uint64_t location)
{
    uint64_t low = 0, high = list->n;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (list->at[middle] == location)
            return true;
        if (list->at[middle] < location)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* The world whose ranks have their ranks for numbers, all that belong to it; 0: none has. */
static uint64_t first_world(const struct finish *f)
{
    uint64_t world = 0;
    for (uint64_t i = 0; i < f->n_processes && !world; i++)
        if (f->process[i]->head.world && f->process[i]->mpi_base == 0)
            world = f->process[i]->head.world;
    for (uint64_t i = 0; i < f->n_processes; i++)
        if (world && f->process[i]->head.world == world &&
            f->process[i]->number != (uint64_t)(uint32_t)f->process[i]->head.rank)
            return 0;
    return world;
}

/* An earlier attempt has put the files of its archive aside: they are taken from there. */
int finish_settled_adopt(struct finish *f)
{
    char from[SPUR_FILE_PATH_BYTES], to[SPUR_FILE_PATH_BYTES];
    const uint64_t world = first_world(f);
    if (!world)
        return 0;
    char folder[SPUR_FILE_PATH_BYTES];
    snprintf(from, sizeof from, "%s/traces", finish_settled_folder(f, world, folder));
    snprintf(to, sizeof to, "%s/traces", f->place);
    if (spur_file_is_there(to) || !spur_file_is_there(from))
        return 0;
    int err = spur_beneath_rename(from, to);
    f->is_adopted = err == 0;
    if (!err)
        err = spur_file_list(to, note_file, f);
    finish_sort(f->adopted_evt.at, f->adopted_evt.n, less_word, NULL);
    finish_sort(f->adopted_def.at, f->adopted_def.n, less_word, NULL);
    return finish_blame(f, err, "%s", to);
}
