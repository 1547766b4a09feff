/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/finish_settle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/mem.h"
#include "finish/define/finish_define.h"
#include "finish/events/finish_events.h"
#include "finish/find/finish_find.h"
#include "finish/find/finish_settled.h"
#include "finish/finish_archive.h"
#include "finish/finish_tidy.h"
#include "session/local_place.h"

/*
 * Number of files of a host that are written to at the same time. A process that finds all files in
 * use makes a file of its own.
 */
enum { FILES_A_HOST = 16 };

/* ---- contents of the record ---- */

static bool put(struct spur_words *words, const void *from, uint64_t bytes)
{
    uint64_t n = bytes / sizeof(uint64_t);
    uint64_t *at = n ? spur_words_add(words, n) : NULL;
    if (at)
        memcpy(at, from, n * sizeof *at);
    return at || n == 0;
}

/* The place in the kept part of the record, + 1. */
static uint64_t place_of(const struct finish_source *source)
{
    return source->in == FINISH_IN_TOLD && source->bytes ? source->at + 1 : 0;
}

static bool put_threads(struct spur_words *words, const struct finish_process *p)
{
    uint64_t *at = spur_words_add(words, p->n_threads * FINISH_TOLD);
    for (uint64_t i = 0; at && i < p->n_threads; i++, at += FINISH_TOLD) {
        at[FINISH_TOLD_NUMBER] = p->threads[i].number;
        at[FINISH_TOLD_EVENTS] = p->threads[i].events;
        at[FINISH_TOLD_FIRST] = p->threads[i].first;
        at[FINISH_TOLD_LAST] = p->threads[i].last;
        at[FINISH_TOLD_BYTES] = p->threads[i].bytes;
        at[FINISH_TOLD_EVT] = place_of(&p->threads[i].evt);
        at[FINISH_TOLD_DEF] = place_of(&p->threads[i].def);
        at[FINISH_TOLD_DEF_BYTES] = p->threads[i].def.bytes;
    }
    return at;
}

static bool describe(struct spur_words *words, const struct finish *f,
                     const struct finish_process *p)
{
    const uint64_t kept_bytes = f->kept.n * sizeof *f->kept.at;
    const struct spur_unified_map *map = &p->told_map;
    enum { HEAD_WORDS = sizeof(struct finish_settled) / sizeof(uint64_t) };
    if (!spur_words_add(words, HEAD_WORDS) || !put_threads(words, p) ||
        !put(words, map->memory, map->bytes) || !put(words, p->journal, p->journal_bytes) ||
        !put(words, f->kept.at, kept_bytes))
        return false;
    struct finish_settled *record = (void *)words->at;
    record->magic = FINISH_SETTLED_MAGIC;
    record->bytes = words->n * sizeof(uint64_t);
    record->threads = p->n_threads;
    record->map_bytes = map->bytes;
    record->journal_bytes = p->journal_bytes;
    record->kept_bytes = kept_bytes;
    record->has_definitions = p->has_definitions;
    memcpy(record->name, p->name, sizeof record->name);
    memcpy(&record->head, &p->head, sizeof record->head);
    record->digest_behind = spur_hash(1, words->at + HEAD_WORDS, words->n - HEAD_WORDS);
    record->digest = finish_settled_digest(record);
    return true;
}

/* ---- the file ---- */

/*
 * "HOST.KEY" of this kernel: only processes of a common kernel can tell for sure whether another
 * process writes to a file.
 */
static void name_host(const struct finish_process *p, char *name, size_t size)
{
    uint64_t words[sizeof p->head.boot_id / sizeof(uint64_t) + 1] = {p->head.pid_space};
    memcpy(&words[1], p->head.boot_id, sizeof p->head.boot_id);
    const char *last = strrchr(p->name, '.');
    const char *dot = last ? memrchr(p->name, '.', (size_t)(last - p->name)) : NULL;
    snprintf(name, size, "%.*s.%016llx", dot ? (int)(dot - p->name) : 4, p->name,
             (unsigned long long)spur_hash(1, words, sizeof words / sizeof words[0]));
}

/* -EWOULDBLOCK: another process holds the file. */
static int open_held(const char *path)
{
    int fd = spur_beneath_open(path, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || syscall(SYS_flock, fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    spur_file_close(fd);
    return -EWOULDBLOCK;
}

/*
 * Opens a file for the record, without waiting for other processes. Where files cannot be held,
 * each process has a file of its own.
 */
static int open_ends(const struct finish *f, const struct finish_process *p)
{
    char host[SPUR_NAME_BYTES], file[SPUR_NAME_BYTES + 32], path[SPUR_FILE_PATH_BYTES];
    int err = spur_beneath_mkdir(finish_path(f, NULL, FINISH_ENDS_FOLDER, path), 0700);
    int fd = err && err != -EEXIST ? err : -EWOULDBLOCK;
    name_host(p, host, sizeof host);
    for (int i = 0; i < FILES_A_HOST && fd == -EWOULDBLOCK; i++) {
        snprintf(file, sizeof file, FINISH_ENDS_FOLDER "/%.220s.%d", host, i);
        fd = open_held(finish_path(f, NULL, file, path));
    }
    if (fd != -EWOULDBLOCK)
        return fd;
    snprintf(file, sizeof file, FINISH_ENDS_FOLDER "/%.250s", p->name);
    return spur_beneath_open(finish_path(f, NULL, file, path), O_RDWR | O_CREAT | O_EXCL, 0600);
}

/*
 * Appends a record. Data that does not fit, or is cut off, lies behind the end given in the file:
 * the data is then no record.
 */
static int append(int fd, const struct spur_words *words)
{
    struct finish_ends ends = {0};
    int64_t n = spur_file_read(fd, 0, &ends, sizeof ends);
    if (n < 0)
        return (int)n;
    if (n != sizeof ends || ends.magic != FINISH_ENDS_MAGIC)
        ends = (struct finish_ends){FINISH_ENDS_MAGIC, sizeof ends};
    int err = spur_file_write(fd, ends.end, words->at, words->n * sizeof(uint64_t));
    ends.end += words->n * sizeof(uint64_t);
    return err ? err : spur_file_write(fd, 0, &ends, sizeof ends);
}

static int tell(const struct finish *f, const struct finish_process *p)
{
    struct spur_words words = {0};
    int fd = describe(&words, f, p) ? open_ends(f, p) : -ENOMEM;
    int err = fd < 0 ? fd : append(fd, &words);
    if (fd >= 0 && syscall(SYS_close, fd) < 0 && !err)
        err = -errno;
    spur_words_free(&words);
    return err;
}

/* ---- the files ---- */

static bool has_contexts_in_code(const struct finish_process *p)
{
    struct spur_record record;
    uint64_t at = 0;
    bool has = false;
    while (!has && spur_journal_next(p->journal, p->journal_bytes, &at, &record))
        has = record.kind == SPUR_DEFINITION_ContextAt;
    return has;
}

/*
 * The files translate the ids of the process to ids of the archive. For places in the code that
 * become regions, all names are supposed to differ: then each region keeps its number. Finishing
 * looks up the names, and writes the files anew if two names are equal. The ids of calling contexts
 * depend on the names in any case. A clock other than the clock of the first process is placed when
 * all processes have ended: in both cases finishing writes the files.
 */
static int write_definitions(struct finish *f, struct finish_process *p)
{
    bool is_known = !has_contexts_in_code(p) && (p->n_readings == 0 || p->head.rank == 0);
    if (!is_known)
        return 0;
    OTF2_ErrorCode error = OTF2_Archive_OpenDefFiles(f->archive);
    int err = error ? -EIO : finish_local(f);
    if (!err && OTF2_Archive_CloseDefFiles(f->archive))
        err = -EIO;
    p->has_definitions = !err;
    return err;
}

static int load_map(const struct finish *f, struct finish_process *p, const struct spur_settling *s)
{
    char path[SPUR_FILE_PATH_BYTES];
    if (!s->map)
        return spur_unified_map_load(finish_path(f, p, "map", path), &p->told_map);
    void *copy = spur_mem_new(s->map_bytes);
    if (!copy)
        return -ENOMEM;
    memcpy(copy, s->map, s->map_bytes);
    return spur_unified_map_take(copy, s->map_bytes, s->map_bytes, &p->told_map);
}

static int take_map(const struct finish *f, struct finish_process *p, const struct spur_settling *s)
{
    const struct spur_unified_map *map = &p->told_map;
    int err = load_map(f, p, s);
    if (err)
        return err;
    const uint64_t *id = map->ids;
    if (map->rank != (uint32_t)p->head.rank ||
        !spur_unified_covers(map, p->journal, p->journal_bytes))
        return -ENODATA;
    for (int space = 0; space < SPUR_SPACES; space++) {
        uint64_t n = map->defined[space];
        uint64_t *to = n ? spur_words_add(&p->map.of[space], n) : NULL;
        if (n && !to)
            return -ENOMEM;
        if (n)
            memcpy(to, id, n * sizeof *to);
        id += n;
    }
    return 0;
}

static int make_files(struct finish *f, struct finish_process *p, const struct spur_settling *s)
{
    int err = finish_threads(f, p);
    if (!err)
        err = p->is_damaged ? -ENODATA : take_map(f, p, s);
    if (!err && !f->container)
        err = spur_beneath_mkdir(f->place, 0700);
    if (err == -EEXIST)
        err = 0;
    if (!err && finish_open_archive(f))
        err = -EIO;
    if (!err)
        err = finish_events(f, p);
    if (!err && (f->cut_off || f->dropped || f->repaired))
        err = -ENODATA; /* reported for the whole archive */
    if (!err && OTF2_Archive_CloseEvtFiles(f->archive))
        err = -EIO;
    return err ? err : write_definitions(f, p);
}

static struct finish_process *describe_self(struct finish *f, const struct spur_settling *s)
{
    struct finish_process *p = finish_add(f);
    if (!p)
        return NULL;
    snprintf(p->name, sizeof p->name, "%s", s->name);
    bool is_local = strcmp(s->place, s->dir) != 0;
    p->local = is_local ? spur_mem_new(SPUR_PLACE_BYTES) : NULL;
    if (is_local && !p->local)
        return NULL;
    if (is_local)
        snprintf(p->local, SPUR_PLACE_BYTES, "%s", s->place);
    memcpy(&p->head, s->segment, sizeof p->head);
    p->head.ended = SPUR_ENDED;
    p->head.exit_status = s->status;
    p->state = FINISH_ENDED;
    p->number = (uint32_t)p->head.rank;
    return p;
}

int spur_finish_settle(const struct spur_settling *settling)
{
    char folder[SPUR_FILE_PATH_BYTES];
    struct finish *f = spur_mem_new(sizeof *f);
    if (!f)
        return -ENOMEM;
    f->dir = settling->dir;
    f->is_settling = true;
    f->container = settling->segment->container;
    f->block_bytes = settling->segment->block_bytes;
    snprintf(f->place, sizeof f->place, "%.*s", FINISH_PLACE_BYTES - 1,
             finish_settled_folder(f, settling->segment->world, folder));
    struct finish_process *p = describe_self(f, settling);
    int err = p ? make_files(f, p, settling) : -ENOMEM;
    if (!err)
        err = tell(f, p);
    if (!err)
        finish_tidy_process(f, p);
    finish_free(f);
    spur_mem_free(f, sizeof *f);
    return err;
}
