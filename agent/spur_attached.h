/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The agent in a process that has not been started with it: `spur attach` loads it, with the
 * settings in the place of the environment (attach/attach.h), and `spur detach` ends recording.
 * Both come on a thread of their own, which records nothing.
 */
#ifndef SPUR_ATTACHED_H
#define SPUR_ATTACHED_H

#include <stdbool.h>

/* Was it loaded so? */
bool spur_is_attached(void);

/* Does it still wait for the other processes of the command? Each waits for another time. */
bool spur_attached_waits(void);

/*
 * In this order. Opening may take a while; to record is one switch. Or, in a process of the
 * command's own, only the last one: what is wrong with the settings.
 */
enum spur_attached_step {
    SPUR_ATTACHED_OPEN,
    SPUR_ATTACHED_RECORD,
    SPUR_ATTACHED_END,
    SPUR_ATTACHED_JUDGE
};

/* Make all ready; recording is paused. False: it cannot be, and a line has said why. */
bool spur_attached_open(void);

/* Record from now on. False: it was not opened. */
bool spur_attached_record(void);

/* Record no more, for good: as if the process had ended, but for what it says of its end. */
void spur_attached_end(void);

/* False: a setting is wrong, and a line has said which. */
bool spur_attached_judge(void);

#endif
