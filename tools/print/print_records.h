/* SPDX-License-Identifier: BSD-3-Clause */
/* Callbacks that print the records of a trace, one for each row of the tables. */
#ifndef PRINT_RECORDS_H
#define PRINT_RECORDS_H

#include <otf2/otf2.h>

/* Each is new and the caller's; NULL without memory. */
OTF2_GlobalDefReaderCallbacks *definition_callbacks(void);
OTF2_DefReaderCallbacks *local_definition_callbacks(void);
OTF2_GlobalEvtReaderCallbacks *event_callbacks(void);
OTF2_GlobalSnapReaderCallbacks *snapshot_callbacks(void);

#endif
