/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints events by several threads. Time is cut into slices. Each thread makes the text of every
 * n-th slice, goes over the events of the others, which takes a seventh of the time, and they write
 * their slices in turn. So no text is copied or merged, and it is the same for any number of
 * threads.
 */
#ifndef PRINT_WORKERS_H
#define PRINT_WORKERS_H

#include <otf2/otf2.h>

/* How many events the locations have, by their definitions. */
uint64_t workers_events(void);

/* How many threads are to print the events of the locations. */
unsigned workers_of_use(void);

/*
 * Prints all events. The calling thread reads by this reader, in front of its first event, and
 * `callbacks` make the text. *n: how many events were read.
 */
OTF2_ErrorCode workers_print(unsigned workers, OTF2_Reader *reader, OTF2_GlobalEvtReader *events,
                             const OTF2_GlobalEvtReaderCallbacks *callbacks, uint64_t *n);

#endif
