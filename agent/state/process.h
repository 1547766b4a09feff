/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The process as the agent sees it: one per address space, renewed in a child of fork(). Owns the
 * session directory, the segment, the private archive and the list of locations.
 *
 * Life: UNBORN until the agent's constructor has run; ARMED until the first wrapped call that is
 * recorded, which creates the files; ON, and PAUSED while the program has switched recording off;
 * OFF after the end or after a trouble. The word that holds
 * this state lies on a page that fork() wipes, so that a child sees CHILD, whatever made it.
 */
#ifndef SPUR_PROCESS_H
#define SPUR_PROCESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <otf2/otf2.h>

#include "base/lock.h"
#include "session/segment.h"
#include "settings/config.h"

enum spur_state { SPUR_CHILD, SPUR_UNBORN, SPUR_ARMED, SPUR_PAUSED, SPUR_ON, SPUR_OFF };

enum { SPUR_PATH_BYTES = 4096, SPUR_COMPLAINTS = 8 };

struct spur_process {
    struct spur_config config;
    struct spur_lock lock; /* guards opening, the list of locations, thread numbers */
    int pid;
    struct spur_moment start;
    uint64_t paradigms; /* bit 1 << OTF2_Paradigm: its calls are recorded */
    enum spur_clock_kind clock;
    _Atomic uint64_t clock_id; /* 0: not yet asked for */
    uint32_t generation;       /* how many forks away from the first: stamps cached regions */
    bool bad_settings;         /* complained of when something is recorded, not before */
    uint32_t complaints;       /* lines said at the same time */
    const char *complaint[SPUR_COMPLAINTS];
    bool is_launcher;           /* mpirun and the like: never recorded */
    bool has_forked;            /* `start` is that of a child that is not yet armed */
    char dir[SPUR_PATH_BYTES];  /* session directory, absolute, once it exists */
    char name[SPUR_NAME_BYTES]; /* of this process's directory in DIR/.spur, "" before it exists */
    char own_name[SPUR_NAME_BYTES]; /* what `name` is or would be; in a child its parent's */
    char parent[SPUR_NAME_BYTES]; /* the same of those it may come from, see struct spur_segment */
    char main_name[64];           /* given to the main thread before it has a location */
    OTF2_Archive *archive;        /* private: DIR/.spur/<name>/traces/<thread>.evt */
    struct spur_loc *locations;   /* the live ones */
    _Atomic uint64_t threads;     /* numbers given so far; 0 is the main thread */
    OTF2_CommRef contingent;      /* of the threads of this process, once one is created */
};

extern struct spur_process spur_process;

/* Where the state lies; points to a page of its own after the constructor. */
extern _Atomic uint32_t *spur_state;

static inline uint32_t spur_state_now(void)
{
    return atomic_load_explicit(spur_state, memory_order_relaxed);
}

static inline void spur_state_set(enum spur_state state)
{
    atomic_store_explicit(spur_state, state, memory_order_release);
}

/* There are files: it is or can be recorded. */
static inline bool spur_is_open(void)
{
    uint32_t state = spur_state_now();
    return state == SPUR_ON || state == SPUR_PAUSED;
}

/* From ON to PAUSED, or back. False when the state is another one. */
bool spur_process_pause(bool is_paused);

/* The constructor's work, idempotent: settings, clock, state ARMED. */
void spur_process_start(void);

/*
 * Called when the state is not ON: arms a child, opens the files of an armed process. True when
 * recording is on afterwards. Keeps errno.
 */
bool spur_process_open(void);

/* In a child of fork(): its end has not begun. */
void spur_process_end_after_fork(void);

/* May it say something of its end? Not for the parent whose memory it has, nor after the end. */
bool spur_process_may_say(void);

/* No system call is made any more that the program does not make itself. */
bool spur_process_is_sealed(void);

/* Record no more; `why` (a format) is said once. What is recorded stays. */
void spur_off(const char *why, ...) __attribute__((format(printf, 1, 2)));
void spur_off_silently(void);

#endif
