/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The handlers of the callbacks of ompt_callbacks.def. The runtime calls the handlers on the thread
 * of the event, also after the end of the agent: the end of the runtime comes later.
 */
#ifndef WRAPPERS_OPENMP_OMPT_HANDLERS_H
#define WRAPPERS_OPENMP_OMPT_HANDLERS_H

#include "wrappers/openmp/ompt_types.h"
#include "wrappers/openmp/openmp_records.h"

#define OMPT_CALLBACK(number, name, need, ...) void ompt_on_##name(__VA_ARGS__);
#include "wrappers/openmp/ompt_callbacks.def"
#undef OMPT_CALLBACK

/*
 * The runtime, which an address of its code stands for, reports from now on. Its functions are
 * looked up: later a thread of a team would wait for the loader's lock.
 */
void ompt_mutex_start(const void *runtime);

/*
 * The kind of construct for a number of OMPT without a row here. The regions of the kind are called
 * "!$omp work 14", with `what` before the number. OPENMP_KINDS: no kind is free. A line tells of
 * the first such number.
 */
unsigned ompt_numbered(const char *what, int number);

#endif
