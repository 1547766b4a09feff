/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counted polls. The region of the 64th unsuccessful poll in a row gets an Enter with the number of
 * calls for which the region stands, in a form of fixed width. When a later poll has returned, and
 * only its Enter came behind the Leave of the region, the Enter and the Leave are taken back, the
 * number in the first Enter grows by one, and the Leave is written anew. The records are whole at
 * every moment, and the number lacks at most the poll at work: nothing has to be written when the
 * polls end, when the thread does, or after kill -9. Any further record ends the row by its
 * presence.
 *
 * A program may poll by several functions in turn. Each function has a region with its number, one
 * behind the other. When the first poll by a second function comes, the first region stays
 * unchanged, and the second region goes on to the end of the row. Each number grows in its place.
 */
#ifndef SPUR_RECORD_POLLS_H
#define SPUR_RECORD_POLLS_H

#include <stdbool.h>
#include <stdint.h>

#include <otf2/otf2.h>

struct spur_loc;

enum { SPUR_POLLS_PARTS = 4 };

/* The polls of a row by one function. */
struct spur_polls_part {
    uint32_t word;
    uint8_t *number; /* in the Enter of the region; NULL: each poll is recorded */
    uint64_t calls;  /* the number there */
};

/* The last unsuccessful poll of a location. */
struct spur_polls {
    uint8_t *before, *after; /* ends of the records before and with the Leave */
    const uint8_t *chunk;
    OTF2_TimeStamp time_before, time; /* of the cursor at these places */
    uint64_t events;                  /* of the cursor at `after` */
    const void *what;                 /* object of all polls; its own address: several objects */
    struct spur_polls_part part[SPUR_POLLS_PARTS];
    uint32_t n_parts;
    struct spur_polls_part *open; /* part whose region goes on; NULL: the region is one call */
    uint32_t failed;              /* in a row; 0: nothing else here is valid */
    uint32_t depth;               /* with the region */
    bool is_leaving;              /* the next Leave is a poll's, */
    bool is_over;                 /* and the poll was successful */
    bool is_counted;              /* the returned call is counted with the calls before */
};

/*
 * Before and after the Leave of a poll, on a location owned by the caller. The region to be left is
 * the region of the row.
 */
uint32_t spur_polls_leaving(struct spur_loc *loc, uint32_t region);
void spur_polls_left(struct spur_loc *loc);

#endif
