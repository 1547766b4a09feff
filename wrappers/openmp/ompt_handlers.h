/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The handlers of the callbacks of ompt_callbacks.def. The runtime calls them on the thread that
 * an event happens on, and goes on calling them after the end of the agent: its own end comes
 * later.
 */
#ifndef WRAPPERS_OPENMP_OMPT_HANDLERS_H
#define WRAPPERS_OPENMP_OMPT_HANDLERS_H

#include "wrappers/openmp/ompt_types.h"

#define OMPT_CALLBACK(number, name, need, ...) void ompt_on_##name(__VA_ARGS__);
#include "wrappers/openmp/ompt_callbacks.def"
#undef OMPT_CALLBACK

/*
 * The runtime, which an address of its code stands for, reports from now on. Its functions are
 * looked up: later a thread of a team would wait for the loader's lock.
 */
void ompt_mutex_start(const void *runtime);

#endif
