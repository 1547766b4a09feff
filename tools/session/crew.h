/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that finish a session together. */
#ifndef TOOLS_SESSION_CREW_H
#define TOOLS_SESSION_CREW_H

#include "finish/state/finish_options.h"

/* `threads`: how many the user wants; 0: as many as are of use, up to `most`. */
struct spur_finish_crew crew_of(unsigned threads, unsigned most);

#endif
