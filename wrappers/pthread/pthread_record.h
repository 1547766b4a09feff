/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The threads that the traced program made, by pthread_t: a call that joins, names or detaches a
 * thread has only the pthread_t. The creator makes a record. The new thread starts with the record.
 * The record lives until the thread has ended, the thread cannot be joined any more, and the
 * creator needs the record no longer.
 *
 * The creator or the new thread enters the record into the table, whichever comes first. So every
 * call that can know the pthread_t finds the thread. The C library reuses a pthread_t once the
 * thread is joined. So a new record replaces an old record with the same pthread_t.
 *
 * Thread-safe. The table's lock is never held during a call into the C library, except for raw
 * system calls. The lock survives a fork() by another thread while the lock is held.
 */
#ifndef WRAPPERS_PTHREAD_RECORD_H
#define WRAPPERS_PTHREAD_RECORD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/spur_agent.h"

/* The identity of a recorded thread for the rest of the world; a copy. */
struct pthread_identity {
    struct spur_thread *thread; /* NULL: unknown */
    OTF2_CommRef contingent;
    uint64_t sequence;
};

/* The fate of a thread. */
enum pthread_fate {
    PTHREAD_RECORDED,
    PTHREAD_UNTOLD, /* family off; other families may record in the thread: the end counts */
    PTHREAD_IGNORED /* made by a library inside a wrapped call */
};

struct pthread_record {
    enum pthread_fate fate;
    struct pthread_identity identity; /* of a recorded thread; unrecorded threads are in no table */
    void *(*start)(void *);           /* one of the two routines is set */
    int (*start_c11)(void *);
    void *arg;
    bool is_born_quiet; /* signals wait until the thread has begun; then the mask is set */
    uint64_t mask;

    /* Under the table's lock. */
    struct pthread_record *next;
    pthread_t id;
    bool is_listed;   /* `id` is valid, the record is in the table */
    bool is_created;  /* the creator is done with it */
    bool is_ended;    /* the thread is done with it */
    bool is_detached; /* nobody will join it */
};

/* A record for a thread to be made; NULL when there is no memory. */
struct pthread_record *pthread_record_new(void);
/* Frees the record of a thread that was not created, or that is not in the table. */
void pthread_record_free(struct pthread_record *record);

/*
 * In the creator, after success. `id`: the id stored by pthread_create(). `id` is read only while
 * the new thread cannot have gone on, and so cannot have overwritten or freed the memory of `id`.
 */
void pthread_record_created(struct pthread_record *record, const pthread_t *id);
/* In the new thread, first. */
void pthread_record_begun(struct pthread_record *record);
/*
 * In the new thread, last: the record may be gone afterwards. True when the thread can be joined.
 */
bool pthread_record_ended(struct pthread_record *record);

/* The living or unjoined thread with the id. */
struct pthread_identity pthread_record_find(pthread_t id);
/*
 * The thread `identity` from pthread_record_find() has been joined: forget the record. False if the
 * trace has nothing of the thread, since recording went off before the thread began.
 */
bool pthread_record_joined(pthread_t id, const struct pthread_identity *identity);
/* The thread is about to be detached. */
void pthread_record_detached(pthread_t id);
/* Give the thread's location a name. */
void pthread_record_named(pthread_t id, const char *name);

#endif
