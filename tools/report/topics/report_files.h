/* SPDX-License-Identifier: BSD-3-Clause */
/* Files: how many operations, bytes and how much time went into each. */
#ifndef TOOLS_REPORT_FILES_H
#define TOOLS_REPORT_FILES_H

#include <otf2/OTF2_GlobalEvtReaderCallbacks.h>

#include "tools/base/fail.h"
#include "tools/base/list.h"
#include "tools/base/map.h"
#include "tools/report/topics/report_notes.h"
#include "tools/report/topics/report_place.h"

struct report;

struct file {
    uint64_t handle; /* the first one; its definition knows the name */
    uint64_t opens;
    uint64_t reads;
    uint64_t writes;
    uint64_t others; /* flushes, seeks */
    uint64_t bytes_read;
    uint64_t bytes_written;
    uint64_t ticks; /* from the begin of an operation to its completion */
    struct place longest;
    struct birth born;
};

/* An operation that is not complete. */
struct operation {
    uint64_t begin;
    OTF2_IoOperationMode mode;
    uint32_t next_free;
};

struct files {
    LIST(struct file) all;
    struct map index_of; /* (0, file) or (1, handle without a file) */
    LIST(struct operation) open;
    struct map open_of; /* (location or process and handle, id) */
    uint32_t free;      /* index + 1, 0: none */
};

/* The file of a handle, which may be new. */
uint32_t files_find(struct report *r, uint64_t handle, struct birth born);

/* A note has come: what a location has done (report_files.c). */
void files_take(struct report *r, const void *data);

void files_register(OTF2_GlobalEvtReaderCallbacks *c);

#endif
