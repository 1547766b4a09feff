/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided communication: operations and bytes by pair of processes, collective operations. */
#ifndef TOOLS_REPORT_RMA_H
#define TOOLS_REPORT_RMA_H

#include <otf2/OTF2_GlobalEvtReaderCallbacks.h>

void rma_register(OTF2_GlobalEvtReaderCallbacks *c);

#endif
