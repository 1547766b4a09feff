/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/process/crash.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#include "agent/process/process.h"
#include "agent/record/location.h"
#include "agent/segment/buffer.h"
#include "agent/spur_agent.h"
#include "agent/stacks/cfi.h"
#include "agent/stacks/cfi_walk.h"
#include "agent/stacks/code_map.h"
#include "agent/state/identity.h"
#include "agent/state/settings.h"
#include "agent/state/state.h"
#include "base/lock.h"
#include "base/own_code.h"
#include "base/own_stack.h"
#include "base/quiet.h"
#include "base/raw_call.h"

/* The program's settings beside the default action. The program can read the settings back. */
static struct watched {
    int signal;
    _Atomic int flags;
    _Atomic uint64_t mask;
} watched[] = {{.signal = SIGSEGV},
               {.signal = SIGBUS},
               {.signal = SIGFPE},
               {.signal = SIGILL},
               {.signal = SIGABRT}};

enum { WATCHED = sizeof watched / sizeof watched[0], KERNEL_SET = sizeof(uint64_t) };

static spur_real_sigaction real_action;
static _Atomic bool is_armed;

static struct watched *find(int signal)
{
    for (int i = 0; i < WATCHED; i++)
        if (watched[i].signal == signal)
            return &watched[i];
    return NULL;
}

/* ---- the note ---- */

/* One crash at a time: other crashing threads die with the process. */
static bool begin(struct spur_crash *crash)
{
    enum { NAPS = 100, NAP_NS = 10 * 1000 * 1000 };
    const struct timespec nap = {0, NAP_NS};
    uint32_t state = atomic_load_explicit(&crash->state, memory_order_relaxed);
    if ((state == SPUR_CRASH_NONE || state == SPUR_CRASH_MAYBE) &&
        atomic_compare_exchange_strong(&crash->state, &state, SPUR_CRASH_NOTING))
        return true;
    for (int i = 0; i < NAPS && atomic_load(&crash->state) == SPUR_CRASH_NOTING; i++)
        spur_raw_call(SYS_nanosleep, (long)&nap, 0, 0, 0, 0, 0);
    return false;
}

/*
 * NULL in a child that shares its parent's memory, and in a process that has not begun or has
 * ended.
 */
static struct spur_crash *find_note(void)
{
    if (!atomic_load_explicit(&is_armed, memory_order_relaxed) || spur_locks_held ||
        !spur_process_may_say())
        return NULL;
    struct spur_segment *segment = spur_buffer_segment();
    return segment ? &segment->crash : NULL;
}

static uint32_t thread_number(void)
{
    const struct spur_loc *loc = spur_self.loc;
    return loc && spur_self.generation == spur_process.generation ? loc->thread : UINT32_MAX;
}

/* The agent's own frames are left out, except for a crash of the agent itself. */
static uint32_t note_frames(const ucontext_t *context, bool is_fault, uint32_t *frame)
{
    enum { ROOM = 4 * SPUR_CRASH_FRAMES };
    const void *address[ROOM];
    struct spur_stack_window window;
    bool is_whole;
    uint32_t n = 0;
    (void)spur_cfi_start();
    uint32_t walked = spur_stack_walk(context, &window, address, ROOM, &is_whole);
    for (uint32_t i = 0; i < walked && n < SPUR_CRASH_FRAMES; i++) {
        bool is_left_out = spur_is_own_code(address[i]) && !(is_fault && i == 0);
        uint32_t code =
            is_left_out ? OTF2_UNDEFINED_UINT32 : spur_code_at((const char *)address[i] - 1);
        if (code != OTF2_UNDEFINED_UINT32)
            frame[n++] = code;
    }
    return n;
}

static void note_here(int signal, const siginfo_t *info, const ucontext_t *context,
                      enum spur_crash_state state)
{
    struct spur_crash *crash = &spur_buffer_segment()->crash;
    crash->ticks = spur_time();
    crash->signal = (uint32_t)signal;
    crash->code = info ? info->si_code : SI_TKILL;
    crash->address = info && info->si_code > 0 ? (uint64_t)(uintptr_t)info->si_addr : 0;
    crash->tid = (int32_t)spur_raw_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
    crash->thread = thread_number();
    crash->frames = 0;
    crash->frames = note_frames(context, info != NULL, crash->frame);
    atomic_store_explicit(&crash->state, state, memory_order_release);
}
static void note(int signal, const siginfo_t *info, const ucontext_t *context,
                 enum spur_crash_state state);
SPUR_DOOR_VOID(note, (int, signal), (const siginfo_t *, info), (const ucontext_t *, context),
               (enum spur_crash_state, state))

/* ---- the handler ---- */

/* The kernel's form of an action. */
struct kernel_action {
    sighandler_t handler;
    uint64_t rest[3];
};

static sighandler_t in_force(int signal)
{
    struct kernel_action now = {.handler = SIG_ERR};
    (void)spur_raw_call(SYS_rt_sigaction, signal, 0, (long)&now, KERNEL_SET, 0, 0);
    return now.handler;
}

static void set_default(int signal)
{
    const struct kernel_action none = {.handler = SIG_DFL};
    (void)spur_raw_call(SYS_rt_sigaction, signal, (long)&none, 0, KERNEL_SET, 0, 0);
}

/* The thread dies of the signal when the handler returns: until then the signal is blocked. */
static void send_again(int signal, const siginfo_t *info)
{
    long pid = spur_raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
    long tid = spur_raw_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
    set_default(signal);
    if (spur_raw_call(SYS_rt_tgsigqueueinfo, pid, tid, signal, (long)info, 0, 0) != 0)
        (void)spur_raw_call(SYS_tgkill, pid, tid, signal, 0, 0, 0);
}

/* An alternate stack may have the size of the signal's frame and no more. */
static bool has_room(const ucontext_t *context)
{
    enum { ROOM = 1536 };
    uintptr_t left = (uintptr_t)__builtin_frame_address(0) - (uintptr_t)context->uc_stack.ss_sp;
    return context->uc_stack.ss_flags & SS_DISABLE || left > context->uc_stack.ss_size ||
           left >= ROOM;
}

/*
 * Waits for the end of the process. The agent makes the end longer. Meanwhile a thread may use
 * objects that exit() has already taken apart, as threads of CPython do. Without the agent the
 * process would be gone by then: so the thread waits for the end. If the process does not end, the
 * thread dies a little later.
 */
static void let_process_end(const siginfo_t *info)
{
    enum { NAPS = 6000, NAPS_AFTER = 100, NAP_NS = 10 * 1000 * 1000 };
    const struct timespec nap = {0, NAP_NS};
    if (info->si_code <= 0 || !spur_process_ends_elsewhere())
        return;
    for (int i = 0; i < NAPS && !spur_process_is_done(); i++)
        spur_raw_call(SYS_nanosleep, (long)&nap, 0, 0, 0, 0, 0);
    for (int i = 0; i < NAPS_AFTER; i++)
        spur_raw_call(SYS_nanosleep, (long)&nap, 0, 0, 0, 0, 0);
}

static void on_crash(int signal, siginfo_t *info, void *context)
{
    int saved = errno;
    let_process_end(info);
    struct spur_crash *crash = has_room(context) ? find_note() : NULL;
    if (crash && begin(crash))
        note(signal, info, context, SPUR_CRASH_SURE);
    send_again(signal, info);
    errno = saved;
}

static bool is_ours(sighandler_t handler)
{
    void (*ours)(int, siginfo_t *, void *) = on_crash;
    return memcmp(&handler, &ours, sizeof ours) == 0;
}

/*
 * The action of the agent. The handler runs on the current stack, so little changes. Only SIGSEGV
 * is handled on the alternate stack, since the stack may have overflowed. Without room for the
 * signal's frame the kernel sends SIGSEGV, and the process dies of SIGSEGV anyway.
 */
static void make_ours(int signal, struct sigaction *action)
{
    memset(action, 0, sizeof *action);
    action->sa_sigaction = on_crash;
    action->sa_flags = SA_SIGINFO | (signal == SIGSEGV ? SA_ONSTACK : 0);
    sigfillset(&action->sa_mask);
}

/* ---- the program's actions ---- */

void spur_crash_start(spur_real_sigaction real)
{
    real_action = real;
}

static void remember(struct watched *own, int flags, uint64_t mask)
{
    atomic_store_explicit(&own->flags, flags, memory_order_relaxed);
    atomic_store_explicit(&own->mask, mask, memory_order_relaxed);
}

void spur_crash_rearm(int signal)
{
    struct sigaction ours, now;
    if (!spur_crash_watches(signal) || real_action(signal, NULL, &now) != 0 ||
        now.sa_handler != SIG_DFL)
        return;
    remember(find(signal), now.sa_flags, spur_signal_word(&now.sa_mask));
    make_ours(signal, &ours);
    (void)real_action(signal, &ours, NULL);
}

void spur_crash_arm(void)
{
    if (!real_action || spur_settings.crash == SPUR_START_OFF)
        return;
    atomic_store(&is_armed, true);
    for (int i = 0; i < WATCHED; i++)
        spur_crash_rearm(watched[i].signal);
}

void spur_crash_disarm(void)
{
    if (!atomic_exchange(&is_armed, false))
        return;
    for (int i = 0; i < WATCHED; i++)
        if (is_ours(in_force(watched[i].signal)))
            set_default(watched[i].signal);
}

bool spur_crash_watches(int signal)
{
    return atomic_load_explicit(&is_armed, memory_order_relaxed) && find(signal);
}

sighandler_t spur_crash_shown(sighandler_t handler)
{
    return is_ours(handler) ? SIG_DFL : handler;
}

/* Installs the agent's action in place of the program's default action. */
static int set_ours(int signal, struct sigaction new, struct sigaction *old)
{
    const int own_flags = SA_SIGINFO | SA_ONSTACK;
    struct sigaction ours, now;
    make_ours(signal, &ours);
    int ret = real_action(signal, &ours, old);
    /* With the flags added by the C library. */
    if (ret == 0 && real_action(signal, NULL, &now) == 0)
        remember(find(signal), new.sa_flags | (now.sa_flags & ~own_flags),
                 spur_signal_word(&new.sa_mask));
    return ret;
}

int spur_crash_action(int signal, const struct sigaction *new, struct sigaction *old)
{
    struct watched *own = find(signal);
    struct sigaction before;
    uint64_t mask = atomic_load_explicit(&own->mask, memory_order_relaxed);
    int flags = atomic_load_explicit(&own->flags, memory_order_relaxed);
    bool is_default = new &&new->sa_handler == SIG_DFL;
    int ret = is_default ? set_ours(signal, *new, &before) : real_action(signal, new, &before);
    if (ret != 0)
        return ret;
    if (is_ours(before.sa_handler)) {
        memset(&before, 0, sizeof before);
        before.sa_flags = flags;
        spur_signal_set_word(&before.sa_mask, mask);
    }
    if (old)
        *old = before;
    return 0;
}

/* ---- signals sent by the program itself ---- */

static bool is_blocked(int signal)
{
    uint64_t mask = 0;
    (void)spur_raw_call(SYS_rt_sigprocmask, SIG_BLOCK, 0, (long)&mask, sizeof mask, 0, 0);
    return mask & SPUR_SIGNAL_BIT(signal);
}

static void note_sender(int signal, enum spur_crash_state state)
{
    static ucontext_t here; /* of the first thread to note */
    struct spur_crash *crash = find_note();
    if (!crash || !begin(crash))
        return;
    if (getcontext(&here) == 0)
        note(signal, NULL, &here, state);
    else
        atomic_store(&crash->state, SPUR_CRASH_NONE);
}

void spur_crash_sends(int signal)
{
    if (!spur_crash_watches(signal))
        return;
    int saved = errno;
    sighandler_t handler = in_force(signal);
    bool is_default = handler == SIG_DFL || is_ours(handler);
    if (is_default && !is_blocked(signal)) {
        note_sender(signal, SPUR_CRASH_SURE);
        if (handler != SIG_DFL)
            set_default(signal);
    }
    errno = saved;
}

/* If the program has a handler for SIGABRT, the end is not certain. */
void spur_crash_aborts(void)
{
    if (!spur_crash_watches(SIGABRT))
        return;
    int saved = errno;
    sighandler_t handler = in_force(SIGABRT);
    bool is_sure = handler == SIG_DFL || handler == SIG_IGN || is_ours(handler);
    note_sender(SIGABRT, is_sure ? SPUR_CRASH_SURE : SPUR_CRASH_MAYBE);
    if (is_ours(handler))
        set_default(SIGABRT);
    errno = saved;
}
