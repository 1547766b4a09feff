/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory: blocks of the heap, and files that several threads map at the same time. */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "soak.h"

enum { BLOCKS = 40, ROUNDS = 400, MAPPERS = 4, TURNS = 60, PAGE = 4096, ROOM = 16 * PAGE };

struct block {
    unsigned char *at;
    size_t size;
    unsigned char mark;
};

static unsigned char *new_block(uint64_t how, size_t size)
{
    void *made = NULL;
    switch (how) {
    case 0:
        return calloc(size, 1);
    case 1:
        return aligned_alloc(64, (size + 63) & ~(size_t)63);
    case 2:
        return posix_memalign(&made, PAGE, size) ? NULL : made;
    default:
        return malloc(size);
    }
}

/* How many blocks are not what was written there. */
static int check_block(const struct block *block)
{
    int bad = 0;
    for (size_t i = 0; i < block->size; i++)
        bad |= block->at[i] != block->mark;
    return bad;
}

static void change_block(struct soak_actor *actor, struct block *block)
{
    size_t size = 1 + (size_t)soak_draw(actor, soak_draw(actor, 10) ? 600 : 300000);
    if (block->at && soak_draw(actor, 3) == 0) {
        block->at = realloc(block->at, size);
    } else {
        free(block->at);
        block->at = new_block(soak_draw(actor, 8), size);
    }
    if (!block->at)
        abort();
    block->size = size;
    block->mark = (unsigned char)soak_draw(actor, 256);
    memset(block->at, block->mark, size);
}

void soak_op_heap(struct soak_actor *actor)
{
    struct block blocks[BLOCKS] = {{NULL, 0, 0}};
    int bad = 0;
    for (int i = 0; i < ROUNDS; i++) {
        struct block *block = &blocks[soak_draw(actor, BLOCKS)];
        bad += check_block(block);
        change_block(actor, block);
    }
    for (int i = 0; i < BLOCKS; i++) {
        bad += check_block(&blocks[i]);
        free(blocks[i].at);
    }
    soak_note(actor, bad);
}

struct mapper {
    pthread_t thread;
    char *room; /* reserved: files are mapped into its middle */
    int fd;
    int bad;
};

/* Each turn ends with a call on the whole room, of which a file was a part a moment before. No part
 * is unmapped alone: anybody's memory may come to lie in a hole. */
static void *map_in_turns(void *argument)
{
    struct mapper *mapper = argument;
    for (int i = 0; i < TURNS; i++) {
        char *middle = mapper->room + (size_t)(i % 8) * PAGE;
        char *part =
            mmap(middle, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, mapper->fd, 0);
        char *own = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, mapper->fd, PAGE);
        mapper->bad += part != middle || own == MAP_FAILED;
        part[i] = own[i] = (char)('a' + i % 26);
        mapper->bad += msync(part, PAGE, MS_SYNC) + msync(own, PAGE, MS_ASYNC);
        mapper->bad += munmap(own, PAGE);
        mapper->bad += mmap(mapper->room, ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                            -1, 0) != mapper->room;
    }
    return NULL;
}

static void mapper_start(struct mapper *mapper, uint64_t number)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/mapped.%llu", soak_folder, (unsigned long long)number);
    mapper->bad = 0;
    mapper->fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    mapper->bad += ftruncate(mapper->fd, 2 * PAGE);
    mapper->room = mmap(NULL, ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mapper->bad += pthread_create(&mapper->thread, NULL, map_in_turns, mapper) != 0;
}

void soak_op_maps(struct soak_actor *actor)
{
    struct mapper mappers[MAPPERS];
    for (int i = 0; i < MAPPERS; i++)
        mapper_start(&mappers[i], soak_draw(actor, 1000000));
    for (int i = 0; i < MAPPERS; i++) {
        soak_note(actor, pthread_join(mappers[i].thread, NULL));
        soak_note(actor, mappers[i].bad);
        munmap(mappers[i].room, ROOM);
        close(mappers[i].fd);
    }
}
