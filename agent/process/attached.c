/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/process/attached.h"

#include <stdatomic.h>
#include <stddef.h>

#include "agent/process/crash.h"
#include "agent/process/process.h"
#include "agent/record/control.h"
#include "agent/spur_agent.h"
#include "agent/state/state.h"
#include "base/said_to.h"

/* In libspur-attach.so, where that has loaded this library: NAME=VALUE, as the environment. */
extern char *spur_attach_environment[] __attribute__((weak, visibility("default")));

/* In libspur-attach.so: what the agent says there is for the command, and not for the program. */
void spur_attach_hear(const char *line, size_t length) __attribute__((weak, visibility("default")));

/* In the command, in a process that asks whether the settings are right. */
extern const bool spur_attach_judges __attribute__((weak, visibility("default")));

bool spur_attached_only_judges(void)
{
    return &spur_attach_judges != NULL;
}

bool spur_is_attached(void)
{
    return spur_attach_environment != NULL;
}

static _Atomic(bool) has_begun;

bool spur_attached_waits(void)
{
    return spur_is_attached() && !atomic_load_explicit(&has_begun, memory_order_relaxed);
}

char *const *spur_attached_environment(void)
{
    return spur_attach_environment;
}

void spur_attached_start(void)
{
    if (&spur_attach_hear != NULL)
        spur_said_to_other(spur_attach_hear);
}

static bool spur_attached_open_here(void)
{
    spur_inside_begin();
    (void)spur_process_open();
    spur_inside_end();
    return spur_state_now() == SPUR_PAUSED || spur_state_now() == SPUR_ON;
}
SPUR_DOOR_ALONE(bool, spur_attached_open)

static bool spur_attached_record_here(void)
{
    spur_inside_begin();
    atomic_store(&has_begun, true);
    spur_control_begin_now();
    spur_inside_end();
    spur_said_to_other(NULL);
    return spur_state_now() == SPUR_ON;
}
SPUR_DOOR_ALONE(bool, spur_attached_record)

static bool spur_attached_judge_here(void)
{
    return spur_process_judge();
}
SPUR_DOOR_ALONE(bool, spur_attached_judge)

static void spur_attached_end_here(void)
{
    spur_attached_start();
    spur_crash_disarm();
    spur_process_detach();
    spur_said_to_other(NULL);
}
SPUR_DOOR_VOID_ALONE(spur_attached_end)
