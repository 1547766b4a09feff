/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/pthread/pthread_record.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { BUCKET_BITS = 10, BUCKETS = 1 << BUCKET_BITS, SPINS = 100, NAP_NS = 50000 };

static struct pthread_record *buckets[BUCKETS];

/*
 * The process id of the holder, or 0. A child of fork() may find the lock held by a thread of the
 * parent. The holder then has the number of another process, and the child takes the lock over.
 * Every change of a bucket is one store, so the child finds a valid list as well.
 */
static _Atomic int holder;

/* The holder needs a few ns; if a thread has to wait, the holder was interrupted. */
static void wait_for(int other, unsigned tries)
{
    const struct timespec nap = {.tv_nsec = NAP_NS};
    int saved = errno;
    if (tries < SPINS)
        syscall(SYS_sched_yield);
    else /* a time-out in place of a wake-up also ends an inversion of priorities */
        syscall(SYS_futex, &holder, FUTEX_WAIT_PRIVATE, other, &nap, NULL, 0);
    errno = saved;
}

/*
 * Wrapped calls pass straight through while the lock is held: the agent may map and unmap memory,
 * and libraries such as UCX hook mapping with functions that take locks. No handler may jump away
 * from the lock.
 */
static void lock(void)
{
    spur_quiet_begin();
    spur_inside_begin();
    int self = (int)syscall(SYS_getpid);
    for (unsigned tries = 0;; tries++) {
        int other = 0;
        if (atomic_compare_exchange_strong_explicit(&holder, &other, self, memory_order_acquire,
                                                    memory_order_relaxed))
            return;
        if (other != self &&
            atomic_compare_exchange_strong_explicit(&holder, &other, self, memory_order_acquire,
                                                    memory_order_relaxed))
            return;
        wait_for(other, tries);
    }
}

static void unlock(void)
{
    atomic_store_explicit(&holder, 0, memory_order_release);
    spur_inside_end();
    spur_quiet_end();
}

/* A pthread_t is the address of a thread's descriptor, on top of a stack: low bits say nothing. */
static struct pthread_record **bucket_of(pthread_t id)
{
    uint64_t mixed = (uint64_t)id * UINT64_C(0x9e3779b97f4a7c15);
    return &buckets[mixed >> (64 - BUCKET_BITS)];
}

/* The place of the pointer to the record of `id`, or of the NULL at the end of the list. */
static struct pthread_record **find(pthread_t id)
{
    struct pthread_record **at = bucket_of(id);
    while (*at && (*at)->id != id)
        at = &(*at)->next;
    return at;
}

static void free_if_done(struct pthread_record *record)
{
    if (record->is_created && record->is_ended && !record->is_listed)
        pthread_record_free(record);
}

static void unlist(struct pthread_record **at)
{
    struct pthread_record *record = *at;
    *at = record->next;
    record->is_listed = false;
    free_if_done(record);
}

static void list(struct pthread_record *record, pthread_t id)
{
    struct pthread_record **old = find(id);
    if (*old)
        unlist(old);
    struct pthread_record **head = bucket_of(id);
    record->id = id;
    record->is_listed = true;
    record->next = *head;
    *head = record;
}

struct pthread_record *pthread_record_new(void)
{
    return spur_mem_new(sizeof(struct pthread_record));
}

void pthread_record_free(struct pthread_record *record)
{
    if (record->is_created && record->identity.thread)
        spur_thread_release(record->identity.thread);
    spur_mem_free(record, sizeof *record);
}

void pthread_record_created(struct pthread_record *record, const pthread_t *id)
{
    lock();
    if (!record->is_listed && !record->is_ended)
        list(record, *id);
    record->is_created = true;
    free_if_done(record);
    unlock();
}

void pthread_record_begun(struct pthread_record *record)
{
    lock();
    if (!record->is_listed)
        list(record, pthread_self());
    unlock();
}

bool pthread_record_ended(struct pthread_record *record)
{
    lock();
    bool is_joinable = !record->is_detached;
    record->is_ended = true;
    struct pthread_record **at = find(record->id);
    if (record->is_detached && *at == record)
        unlist(at);
    else
        free_if_done(record);
    unlock();
    return is_joinable;
}

struct pthread_identity pthread_record_find(pthread_t id)
{
    struct pthread_identity found = {0};
    lock();
    struct pthread_record *record = *find(id);
    if (record)
        found = record->identity;
    unlock();
    return found;
}

bool pthread_record_joined(pthread_t id, const struct pthread_identity *identity)
{
    bool is_told = true;
    lock();
    struct pthread_record **at = find(id);
    if (*at && (*at)->identity.thread == identity->thread &&
        (*at)->identity.sequence == identity->sequence) {
        is_told = spur_thread_is_told(identity->thread);
        unlist(at);
    }
    unlock();
    return is_told;
}

void pthread_record_detached(pthread_t id)
{
    lock();
    struct pthread_record **at = find(id);
    if (*at) {
        (*at)->is_detached = true;
        if ((*at)->is_ended)
            unlist(at);
    }
    unlock();
}

/* Under the lock, since the record of a detached thread goes when the thread does. */
void pthread_record_named(pthread_t id, const char *name)
{
    lock();
    struct pthread_record *record = *find(id);
    if (record)
        spur_thread_name_of(record->identity.thread, name);
    unlock();
}
