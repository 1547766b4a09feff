/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread's event file on the way to the archive. finish/events/finish_events.c finds the file, or
 * makes the file from the chunks that the process left in the segment. If the thread did not end
 * its events, finish/events/finish_complete.c ends the file.
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
    enum finish_in in;         /* of a file for a container: the place of the found file */
    uint8_t *block;            /* [block_bytes + 1] */
    struct finish_chunk chunk; /* the last chunk that was looked at */
    uint64_t used;             /* bytes of `block` that the file lacks */
    uint32_t begun_depth;      /* number of open items before `block`, if a chunk begins there */
    bool is_begun;
    bool has_gap; /* the file ends before the first event held in the segment */
    struct spur_slot *slot;
    uint64_t kept[SPUR_SLOT_CHUNKS]; /* of a ring: offsets of the chunks in the segment */
    uint64_t n_kept, kept_first;     /* number of chunks, and number of their first event */
    uint32_t kept_depth;             /* number of open items before the chunks */
    uint64_t bytes;                  /* of the whole file; 0: not known yet */
    struct finish_window gathered;   /* of the gathered events of the process */
};

/*
 * ---- finish_stands.c: the state in which a thread of a dead process ended ----
 *
 * Numbers in ParameterInt records before the closing of the regions that were open: for reports.
 */
enum finish_stand {
    FINISH_STAND_OPEN,   /* number of open regions and the like; first */
    FINISH_STAND_WAITS,  /* enum spur_wait; the following values belong to the wait, */
    FINISH_STAND_POSTED, /* or to a request of this id */
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
 * Find the file of the thread, and move the file to the archive. The file may lie in the process's
 * folder, or at the place to which the process has moved the file, or in the folder of files put
 * aside by an earlier attempt.
 */
void finish_take_file(struct finish_moving *m);

/*
 * The events of a thread of a settled process. *is_sure: the events are unchanged since the process
 * described them in its record.
 */
int finish_take_told(struct finish_moving *m, bool *is_sure);

/* Make the existing file of the thread anew: from now on the old file lies at `source`. */
int finish_take_from(struct finish_moving *m, char *source);

/*
 * Make the file of a thread with gathered events. *is_sure: the file is complete; else the file is
 * to be checked as any other file.
 */
int finish_gathered_take(struct finish_moving *m, bool *is_sure);

/*
 * The event file of location `id` is made anew: remove the remains put aside by an earlier attempt.
 * 0 or -errno, with a message.
 */
int finish_drop_aside(struct finish *f, uint64_t id);

/* Copy a file of events to another file system; `to` is new. 0 or -errno. */
int finish_copy(const char *from, const char *to);

/* Append the contents of m->block behind the whole chunks of the file, and end the file. */
int finish_complete(struct finish_moving *m);

#endif
