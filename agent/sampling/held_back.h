/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals of the agent's own are handled on the thread's alternate stack, if there is one: the
 * stacks of Go, of OCaml and of Erlang have no room for a signal's frame. But a handler of the
 * program that stands there may go on elsewhere, on the stack of a fibre. The kernel would then
 * begin at the top of the alternate stack again, over the frames of that handler. So handlers with
 * SA_ONSTACK hold our signals back: these are in the mask with which such a handler runs, though
 * the program does not read that of the signal of samples. Who changes stacks takes them along
 * (spur_signal_moves()).
 */
#ifndef SPUR_HELD_BACK_H
#define SPUR_HELD_BACK_H

#include <signal.h>
#include <stdbool.h>

#include "agent/spur_signals.h"

/*
 * The signal has a handler of the agent's from now on: the program's handlers hold it back, those
 * that are there and those that come. `real` is sigaction() of the C library.
 */
void spur_held_back_add(int signal, spur_real_sigaction real);

/*
 * The calling thread is sampled: from now on only such a handler, or the program by name, has the
 * signal in its mask. True: it was there.
 */
bool spur_held_back_unblock(int signal);

#endif
