/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libspur-attach.so: loads the agent into a running process. The library runs on a thread of its
 * own with all signals blocked, so the thread may wait for locks that threads of the program hold.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "agent/spur_attached.h"
#include "attach/attach.h"
#include "attach/slots.h"

#define EXPORT __attribute__((visibility("default")))

enum { VARIABLES = 128 };

/* The agent finds this variable at load: the settings come from here, not from the environment. */
EXPORT extern char *spur_attach_environment[];
char *spur_attach_environment[VARIABLES + 1];

EXPORT attach_function spur_attach;
EXPORT attach_function spur_detach;

/* The agent's lines, one behind another, without "spur: ". A line without room is left out. */
EXPORT void spur_attach_hear(const char *line, size_t length);
static char heard[ATTACH_SAID_BYTES];
static _Atomic size_t heard_bytes;

void spur_attach_hear(const char *line, size_t length)
{
    static const char begins[] = "spur: ";
    bool has = length >= sizeof begins - 1 && memcmp(line, begins, sizeof begins - 1) == 0;
    line += has ? sizeof begins - 1 : 0;
    length -= has ? sizeof begins - 1 : 0;
    size_t at = atomic_fetch_add(&heard_bytes, length + 1);
    if (at < sizeof heard && length + 1 < sizeof heard - at)
        memcpy(heard + at, line, length);
}

static void forget_heard(void)
{
    memset(heard, 0, sizeof heard);
    atomic_store(&heard_bytes, 0);
}

/* The reason for recording nothing: as a rule the agent has given the reason. */
static const char *reason_heard(void)
{
    static char reason[ATTACH_ANSWER_BYTES];
    snprintf(reason, sizeof reason, "%.*s", (int)sizeof reason - 1,
             heard[0] ? heard : "nothing can be recorded there");
    forget_heard();
    return reason;
}

/* The current order gets the lines heard since the last order. */
static void tell_heard(struct attach_order *order)
{
    memcpy(order->said, heard, sizeof order->said);
    forget_heard();
}

static struct {
    bool is_on, was_on;
    struct attach_object agent;
} attached;

/* The texts stay: the agent borrows the texts. */
static bool keep_environment(const char *text)
{
    static char kept[ATTACH_TEXT_BYTES];
    size_t n = 0;
    memcpy(kept, text, sizeof kept);
    for (char *at = kept; *at; at += strlen(at) + 1) {
        if (n == VARIABLES)
            return false;
        spur_attach_environment[n++] = at;
    }
    spur_attach_environment[n] = NULL;
    return true;
}

static const char *why(void)
{
    return dlerror(); // NOLINT(concurrency-mt-unsafe): of the calling thread in glibc
}

/* Opens a library in the folder of this library. */
static void *open_beside(const char *name)
{
    char path[ATTACH_PATH_BYTES];
    Dl_info here;
    if (!dladdr(&attached, &here) || !here.dli_fname)
        return NULL;
    const char *slash = strrchr(here.dli_fname, '/');
    int length = slash ? (int)(slash - here.dli_fname) + 1 : 0;
    snprintf(path, sizeof path, "%.*s%s", length, here.dli_fname, name);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/*
 * The loader holds its lock while the constructor of a library runs, and gives the lock to nobody
 * else: the helper library's constructor calls this function back. The helper library is unloaded
 * again, so the constructor runs each time.
 */
static bool has_changed, is_over;

EXPORT void spur_attach_locked(void);
void spur_attach_locked(void)
{
    if (is_over)
        attach_slots_give_back();
    else
        has_changed = attach_slots_lead(&attached.agent);
}

static bool with_lock(bool gives_back)
{
    is_over = gives_back;
    void *library = open_beside("libspur-attach-lock.so");
    return library && dlclose(library) == 0;
}

static const char *lead_all(void)
{
    enum { ROUNDS = 10 };
    const struct timespec nap = {.tv_nsec = 2000000};
    has_changed = true;
    for (int i = 0; i < ROUNDS && has_changed; i++) {
        if (i > 0)
            nanosleep(&nap, NULL);
        if (!with_lock(false))
            return why();
    }
    return NULL;
}

typedef bool agent_function(enum spur_attached_step step);

/* NULL: the library has no such function. */
static agent_function *agent_in(void *library)
{
    agent_function *function = NULL;
    void *address = library ? dlsym(library, "spur_attach_agent") : NULL;
    memcpy(&function, &address, sizeof address);
    return function;
}

static const char *load(void)
{
    void *library = open_beside("libspur.so");
    if (!library)
        return why();
    agent_function *agent = agent_in(library);
    if (!agent || !attach_object_find(&attached.agent, (const void *)(uintptr_t)agent))
        return "its libspur.so is of another version";
    return agent(SPUR_ATTACHED_OPEN) ? NULL : reason_heard();
}

/*
 * Waits for the command's work on the other processes. Not for ever: the command may have been
 * killed.
 */
static void wait_for_others(struct attach_order *order)
{
    enum { NAPS = 300000 };
    const struct timespec nap = {.tv_nsec = 200000};
    atomic_store(&order->state, ATTACH_READY);
    for (int i = 0; i < NAPS && atomic_load(&order->state) != ATTACH_GO; i++)
        nanosleep(&nap, NULL);
}

/*
 * Several commands may come at the same time, or a command may come after a killed command: each
 * has a thread. A waiting thread gives up: a child of fork() may have inherited the turn of a
 * thread that is not in the child.
 */
static atomic_flag is_busy = ATOMIC_FLAG_INIT;

static bool take_turn(void)
{
    enum { NAPS = 10000 };
    const struct timespec nap = {.tv_nsec = 1000000};
    for (int i = 0; i < NAPS; i++) {
        if (!atomic_flag_test_and_set(&is_busy))
            return true;
        nanosleep(&nap, NULL);
    }
    return false;
}

static void tell_directory(struct attach_order *order)
{
    static const char name[] = "SPUR_DIR=";
    for (char **entry = spur_attach_environment; *entry; entry++)
        if (strncmp(*entry, name, sizeof name - 1) == 0)
            snprintf(order->directory, sizeof order->directory, "%s", *entry + sizeof name - 1);
}

static const char *begin(struct attach_order *order)
{
    const char *failed = NULL;
    if (attached.was_on && !attached.is_on)
        return "it was recorded before, and a process can be recorded once";
    if (!attached.is_on && !keep_environment(order->text))
        return "there are too many variables";
    if (!attached.is_on)
        failed = load();
    attached.was_on = true;
    attached.is_on = !failed;
    tell_directory(order);
    return failed ? failed : lead_all();
}

/*
 * Ends the recording. The agent hears of all calls until the agent is closed. With the slots
 * restored first, the agent would still see a thread take a lock, and would not see another thread
 * give back the same lock: the record would tell that both threads hold the lock.
 */
static const char *end(void)
{
    if (!attached.is_on)
        return "it is not recorded any more";
    agent_function *agent = agent_in(open_beside("libspur.so"));
    if (!agent)
        return "its libspur.so is of another version";
    attached.is_on = false;
    (void)agent(SPUR_ATTACHED_END);
    return with_lock(true) ? NULL : why();
}

static const char *in_turn(struct attach_order *order, bool begins)
{
    if (!take_turn())
        return "another 'spur attach' or 'spur detach' is at work there; try again";
    const char *failed = begins ? begin(order) : end();
    tell_heard(order);
    atomic_flag_clear(&is_busy);
    return failed;
}

const char *spur_attach(struct attach_order *order)
{
    const char *failed = in_turn(order, true);
    if (failed)
        return failed;
    wait_for_others(order);
    (void)agent_in(open_beside("libspur.so"))(SPUR_ATTACHED_RECORD);
    return NULL;
}

const char *spur_detach(struct attach_order *order)
{
    return in_turn(order, false);
}
