/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Detached tasks of libgomp: such a task is complete when its function has returned and its event
 * is fulfilled, in any order and by any thread. An event is known by its handle, a word.
 */
#ifndef WRAPPERS_OPENMP_DETACH_H
#define WRAPPERS_OPENMP_DETACH_H

#include "wrappers/openmp/gomp_words.h"
#include "wrappers/openmp/openmp_records.h"

/* A task with that event was created; by its creator, before anybody else can know of it. */
void gomp_detach_created(gomp_word event, const struct openmp_task *task);
/* Its function has returned: true when that completes it. */
bool gomp_detach_ended(gomp_word event);

#endif
