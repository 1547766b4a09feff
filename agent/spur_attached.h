/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The agent in a process that was started without the agent: `spur attach` loads the agent, with
 * the settings in the place of the environment (attach/attach.h), and `spur detach` ends recording.
 * Both commands run the agent on a thread of their own, without records.
 */
#ifndef SPUR_ATTACHED_H
#define SPUR_ATTACHED_H

#include <stdbool.h>

/* Was the agent loaded by `spur attach`? */
bool spur_is_attached(void);

/* Does the process still wait for the other processes of the command? Each wait has its own
 * limit. */
bool spur_attached_waits(void);

/*
 * In this order. Opening may take a while; to record is one switch. A process of the command's own
 * only takes the last step: to judge the settings.
 */
enum spur_attached_step {
    SPUR_ATTACHED_OPEN,
    SPUR_ATTACHED_RECORD,
    SPUR_ATTACHED_END,
    SPUR_ATTACHED_JUDGE
};

/* Make all ready; recording is paused. False: not possible; a line has told the reason. */
bool spur_attached_open(void);

/* Record from now on. False: the agent was not opened. */
bool spur_attached_record(void);

/* Record no more, for good: as if the process had ended, except for the notes about the end of the
 * process. */
void spur_attached_end(void);

/* False: a setting is wrong; a line has named the setting. */
bool spur_attached_judge(void);

#endif
