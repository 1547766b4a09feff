/* SPDX-License-Identifier: BSD-3-Clause */
/* The event files. */
#ifndef SPUR_FINISH_EVENTS_H
#define SPUR_FINISH_EVENTS_H

#include "finish/state/finish_state.h"

/* Move a process's event files to their place, and complete those of a dead one. */
int finish_events(struct finish *f, struct finish_process *p);

#endif
