/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of the driver and of the runtime: a region each. The runtime calls the driver; what it
 * calls is not recorded, since the thread is within a recorded call already.
 */
#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "wrappers/cuda/cuda.h"

enum { DOMAINS = 2, CALLS = 1024, NAP_NS = 100000 };

/* By domain and number. No name: it is not recorded. */
static struct spur_call calls[DOMAINS][CALLS];
static bool gives[DOMAINS][CALLS];

/* The recorded call of the thread. */
static _Thread_local struct {
    struct spur_loc *loc;
    struct spur_call *call;
    unsigned inner;              /* calls within it */
    struct device_launch launch; /* id 0: it gives no work */
} now;

/* Threads that are within a recorded call, or about to be; and whether none begins. */
static _Atomic uint32_t n_within;
static _Atomic bool has_stopped;

static const OTF2_RegionRole roles[CUDA_GROUPS] = {
#define GROUP(name, is_default, ROLE, what) OTF2_REGION_ROLE_##ROLE,
#include "wrappers/cuda/cuda_groups.def"
#undef GROUP
};

static const char *const words[CUDA_GROUPS] = {
#define GROUP(name, is_default, ROLE, what) #name,
#include "wrappers/cuda/cuda_groups.def"
#undef GROUP
};

/* ---- at the start ---- */

/* A version of the runtime, as "_v7000", is not part of the name; "_v2" of the driver's is. */
static size_t without_version(const char *name, size_t length)
{
    enum { SHORTEST = 4 };
    size_t end = length;
    while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9')
        end--;
    bool is_version = length - end >= SHORTEST && end > 2 && strncmp(name + end - 2, "_v", 2) == 0;
    return is_version ? end - 2 : length;
}

/* As the program writes it: a stream of its own for each thread is a matter of compiling. */
static size_t plain_length(const char *name)
{
    static const char *const suffixes[] = {"_ptsz", "_ptds"};
    size_t length = without_version(name, strlen(name));
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        size_t n = strlen(suffixes[i]);
        if (length > n && strncmp(name + length - n, suffixes[i], n) == 0)
            return length - n;
    }
    return length;
}

static bool describe(struct spur_call *call, bool *is_giving, const char *name)
{
    size_t length = plain_length(name);
    char *text = spur_mem_new(length + 1);
    if (!text)
        return false;
    memcpy(text, name, length);
    text[length] = '\0';
    const struct cuda_name is = cuda_name_of(text);
    *call = (struct spur_call){.name = text,
                               .group = words[is.group],
                               .role = roles[is.group],
                               .is_off = &cuda_group_is_off[is.group],
                               SPUR_CALL_OF(CUDA)};
    *is_giving = is.gives;
    return true;
}

/* Numbers begin with 1 and have no holes; after the last one there is no name. */
static void enable(void *subscriber, int domain)
{
    for (uint32_t number = 1; number < CALLS; number++) {
        struct spur_call *call = &calls[domain - 1][number];
        const char *name = NULL;
        if (cupti.cuptiGetCallbackName(domain, number, &name) != CUPTI_OK || !name)
            break;
        if (!call->name && !describe(call, &gives[domain - 1][number], name))
            break;
        if (!*call->is_off)
            (void)cupti.cuptiEnableCallback(1, subscriber, domain, number);
    }
}

void cuda_calls_enable(void *subscriber)
{
    enable(subscriber, CUPTI_DRIVER);
    enable(subscriber, CUPTI_RUNTIME);
    (void)cupti.cuptiEnableCallback(1, subscriber, CUPTI_RESOURCE, CUPTI_CONTEXT_ENDS);
    (void)cupti.cuptiEnableCallback(1, subscriber, CUPTI_RESOURCE, CUPTI_CUDA_HAS_STARTED);
}

/* ---- a call ---- */

static void begin(struct spur_call *call, bool is_giving, uint32_t correlation)
{
    if (now.loc) {
        now.inner++;
        if (now.launch.id)
            cuda_launch_keep(correlation, &now.launch);
        return;
    }
    atomic_fetch_add(&n_within, 1);
    now.loc = atomic_load(&has_stopped) ? NULL : spur_enter_told(call);
    if (!now.loc)
        atomic_fetch_sub(&n_within, 1);
    now.call = call;
    now.inner = 0;
    now.launch.id = 0;
    if (!now.loc || !is_giving)
        return;
    now.launch = device_launch_begin(now.loc);
    cuda_launch_keep(correlation, &now.launch);
    cuda_flush_given();
}

static void end(void)
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
    spur_leave_now(loc, now.call);
    atomic_fetch_sub(&n_within, 1);
    if (is_giving)
        cuda_flush_rarely(has_waited);
}

bool cuda_calls_stop(uint64_t patience_ns)
{
    const struct timespec nap = {0, NAP_NS};
    const uint64_t begin = device_host_ns();
    atomic_store(&has_stopped, true);
    now.inner = 0;
    end();
    while (atomic_load(&n_within)) {
        if (device_host_ns() - begin > patience_ns) {
            atomic_store(&has_stopped, false);
            return false;
        }
        (void)syscall(SYS_nanosleep, &nap, NULL);
    }
    return true;
}

void cuda_calls_forget(void)
{
    atomic_store(&n_within, 0);
    atomic_store(&has_stopped, false);
}

void cuda_on_call(void *data, int domain, uint32_t number, const void *call)
{
    (void)data;
    int saved = errno;
    if (domain == CUPTI_RESOURCE) {
        if (number == CUPTI_CONTEXT_ENDS)
            cuda_flush(false);
        else if (number == CUPTI_CUDA_HAS_STARTED)
            cuda_has_started();
    } else if (domain <= DOMAINS && number < CALLS && calls[domain - 1][number].name) {
        if (cupti_CALL_callbackSite(call) != CUPTI_ENTER)
            end();
        else if (cuda_is_ours())
            begin(&calls[domain - 1][number], gives[domain - 1][number],
                  cupti_CALL_correlationId(call));
    }
    errno = saved;
}
