/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of a runtime that says where they begin and end: a region each. */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "wrappers/device/device_poll.h"
#include "wrappers/device/device_told.h"

enum { NAP_NS = 100000 };

/* The recorded call of the thread. */
static _Thread_local struct {
    struct spur_loc *loc;
    struct spur_call *call;
    unsigned inner;              /* calls within it */
    struct device_launch launch; /* id 0: it gives no work */
} now;

void device_call_begin(struct device_calls *all, struct spur_call *call, bool is_giving,
                       uint64_t correlation, uint64_t stream)
{
    if (now.loc) {
        now.inner++;
        if (now.launch.id)
            device_launches_keep(&all->launches, correlation, &now.launch, stream);
        return;
    }
    atomic_fetch_add(&all->n_within, 1);
    now.loc = atomic_load(&all->has_stopped) ? NULL : spur_enter_told(call);
    if (!now.loc)
        atomic_fetch_sub(&all->n_within, 1);
    now.call = call;
    now.inner = 0;
    now.launch.id = 0;
    if (!now.loc || !is_giving)
        return;
    now.launch = device_launch_begin(now.loc);
    device_launches_keep(&all->launches, correlation, &now.launch, stream);
    device_flush_given(all->flusher);
}

void device_call_end(struct device_calls *all, enum device_answer answer)
{
    struct spur_loc *loc = now.loc;
    if (!loc)
        return;
    if (now.inner) {
        now.inner--;
        return;
    }
    now.loc = NULL;
    bool is_giving = now.launch.id, has_waited = now.call->role == OTF2_REGION_ROLE_ARTIFICIAL;
    if (answer == DEVICE_NO_POLL || !device_leave_poll(loc, now.call, answer == DEVICE_IS_DONE))
        spur_leave_now(loc, now.call);
    atomic_fetch_sub(&all->n_within, 1);
    if (is_giving || has_waited)
        device_flush_rarely(all->flusher, has_waited);
}

bool device_calls_stop(struct device_calls *all, uint64_t patience_ns)
{
    const struct timespec nap = {0, NAP_NS};
    const uint64_t begin = device_host_ns();
    atomic_store(&all->has_stopped, true);
    now.inner = 0;
    device_call_end(all, DEVICE_NO_POLL);
    while (atomic_load(&all->n_within)) {
        if (device_host_ns() - begin > patience_ns) {
            atomic_store(&all->has_stopped, false);
            return false;
        }
        (void)syscall(SYS_nanosleep, &nap, NULL);
    }
    return true;
}

void device_calls_forget(struct device_calls *all)
{
    device_launches_forget(&all->launches);
    atomic_store(&all->n_within, 0);
    atomic_store(&all->has_stopped, false);
}
