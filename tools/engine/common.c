/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/engine/common.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tools/base/fail.h"
#include "tools/base/list.h"
#include "tools/base/map.h"

enum { TOKEN_WORDS = 2 };
static const char name_of_file[] = "spur-common";

/*
 * The token at the beginning of the file. A worker that opens the file by a number knows the owner
 * by the token.
 */
struct token {
    uint64_t words[TOKEN_WORDS];
};

/* A piece. */
struct range {
    char *at;
    size_t bytes;
    uint64_t place;
};

/* The address of a worker's file for further workers, and whose memory the worker sees. */
struct card {
    uint64_t pid;
    int64_t file; /* descriptor; -1: no file */
    struct token token;
};

/* Of a worker: threads of a rank have a file each. */
static _Thread_local struct {
    bool is_tried;
    bool is_met;
    unsigned rank;
    int file; /* after the first try; -1: no file */
    struct token token;
    uint64_t end; /* of the occupied places */
    LIST(struct range) ranges;
    struct map index_of; /* address to range */
    int *files;          /* by worker; -1: the worker is not seen */
    uint64_t *leaders;   /* by worker */
} common;

/* Threads open the files of remote workers once for all threads. */
static struct {
    pthread_mutex_t lock;
    int *files; /* by worker, plus 1; 0: not opened yet */
} opened = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- pieces ---- */

static uint64_t whole_pages(uint64_t bytes)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

/* A file has holes in unwritten places. So a limit on the file's length would be met too early. */
static bool has_limit(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur != RLIM_INFINITY;
}

static bool open_file(void)
{
    if (common.is_tried)
        return common.file >= 0;
    common.is_tried = true;
    common.end = whole_pages(1);
    common.file = has_limit() ? -1 : memfd_create(name_of_file, MFD_CLOEXEC);
    bool is_open =
        common.file >= 0 &&
        getrandom(&common.token, sizeof common.token, 0) == (ssize_t)sizeof common.token &&
        pwrite(common.file, &common.token, sizeof common.token, 0) == (ssize_t)sizeof common.token;
    if (!is_open && common.file >= 0)
        (void)close(common.file);
    common.file = is_open ? common.file : -1;
    return is_open;
}

static void *make_range(size_t bytes, uint64_t most)
{
    uint64_t place = common.end;
    if (ftruncate(common.file, (off_t)(place + most)))
        return NULL;
    char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, common.file, (off_t)place);
    if (at == MAP_FAILED)
        return NULL;
    common.end += most;
    map_set(&common.index_of, (uintptr_t)at, 0, (uint32_t)common.ranges.n);
    *LIST_ADD(&common.ranges) = (struct range){at, bytes, place};
    return at;
}

void *common_grow(void *old, size_t bytes, size_t most)
{
    size_t whole = (size_t)whole_pages(bytes);
    uint32_t index = old ? map_find(&common.index_of, (uintptr_t)old, 0) : NIL;
    if (!open_file())
        return NULL;
    if (index == NIL)
        return make_range(whole, whole_pages(most));
    struct range *range = &common.ranges.at[index];
    char *at = mremap(old, range->bytes, whole, MREMAP_MAYMOVE);
    if (at == MAP_FAILED)
        return NULL;
    map_remove(&common.index_of, (uintptr_t)old, 0);
    map_set(&common.index_of, (uintptr_t)at, 0, index);
    range->at = at;
    range->bytes = whole;
    return at;
}

void common_free(void *memory)
{
    uint32_t index = memory ? map_find(&common.index_of, (uintptr_t)memory, 0) : NIL;
    if (index == NIL) {
        free(memory);
        return;
    }
    struct range *range = &common.ranges.at[index];
    (void)munmap(memory, range->bytes);
    if (!common.is_met)
        (void)fallocate(common.file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                        (off_t)range->place, (off_t)range->bytes);
    map_remove(&common.index_of, (uintptr_t)memory, 0);
    range->at = NULL;
}

uint64_t common_place(const void *memory)
{
    uint32_t index = memory ? map_find(&common.index_of, (uintptr_t)memory, 0) : NIL;
    return index == NIL ? COMMON_NOWHERE : common.ranges.at[index].place;
}

/* ---- visibility of workers ---- */

/* Looks at the name first: opening a wrong file might wait, or have an effect. */
static int open_theirs(const struct card *card)
{
    char path[64], link[64];
    struct token token;
    (void)snprintf(path, sizeof path, "/proc/%llu/fd/%lld", (unsigned long long)card->pid,
                   (long long)card->file);
    ssize_t n = card->file < 0 ? -1 : readlink(path, link, sizeof link - 1);
    if (n < 0)
        return -1;
    link[n] = '\0';
    int file = strstr(link, name_of_file) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return -1;
    if (pread(file, &token, sizeof token, 0) == (ssize_t)sizeof token &&
        !memcmp(&token, &card->token, sizeof token))
        return file;
    (void)close(file);
    return -1;
}

/*
 * Exchanges words by worker: `mine` has a word for each worker, `theirs` gets a word from each
 * worker.
 */
static void exchange_words(struct engine *engine, const uint64_t *mine, uint64_t *theirs)
{
    struct engine_bytes *out = take_memory(engine->size * sizeof *out);
    uint64_t *words = take_memory(engine->size * sizeof *words);
    memcpy(words, mine, engine->size * sizeof *words);
    for (unsigned i = 0; i < engine->size; i++)
        out[i] = (struct engine_bytes){.at = (char *)&words[i], .n = sizeof *words};
    const struct engine_bytes *in = engine_exchange(engine, out);
    for (unsigned i = 0; i < engine->size; i++)
        memcpy(&theirs[i], in[i].at, sizeof theirs[i]);
    engine_exchanged(engine);
    free(out);
    free(words);
}

static int open_once(const struct engine *engine, unsigned worker, const struct card *card)
{
    (void)pthread_mutex_lock(&opened.lock);
    if (!opened.files)
        opened.files = take_memory(engine->size * sizeof *opened.files);
    if (!opened.files[worker])
        opened.files[worker] = open_theirs(card) + 1;
    int file = opened.files[worker] - 1;
    (void)pthread_mutex_unlock(&opened.lock);
    return file;
}

static void open_all(struct engine *engine)
{
    struct card card = {(uint64_t)getpid(), open_file() ? common.file : -1, common.token};
    struct engine_bytes *out = take_memory(engine->size * sizeof *out);
    for (unsigned i = 0; i < engine->size; i++)
        out[i] = (struct engine_bytes){.at = (char *)&card, .n = sizeof card};
    const struct engine_bytes *in = engine_exchange(engine, out);
    for (unsigned i = 0; i < engine->size; i++) {
        struct card theirs;
        memcpy(&theirs, in[i].at, sizeof theirs);
        common.files[i] = open_once(engine, i, &theirs);
    }
    engine_exchanged(engine);
    free(out);
}

/* Visibility is mutual: a worker is seen only if the worker sees the present worker. */
static void see_each_other(struct engine *engine, uint64_t *words)
{
    for (unsigned i = 0; i < engine->size; i++)
        words[i] = common.files[i] >= 0;
    exchange_words(engine, words, words);
    for (unsigned i = 0; i < engine->size; i++)
        if (!words[i])
            common.files[i] = -1;
}

/*
 * All workers with the same leader see each other. A worker that does not see every member of the
 * group stays alone.
 */
static void choose_leaders(struct engine *engine, uint64_t *words)
{
    unsigned n = engine->size;
    uint64_t leader = 0;
    while (leader < engine->rank && common.files[leader] < 0)
        leader++;
    for (unsigned i = 0; i < n; i++)
        words[i] = leader;
    exchange_words(engine, words, words);
    for (unsigned i = 0; i < n; i++) {
        bool is_mine = words[i] == words[engine->rank];
        leader = is_mine && common.files[i] < 0 ? engine->rank : leader;
    }
    for (unsigned i = 0; i < n; i++)
        words[i] = leader;
    exchange_words(engine, words, common.leaders);
}

void common_meet(struct engine *engine)
{
    uint64_t *words = take_memory(engine->size * sizeof *words);
    common.is_met = true;
    common.rank = engine->rank;
    common.files = take_memory(engine->size * sizeof *common.files);
    common.leaders = take_memory(engine->size * sizeof *common.leaders);
    open_all(engine);
    see_each_other(engine, words);
    choose_leaders(engine, words);
    free(words);
}

bool common_is_seen(unsigned worker)
{
    return common.is_met && common.leaders[worker] == common.leaders[common.rank];
}

unsigned common_leader(unsigned worker)
{
    return (unsigned)common.leaders[worker];
}

void *common_view(unsigned worker, uint64_t place, size_t bytes)
{
    if (!bytes)
        return NULL;
    void *at = mmap(NULL, bytes, PROT_READ, MAP_SHARED, common.files[worker], (off_t)place);
    return there(at == MAP_FAILED ? NULL : at);
}
