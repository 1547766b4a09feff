/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The slices of time that several workers share. Each worker goes through all slices, and makes the
 * text of its own share. All workers compute the same slices: the length of the next slice follows
 * from the number of events in the last slice.
 */
#ifndef PRINT_SLICES_H
#define PRINT_SLICES_H

#include <stdbool.h>
#include <stddef.h>

#include <otf2/otf2.h>

struct slices {
    OTF2_GlobalEvtReader *events;
    uint64_t events_each; /* about */
    uint64_t number;      /* of the present or next slice */
    uint64_t span;        /* duration of the slice */
    uint64_t n_read;      /* events read, including the slices of other workers */
    OTF2_TimeStamp first; /* time of the first event */
};

/* In front of the first event. */
struct slices slices_begin(OTF2_GlobalEvtReader *events);

/* The size in bytes of a buffer with room for the text of most slices. */
size_t slices_room(const struct slices *s);

/* Goes to the next slice; false: no more events. */
bool slices_next(struct slices *s);

/* Reads the slice, or goes over it. The caller counts s->number. */
OTF2_ErrorCode slices_read(struct slices *s, bool is_mine);

#endif
