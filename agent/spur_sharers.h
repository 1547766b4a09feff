/* SPDX-License-Identifier: BSD-3-Clause */
/* Sharers of a thread, as wrappers of clone() tell of them; part of spur_agent.h. */
#ifndef SPUR_SPUR_SHARERS_H
#define SPUR_SPUR_SHARERS_H

#include <stdint.h>

#include "base/sharers.h"

/*
 * The thread is about to get a sharer, on a stack with this high end. From then on the thread goes
 * the long way, and its calls ask who makes them.
 */
void spur_thread_shares(uintptr_t stack);

#endif
