/* SPDX-License-Identifier: BSD-3-Clause */
/* Logs, in a file that all processes map. Nothing here takes a lock or much of a stack. */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "soak.h"

enum { ARENA_BYTES = 32 << 20, FIRST_LOG = 16384, PATH_BYTES = 4096, MAX_LEFT = 900 };

/* At the beginning of the file. */
struct head {
    atomic_size_t used;
    size_t room;
    atomic_uint n_left;
    struct left {
        uint64_t key;
        size_t place;
    } left[MAX_LEFT];
};
_Static_assert(sizeof(struct head) <= FIRST_LOG, "logs come behind the head");

static char arena_path[PATH_BYTES + 16];
static char *arena;

const char *soak_arena_path(void)
{
    return arena_path;
}

static void map(int fd)
{
    arena = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (arena == MAP_FAILED)
        abort();
}

void soak_arena_make(void)
{
    snprintf(arena_path, sizeof arena_path, "%s/arena", soak_folder);
    int fd = open(arena_path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0 || ftruncate(fd, ARENA_BYTES) != 0)
        abort();
    map(fd);
    const char *room = getenv("SOAK_ROOM");
    ((struct head *)arena)->used = FIRST_LOG;
    ((struct head *)arena)->room = room ? strtoul(room, NULL, 10) : 0;
}

size_t soak_room(void)
{
    return ((const struct head *)arena)->room;
}

void soak_arena_open(const char *path)
{
    snprintf(arena_path, sizeof arena_path, "%s", path);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        _exit(120);
    map(fd);
}

struct soak_log *soak_log_new(size_t size)
{
    size_t whole = sizeof(struct soak_log) + size;
    size_t place = atomic_fetch_add(&((struct head *)arena)->used, (whole + 63) & ~(size_t)63);
    if (place + whole > ARENA_BYTES)
        _exit(121);
    struct soak_log *log = soak_log_at(place);
    log->size = (uint32_t)size;
    return log;
}

size_t soak_log_place(const struct soak_log *log)
{
    return (size_t)((const char *)log - arena);
}

struct soak_log *soak_log_at(size_t place)
{
    return (struct soak_log *)(arena + place);
}

static void add(struct soak_log *log, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        log->hash = (log->hash ^ (unsigned char)text[i]) * 0x100000001b3;
        if (log->used < log->size)
            log->text[log->used++] = text[i];
    }
}

void soak_note_word(struct soak_actor *actor, const char *word)
{
    add(actor->log, word, strlen(word));
    add(actor->log, " ", 1);
}

void soak_note(struct soak_actor *actor, int64_t value)
{
    char text[24];
    char *p = text + sizeof text;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    *--p = ' ';
    do
        *--p = (char)('0' + rest % 10);
    while ((rest /= 10) != 0);
    if (value < 0)
        *--p = '-';
    add(actor->log, p, (size_t)(text + sizeof text - p));
}

void soak_note_log(struct soak_actor *actor, const struct soak_log *log)
{
    add(actor->log, "[", 1);
    add(actor->log, log->text, log->used);
    soak_note(actor, (int64_t)log->hash);
    add(actor->log, "] ", 2);
}

void soak_log_leave(uint64_t key, const struct soak_log *log)
{
    struct head *head = (struct head *)arena;
    unsigned number = atomic_fetch_add(&head->n_left, 1);
    if (number < MAX_LEFT)
        head->left[number] = (struct left){key, soak_log_place(log)};
}

static int compare(const void *a, const void *b)
{
    uint64_t left = ((const struct left *)a)->key, right = ((const struct left *)b)->key;
    return (left > right) - (left < right);
}

/* Those whose makers did not wait, in an order that does not depend on time. */
void soak_note_left(struct soak_actor *actor)
{
    struct head *head = (struct head *)arena;
    unsigned n = head->n_left < MAX_LEFT ? head->n_left : MAX_LEFT;
    qsort(head->left, n, sizeof head->left[0], compare);
    for (unsigned i = 0; i < n; i++)
        soak_note_log(actor, soak_log_at(head->left[i].place));
}
