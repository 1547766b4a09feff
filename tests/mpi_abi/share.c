/* SPDX-License-Identifier: BSD-3-Clause */
/* The file that the ranks of a job share. Blocks have sizes of powers of two and are reused. */
#include "abi.h"

#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CLASSES = 32, SMALLEST = 6 };
static const uint64_t file_bytes = UINT64_C(256) << 20;

struct share {
    atomic_flag lock;
    int contexts; /* given out */
    uint64_t used;
    uint64_t free_blocks[CLASSES];
    uint64_t first[MAX_RANKS]; /* queues of messages */
    uint64_t last[MAX_RANKS];
    uint64_t arrived[MAX_RANKS]; /* how many there were so far */
};

static struct share *share;

static void lock(void)
{
    while (atomic_flag_test_and_set_explicit(&share->lock, memory_order_acquire))
        sched_yield();
}

static void unlock(void)
{
    atomic_flag_clear_explicit(&share->lock, memory_order_release);
}

static struct message *at(uint64_t offset)
{
    return offset ? (struct message *)((char *)share + offset) : NULL;
}

static uint64_t offset_of(const struct message *message)
{
    return (uint64_t)((const char *)message - (const char *)share);
}

/* ABI_JOB is the file's name, PMI_RANK and PMI_SIZE say the rest, as other launchers do. */
bool abi_share_open(int *rank, int *size)
{
    const char *file = getenv("ABI_JOB");
    const char *own_rank = getenv("PMI_RANK");
    const char *job_size = getenv("PMI_SIZE");
    *rank = 0;
    *size = 1;
    int fd = -1;
    if (file && own_rank && job_size) {
        *rank = atoi(own_rank);
        *size = atoi(job_size);
        fd = open(file, O_RDWR | O_CLOEXEC);
        if (fd < 0 || ftruncate(fd, (off_t)file_bytes) != 0)
            return false;
    }
    int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
    void *memory = mmap(NULL, file_bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
    if (fd >= 0)
        close(fd);
    share = memory == MAP_FAILED ? NULL : memory;
    return share && *size <= MAX_RANKS;
}

void abi_share_close(void)
{
    munmap(share, file_bytes);
    share = NULL;
}

int abi_share_new_contexts(int count)
{
    lock();
    int first = 4 + share->contexts; /* behind those of the world and of self */
    share->contexts += 2 * count;
    unlock();
    return first;
}

static struct message *new_block(uint64_t bytes)
{
    int class = SMALLEST;
    while ((UINT64_C(1) << class) < bytes)
        class ++;
    struct message *block = at(share->free_blocks[class]);
    if (block) {
        share->free_blocks[class] = block->next;
    } else {
        if (share->used == 0)
            share->used = 4096; /* behind struct share */
        if (share->used + (UINT64_C(1) << class) > file_bytes) {
            fprintf(stderr, "the tests' MPI library is out of memory\n");
            abort();
        }
        block = at(share->used);
        share->used += UINT64_C(1) << class;
    }
    block->class = class;
    return block;
}

static void free_block(struct message *block)
{
    block->next = share->free_blocks[block->class];
    share->free_blocks[block->class] = offset_of(block);
}

struct message *abi_message_put(int to, const struct message *envelope, const void *data)
{
    lock();
    struct message *message = new_block(sizeof *message + envelope->bytes);
    int class = message->class;
    *message = *envelope;
    message->class = class;
    message->next = 0;
    message->number = share->arrived[to]++;
    message->is_taken = 0;
    if (envelope->bytes)
        memcpy(message->data, data, envelope->bytes);
    if (share->last[to])
        at(share->last[to])->next = offset_of(message);
    else
        share->first[to] = offset_of(message);
    share->last[to] = offset_of(message);
    unlock();
    return envelope->is_synchronous ? message : NULL;
}

static bool matches(const struct message *message, int context, int source, int tag)
{
    return message->context == context && (source == MPI_ANY_SOURCE || source == message->source) &&
           (tag == MPI_ANY_TAG || tag == message->tag);
}

uint64_t abi_messages_arrived(int to)
{
    lock();
    uint64_t n = share->arrived[to];
    unlock();
    return n;
}

struct message *abi_message_match(int to, int context, int source, int tag, uint64_t until,
                                  bool take)
{
    lock();
    struct message *before = NULL;
    struct message *message = at(share->first[to]);
    while (message && !matches(message, context, source, tag)) {
        before = message;
        message = at(message->next);
    }
    if (message && message->number >= until)
        message = NULL;
    if (message && take) {
        *(before ? &before->next : &share->first[to]) = message->next;
        if (!message->next)
            share->last[to] = before ? offset_of(before) : 0;
    }
    unlock();
    return message;
}

void abi_message_received(struct message *message)
{
    lock();
    if (message->is_synchronous)
        message->is_taken = 1;
    else
        free_block(message);
    unlock();
}

void abi_message_free(struct message *message)
{
    lock();
    free_block(message);
    unlock();
}

bool abi_message_is_taken(const struct message *message)
{
    lock();
    bool is_taken = message->is_taken;
    unlock();
    return is_taken;
}

void abi_pause(void)
{
    sched_yield();
}
