/* SPDX-License-Identifier: BSD-3-Clause */
/* What wrappers of signals' actions and masks may know of the agent; part of spur_agent.h. */
#ifndef SPUR_SIGNALS_H
#define SPUR_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

typedef int (*spur_real_sigaction)(int, const struct sigaction *, struct sigaction *);

/*
 * The signal of samples, 0: there is none. What the program sets as its action is kept here, and
 * whether the calling thread believes that it has blocked the signal.
 */
int spur_signal_taken(void);
void spur_signal_action(const struct sigaction *new, struct sigaction *old);
bool spur_signal_blocks(void);
void spur_signal_block(bool blocks);

/*
 * Handlers of the program that stand on the alternate stack hold the agent's signals back, and the
 * program does not see that (agent/sampling/held_back.h). `real` with an action of such a handler.
 */
int spur_signal_set_action(spur_real_sigaction real, int number, const struct sigaction *new,
                           struct sigaction *old);
/* The program sets an action for the signal: if it was one of the agent's, it is so no more. */
void spur_signal_is_taken(int signal, spur_real_sigaction real);
/* Does the agent handle any such signal? Then it has to hear of all that the program blocks. */
bool spur_signal_is_any(void);
/* Those that are in the thread's mask for that reason. What the program blocks is its own. */
uint64_t spur_signal_held(void);
/* The program has changed its mask, as by sigprocmask(2). */
void spur_signal_named(int how, uint64_t set);
/* Before the thread goes to another stack, with a mask that this one gets ours from. */
void spur_signal_moves(sigset_t *to);

/*
 * Signals that a crash raises. Where the program leaves the default action in force a handler of
 * the agent notes where it happens (agent/process/crash.h); what the program sets and reads is as
 * if there were none.
 */
void spur_crash_start(spur_real_sigaction real); /* before any of the others */
/* Does the signal, of any number, have to pass by here? */
bool spur_crash_watches(int signal);
/* As sigaction(2), for such a signal. */
int spur_crash_action(int signal, const struct sigaction *new, struct sigaction *old);
/* Its action may have become the default one behind the agent's back. */
void spur_crash_rearm(int signal);
/* What to show the program of an action's handler. */
sighandler_t spur_crash_shown(sighandler_t handler);
/*
 * The calling function, which goes on, is about to send its own process the signal, or to abort().
 * Noted here and not in the handler, since a stack may have room for that and none for a signal's
 * frame. If the process lives on, spur_crash_rearm() is called.
 */
void spur_crash_sends(int signal);
void spur_crash_aborts(void);

#endif
