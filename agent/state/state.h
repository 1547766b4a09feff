/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether the process records. UNBORN until the agent's constructor has run; ARMED until the first
 * wrapped call that is recorded, which creates the files; ON; PAUSED while recording is switched
 * off; OFF after the end or after a trouble. The word lies on a page that fork() wipes, so that a
 * child sees CHILD, even a child of a raw system call.
 */
#ifndef SPUR_STATE_H
#define SPUR_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum spur_state { SPUR_CHILD, SPUR_UNBORN, SPUR_ARMED, SPUR_PAUSED, SPUR_ON, SPUR_OFF };

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

/* Map that page. False: there is none. */
bool spur_state_map(void);

/* From ARMED to ON or PAUSED. False when the state is another one: there was trouble before. */
bool spur_state_begin(bool is_paused);

/* From ON to PAUSED, or back. False when the state is another one. */
bool spur_state_pause(bool is_paused);

/*
 * Called when the state is not ON: arms a child, opens the files of an armed process. True when
 * recording is on afterwards. Keeps errno. Done by agent/process/process.c.
 */
bool spur_process_open(void);

/* Record no more; `why` (a format) is said once. What is recorded stays. */
void spur_off(const char *why, ...) __attribute__((format(printf, 1, 2)));
void spur_off_silently(void);

#endif
