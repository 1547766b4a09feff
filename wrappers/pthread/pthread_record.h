/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The threads that the traced program made, by their pthread_t: calls that join, name or detach a
 * thread have nothing else. The creator makes a record. The new thread starts with it, and it lives
 * until the thread has ended, cannot be joined any more, and the creator needs it no longer.
 *
 * The creator or the new thread enters the record into the table, whichever comes first. So every
 * call that can know the pthread_t finds the thread. The C library reuses a pthread_t once its
 * thread is joined; a new record therefore replaces an old one of the same name.
 *
 * Thread-safe. The table's lock is never held over a call into the C library but for raw system
 * calls, and survives a fork() that another thread made while holding it.
 */
#ifndef WRAPPERS_PTHREAD_RECORD_H
#define WRAPPERS_PTHREAD_RECORD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/spur_agent.h"

/* What the rest of the world may know of a recorded thread; a copy. */
struct pthread_identity {
    struct spur_thread *thread; /* NULL: unknown */
    OTF2_CommRef contingent;
    uint64_t sequence;
};

/* What becomes of a thread. */
enum pthread_fate {
    PTHREAD_RECORDED,
    PTHREAD_UNTOLD, /* the family is switched off; others may record in it, so its end counts */
    PTHREAD_IGNORED /* made by a library inside a wrapped call */
};

struct pthread_record {
    enum pthread_fate fate;
    struct pthread_identity identity; /* of a recorded one; the others are in no table */
    void *(*start)(void *);           /* one of the two */
    int (*start_c11)(void *);
    void *arg;
    bool is_born_quiet; /* signals wait until it has begun, then it gets this mask */
    uint64_t mask;

    /* Under the table's lock. */
    struct pthread_record *next;
    pthread_t id;
    bool is_listed;   /* `id` is valid, the record is in the table */
    bool is_created;  /* the creator is done with it */
    bool is_ended;    /* its thread is done with it */
    bool is_detached; /* nobody will join it */
};

/* A record for a thread to be made; NULL when there is no memory. */
struct pthread_record *pthread_record_new(void);
/* Frees the record of a thread that was not created, or that is not in the table. */
void pthread_record_free(struct pthread_record *record);

/*
 * In the creator, after success. `id` is what pthread_create() stored; it is read only while the
 * new thread cannot have gone on, and thus cannot have overwritten or freed it.
 */
void pthread_record_created(struct pthread_record *record, const pthread_t *id);
/* In the new thread, first. */
void pthread_record_begun(struct pthread_record *record);
/* In the new thread, last: the record may be gone afterwards. True when it can be joined. */
bool pthread_record_ended(struct pthread_record *record);

/* The living or unjoined thread of that name. */
struct pthread_identity pthread_record_find(pthread_t id);
/*
 * `identity` from pthread_record_find() has been joined: forget it. False if nothing of it is in
 * the trace, since recording went off before it began.
 */
bool pthread_record_joined(pthread_t id, const struct pthread_identity *identity);
/* The thread is about to be detached. */
void pthread_record_detached(pthread_t id);
/* Give the thread's location a name. */
void pthread_record_named(pthread_t id, const char *name);

#endif
