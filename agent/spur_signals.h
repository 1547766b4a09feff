/* SPDX-License-Identifier: BSD-3-Clause */
/* For wrappers of signals' actions and masks: the signals of the agent; part of spur_agent.h. */
#ifndef SPUR_SIGNALS_H
#define SPUR_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

typedef int (*spur_real_sigaction)(int, const struct sigaction *, struct sigaction *);

/*
 * The signal of samples, 0: no signal. The program's action for the signal is kept here, and
 * whether the calling thread believes to have blocked the signal.
 */
int spur_signal_taken(void);
void spur_signal_action(const struct sigaction *new, struct sigaction *old);
bool spur_signal_blocks(void);
void spur_signal_block(bool blocks);

/*
 * Handlers of the program on the alternate stack hold the agent's signals back, hidden from the
 * program (agent/sampling/held_back.h). `real` with an action of a handler that holds signals back.
 */
int spur_signal_set_action(spur_real_sigaction real, int number, const struct sigaction *new,
                           struct sigaction *old);
/* The program sets an action for the signal. A signal of the agent's becomes the program's. */
void spur_signal_is_taken(int signal, spur_real_sigaction real);
/* Does the agent handle any signal? If so, the agent has to hear of all signals that the program
 * blocks. */
bool spur_signal_is_any(void);
/* The signals in the thread's mask that only the agent holds back, without the program's own. */
uint64_t spur_signal_held(void);
/* The program has changed its mask, as by sigprocmask(2). */
void spur_signal_named(int how, uint64_t set);
/* Before the thread goes to another stack, with the mask `to`: the agent's signals in `to` become
 * as in the present mask. */
void spur_signal_moves(sigset_t *to);

/*
 * Signals of crashes. Where the program leaves the default action in force, a handler of the agent
 * notes the place of a crash (agent/process/crash.h). The program sets and reads actions as if the
 * agent had no handler.
 */
void spur_crash_start(spur_real_sigaction real); /* before all functions below */
/* Must the wrapper pass actions for the signal, of any number, through the functions below? */
bool spur_crash_watches(int signal);
/* As sigaction(2), for a signal of crashes. */
int spur_crash_action(int signal, const struct sigaction *new, struct sigaction *old);
/* The action of the signal may have become the default action behind the agent's back. */
void spur_crash_rearm(int signal);
/* The handler of an action as shown to the program. */
sighandler_t spur_crash_shown(sighandler_t handler);
/*
 * The calling function, which goes on, is about to send its own process the signal, or to abort().
 * The crash is noted here and not in the handler, since a stack may have room for this call and no
 * room for a signal's frame. If the process lives on, spur_crash_rearm() is called.
 */
void spur_crash_sends(int signal);
void spur_crash_aborts(void);

#endif
