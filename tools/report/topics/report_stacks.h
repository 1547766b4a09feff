/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calling contexts: calls with the stack that led there, and samples. A context names the regions
 * that are open and, between them, functions that are only seen on the stack. What is known of
 * these is where the thread was at single moments, so they are nodes and never frames:
 *
 *     between two calls    the thread was in what both stacks have in common, at least (between)
 *     samples              each stands for a period of CPU time of the function that it found
 *
 * What a sample finds below a call of a library (MPI_Recv) belongs to that call.
 */
#ifndef TOOLS_REPORT_STACKS_H
#define TOOLS_REPORT_STACKS_H

#include <otf2/OTF2_GlobalEvtReaderCallbacks.h>

void stacks_register(OTF2_GlobalEvtReaderCallbacks *c);

#endif
