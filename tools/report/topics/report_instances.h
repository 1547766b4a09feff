/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Joins the parts of collective operations, and tells who waited for whom: the shared part of them,
 * for each communicator at one worker (report_notes.h).
 */
#ifndef TOOLS_REPORT_INSTANCES_H
#define TOOLS_REPORT_INSTANCES_H

#include <otf2/OTF2_AttributeList.h>
#include <otf2/OTF2_GeneralDefinitions.h>

#include "tools/base/list.h"
#include "tools/base/map.h"
#include "tools/report/topics/report_notes.h"

/* Who has to wait for whom in an operation. */
enum instance_rule { FOR_ALL, FOR_ROOT, ROOT_FOR_ALL, FOR_LOWER, FOR_NOBODY };

enum instance_rule instance_rule(OTF2_CollectiveOp op);

struct party {
    uint32_t process;
    uint32_t rank;
    uint32_t location;
    uint32_t node;
    uint64_t arrived; /* its part can be counted on from now */
    uint64_t begin;   /* it is in the call */
    uint64_t end;
};

/* An operation that not all members are through. */
struct instance {
    uint32_t collective;
    uint32_t root;
    uint64_t key[2];
    LIST(struct party) parties;
};

struct instances {
    LIST(struct instance) all;
    struct map index_of; /* (communicator and kind, number) */
    LIST(uint32_t) free;
};

/* What is told of a party that is through. */
struct arrival {
    uint64_t order; /* communicator and kind */
    uint64_t number;
    uint32_t comm;
    uint32_t region;
    uint32_t root;
    uint32_t collective; /* of the one worker, where there is one */
    OTF2_CollectiveOp op;
    uint8_t unused[7];
    struct party party; /* its rank comes later */
};

/* Tells that. */
void instances_arrive(struct report *r, struct stream *s, const struct arrival *arrival);

/* What comes as a note (report_notes.c). */
void instances_take(struct report *r, const struct engine_note *note, const void *data);

#endif
