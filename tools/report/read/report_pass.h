/* SPDX-License-Identifier: BSD-3-Clause */
/* The pass over an archive on several workers (tools/engine/engine.h). */
#ifndef TOOLS_REPORT_PASS_H
#define TOOLS_REPORT_PASS_H

#include <stdbool.h>

#include <otf2/OTF2_GlobalEvtReaderCallbacks.h>

#include "tools/base/archive.h"
#include "tools/engine/engine.h"

struct report;

/*
 * How many workers read the archive: as many as are asked for, 0: as is worth the while. One: the
 * caller reads it.
 */
unsigned pass_workers(const struct report *r, const struct archive *a, unsigned asked_for);

/*
 * Reads all events of the archive, whose definitions are in the report. False: one has to read it
 * alone, since it is damaged, or names what it does not define; nothing was done.
 */
bool pass_run(struct report *r, const struct archive *a,
              const OTF2_GlobalEvtReaderCallbacks *callbacks, const struct engine_how *how);

#endif
