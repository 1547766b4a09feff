/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SPUR_FINISH_CRASH_H
#define SPUR_FINISH_CRASH_H

#include "finish/define/finish_frames.h"
#include "finish/state/finish_state.h"

/* Properties of those that have: cause, thread, call stack. Once names of code are known. */
void finish_crashes(struct finish *f, const struct finish_frames *frames);

#endif
