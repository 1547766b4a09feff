/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calling contexts: calls with the stack that led there, and samples. A context names the open
 * regions and, between the regions, functions seen only on the stack. About the functions only
 * single moments are known (the thread was there then), so functions are nodes and never frames:
 *
 *     between two calls    the thread was at least in the common part of both stacks (between)
 *     samples              each sample stands for a period of CPU time of the function found
 *
 * A sample below a call of a library (MPI_Recv) belongs to the call.
 */
#ifndef TOOLS_REPORT_STACKS_H
#define TOOLS_REPORT_STACKS_H

#include <otf2/OTF2_GlobalEvtReaderCallbacks.h>

void stacks_register(OTF2_GlobalEvtReaderCallbacks *c);

#endif
