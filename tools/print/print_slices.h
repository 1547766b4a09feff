/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The slices of time that several workers share. Each worker goes through all of them, and makes
 * the text of its own. All come to the same slices: the length of the next one follows from how
 * many events the last one had.
 */
#ifndef PRINT_SLICES_H
#define PRINT_SLICES_H

#include <stdbool.h>
#include <stddef.h>

#include <otf2/otf2.h>

struct slices {
    OTF2_GlobalEvtReader *events;
    uint64_t events_each; /* about */
    uint64_t number;      /* of the one that is read, or comes next */
    uint64_t span;        /* its time */
    uint64_t n_read;      /* events, those of others too */
    OTF2_TimeStamp first; /* event */
};

/* In front of the first event. */
struct slices slices_begin(OTF2_GlobalEvtReader *events);

/* The buffer that has room for the text of most of them, in bytes. */
size_t slices_room(const struct slices *s);

/* Whether there is one more. */
bool slices_next(struct slices *s);

/* Reads it, or goes over it. s->number is the caller's to count. */
OTF2_ErrorCode slices_read(struct slices *s, bool is_mine);

#endif
