/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread's event file on its way to the archive: found, or made of what the process left in its
 * segment, by finish/events/finish_events.c, and ended by finish/events/finish_complete.c if the
 * thread did not.
 */
#ifndef SPUR_FINISH_MOVING_H
#define SPUR_FINISH_MOVING_H

#include "base/raw_file.h"
#include "finish/events/finish_out.h"
#include "finish/find/finish_gathered.h"
#include "finish/state/finish_chunk.h"
#include "finish/state/finish_state.h"

struct finish_moving {
    struct finish *f;
    struct finish_process *p;
    struct finish_thread *t;
    uint64_t id;
    struct finish_out out;
    enum finish_in in;         /* of a file for a container: where it was found */
    uint8_t *block;            /* [block_bytes + 1] */
    struct finish_chunk chunk; /* the last one that was looked at */
    uint64_t used;             /* of `block`: what the file does not hold yet */
    uint32_t begun_depth;      /* of what was open before that, if it is a chunk's beginning */
    bool is_begun;
    bool has_gap; /* the file ends before what the segment still holds begins */
    struct spur_slot *slot;
    uint64_t kept[SPUR_SLOT_CHUNKS]; /* of a ring: where its chunks lie in the segment */
    uint64_t n_kept, kept_first;     /* how many, and the number of the first event in them */
    uint32_t kept_depth;             /* of what was open before them */
    uint64_t bytes;                  /* of the whole file; 0: not known yet */
    struct finish_window gathered;   /* of what the process has gathered */
};

/*
 * ---- finish_stands.c: what a thread stands in ----
 *
 * Numbers in ParameterInt records before regions are closed that were open: for reports.
 */
enum finish_stand {
    FINISH_STAND_OPEN,   /* as many regions and the like are open; first */
    FINISH_STAND_WAITS,  /* enum spur_wait; those below are of it, */
    FINISH_STAND_POSTED, /* or of a request of this id */
    FINISH_STAND_SENDS,  /* 1: to send, 0: to receive */
    FINISH_STAND_COMM,
    FINISH_STAND_PEER,
    FINISH_STAND_TAG,
    FINISH_STANDS
};
int finish_stands_define(struct finish *f, struct finish_process *p);
OTF2_ErrorCode finish_stands(const struct finish_moving *m, OTF2_EvtWriter *writer, uint32_t open,
                             uint64_t time);

/*
 * Find the file of the thread, and move it to the archive. It may lie in the process's folder, or
 * the process has moved it already, or an earlier attempt has put it aside.
 */
void finish_take_file(struct finish_moving *m);

/*
 * The events of a thread of a process that has settled. *is_sure: they are as the process has told,
 * since nothing has happened to them.
 */
int finish_take_told(struct finish_moving *m, bool *is_sure);

/* The thread's file, which is there, is made anew: `source` is where the old one lies from now on.
 */
int finish_take_from(struct finish_moving *m, char *source);

/*
 * Make the file of the thread, of which something is gathered. *is_sure: and it is complete; else
 * it is to be checked as any other file.
 */
int finish_gathered_take(struct finish_moving *m, bool *is_sure);

/*
 * Remove what an earlier attempt has put aside of the event file of location `id`, which is made
 * anew. 0 or -errno, which is said.
 */
int finish_drop_aside(struct finish *f, uint64_t id);

/* A file of events in another file system; `to` is new. 0 or -errno. */
int finish_copy(const char *from, const char *to);

/* Go on behind the whole chunks of the file with what m->block holds, and end it. */
int finish_complete(struct finish_moving *m);

#endif
