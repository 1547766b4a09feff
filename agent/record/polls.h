/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Polls that are counted. The region of the 64th unsuccessful poll in a row gets an Enter with the
 * number of calls that the region stands for, in a form of fixed width. When a later poll has
 * returned and only its Enter came behind the Leave of that region, both are taken back, the number
 * in the first Enter grows by one, and the Leave is written anew. The records are whole at every
 * moment, and the number lacks at most the poll that is at work: nothing has to be written when the
 * polls end, when the thread does, or after kill -9. Whatever else is recorded ends the row by
 * being there.
 *
 * A program may poll by several functions in turn. Each has a region with its number, one behind
 * the other: when the first poll by another function comes, the region so far stays as it is, and
 * that of the other one goes on to the end of the row. Each number grows where it stands.
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
    uint8_t *number; /* in the Enter of its region; NULL: its polls are recorded each */
    uint64_t calls;  /* what is there */
};

/* The last unsuccessful poll of a location. */
struct spur_polls {
    uint8_t *before, *after; /* ends of the records before and with its Leave */
    const uint8_t *chunk;
    OTF2_TimeStamp time_before, time; /* of the cursor at these places */
    uint64_t events;                  /* of the cursor at `after` */
    const void *what;                 /* all asked for; its own address: for several things */
    struct spur_polls_part part[SPUR_POLLS_PARTS];
    uint32_t n_parts;
    struct spur_polls_part *open; /* whose region goes on; NULL: the region is one call */
    uint32_t failed;              /* in a row; 0: none, and nothing else here is valid */
    uint32_t depth;               /* with the region */
    bool is_leaving;              /* the next Leave is one of a poll, */
    bool is_over;                 /* which has found what it asked for */
    bool is_counted;              /* the call that has returned is one with those before */
};

/*
 * Before and after the Leave of a poll, on a location that the caller owns. The region to be left
 * is that of the row.
 */
uint32_t spur_polls_leaving(struct spur_loc *loc, uint32_t region);
void spur_polls_left(struct spur_loc *loc);

#endif
