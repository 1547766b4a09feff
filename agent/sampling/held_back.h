/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals of the agent's own are handled on the thread's alternate stack, if the thread has an
 * alternate stack: the stacks of Go, of OCaml and of Erlang have no room for a signal's frame. But
 * a handler of the program on the alternate stack may go on elsewhere, on the stack of a fibre. The
 * kernel would then begin at the top of the alternate stack again, over the frames of the first
 * handler. So handlers with SA_ONSTACK hold our signals back: the signals are in the mask with
 * which the handler runs, though a program that reads the mask does not see the signal of samples.
 * A change of stacks takes the signals along (spur_signal_moves()).
 */
#ifndef SPUR_HELD_BACK_H
#define SPUR_HELD_BACK_H

#include <signal.h>
#include <stdbool.h>

#include "agent/spur_signals.h"

/*
 * The signal has a handler of the agent's from now on: all present and later handlers of the
 * program hold the signal back. `real` is sigaction() of the C library.
 */
void spur_held_back_add(int signal, spur_real_sigaction real);

/*
 * The calling thread is sampled: from now on only a handler that holds signals back, or the program
 * by name, has the signal in its mask. True: the signal was in the mask.
 */
bool spur_held_back_unblock(int signal);

#endif
