/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/sampling/held_back.h"

#include <stdatomic.h>
#include <sys/syscall.h>

#include "agent/sampling/sample_signal.h"
#include "base/quiet.h"
#include "base/raw_call.h"

enum { SIGNALS = 65 };

static _Atomic uint64_t ours;           /* signals of the agent, as a kernel set */
static _Atomic uint64_t added[SIGNALS]; /* to the mask of each signal's handler, by the agent */
static _Atomic bool is_anything_added;  /* ever */
static _Atomic uint64_t ever_named;     /* signals that the program has blocked by name */
static _Thread_local uint64_t followed; /* signals */
static _Thread_local uint64_t named;    /* by the calling thread, now */

static bool is_on_stack(const struct sigaction *action)
{
    return action->sa_flags & SA_ONSTACK &&
           (action->sa_flags & SA_SIGINFO ||
            (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN));
}

/* ---- actions ---- */

static uint64_t missing_in(const struct sigaction *action)
{
    const uint64_t all = atomic_load_explicit(&ours, memory_order_relaxed);
    return is_on_stack(action) ? all & ~spur_signal_word(&action->sa_mask) : 0;
}

int spur_signal_set_action(spur_real_sigaction real, int number, const struct sigaction *new,
                           struct sigaction *old)
{
    struct sigaction copy;
    if (!atomic_load_explicit(&ours, memory_order_relaxed) || number <= 0 || number >= SIGNALS)
        return real(number, new, old);
    const uint64_t before = atomic_load(&added[number]);
    const uint64_t more = new ? missing_in(new) : before;
    if (new) {
        copy = *new;
        spur_signal_set_word(&copy.sa_mask, spur_signal_word(&copy.sa_mask) | more);
        atomic_store(&added[number], more);
        if (more)
            atomic_store(&is_anything_added, true);
    }
    const int ret = real(number, new ? &copy : NULL, old);
    if (ret != 0)
        atomic_store(&added[number], before);
    else if (old)
        spur_signal_set_word(&old->sa_mask, spur_signal_word(&old->sa_mask) & ~before);
    return ret;
}

static uint64_t follow(void);

void spur_held_back_add(int signal, spur_real_sigaction real)
{
    atomic_fetch_or(&ours, SPUR_SIGNAL_BIT(signal));
    for (int number = 1; number < SIGNALS; number++) {
        struct sigaction action;
        if (number == signal || number == SIGKILL || number == SIGSTOP ||
            real(number, NULL, &action) != 0 || !missing_in(&action))
            continue;
        spur_signal_set_word(&action.sa_mask,
                             spur_signal_word(&action.sa_mask) & ~atomic_load(&added[number]));
        (void)spur_signal_set_action(real, number, &action, NULL);
    }
    (void)follow();
}

/* ---- masks ---- */

/* The mask of the thread, as seen outside the agent's quiet sections. */
static uint64_t mask_now(void)
{
    return spur_quiet_change(SIG_BLOCK, 0);
}

/*
 * May the signals of `set` be blocked by a handler's mask? In a handler on the alternate stack, or
 * in a handler that has left the alternate stack, the mask is the handler's, and ends with the
 * handler.
 */
static bool may_be_held(uint64_t set)
{
    stack_t now = {.ss_flags = SS_DISABLE};
    return atomic_load_explicit(&is_anything_added, memory_order_relaxed) &&
           spur_raw_call(SYS_sigaltstack, 0, (long)&now, 0, 0, 0, 0) == 0 &&
           !(now.ss_flags & SS_DISABLE) && mask_now() & set;
}

static void name(uint64_t set)
{
    named |= set;
    if (set & ~atomic_load_explicit(&ever_named, memory_order_relaxed))
        atomic_fetch_or(&ever_named, set);
}

/*
 * Signals to be followed anew, without the signal of samples: the signals that the thread has in
 * its mask belong to the program, inherited from the thread's creator.
 */
static uint64_t follow(void)
{
    const uint64_t all = atomic_load_explicit(&ours, memory_order_relaxed);
    const int sampled = spur_signal_taken();
    const uint64_t new = all & ~followed & ~(sampled ? SPUR_SIGNAL_BIT(sampled) : 0);
    if (new && !may_be_held(new))
        name(mask_now() & new);
    followed |= new;
    return all & followed;
}

bool spur_signal_is_any(void)
{
    return atomic_load_explicit(&ours, memory_order_relaxed) != 0;
}

uint64_t spur_signal_held(void)
{
    const uint64_t all = follow();
    if (!all || !atomic_load_explicit(&is_anything_added, memory_order_relaxed))
        return 0;
    const uint64_t now = mask_now() & all;
    named &= now; /* the name may have gone with a handler's end */
    return now & ~named;
}

static void give_up(int signal, spur_real_sigaction real)
{
    const uint64_t bit = SPUR_SIGNAL_BIT(signal);
    const uint64_t held = spur_signal_held() & bit;
    atomic_fetch_and(&ours, ~bit);
    for (int number = 1; number < SIGNALS; number++) {
        struct sigaction action;
        if (!(atomic_fetch_and(&added[number], ~bit) & bit) || real(number, NULL, &action) != 0)
            continue;
        spur_signal_set_word(&action.sa_mask, spur_signal_word(&action.sa_mask) & ~bit);
        (void)real(number, &action, NULL);
    }
    if (held)
        (void)spur_quiet_change(SIG_UNBLOCK, held);
}

void spur_signal_is_taken(int signal, spur_real_sigaction real)
{
    if (signal > 0 && signal < SIGNALS && signal != spur_signal_taken() &&
        atomic_load_explicit(&ours, memory_order_relaxed) & SPUR_SIGNAL_BIT(signal))
        give_up(signal, real);
}

void spur_signal_named(int how, uint64_t set)
{
    set &= atomic_load_explicit(&ours, memory_order_relaxed);
    named &= how == SIG_SETMASK ? 0 : how == SIG_UNBLOCK ? ~set : ~UINT64_C(0);
    if (how != SIG_UNBLOCK)
        name(set);
}

/*
 * The mask left behind by a fibre may be the mask of a handler on the alternate stack that is over.
 * But the program itself may have blocked the signal, if the program ever blocks the signal.
 */
void spur_signal_moves(sigset_t *to)
{
    const uint64_t all = atomic_load_explicit(&ours, memory_order_relaxed);
    if (!all || !atomic_load_explicit(&is_anything_added, memory_order_relaxed))
        return;
    const uint64_t stays = all & ~atomic_load_explicit(&ever_named, memory_order_relaxed);
    spur_signal_set_word(to, (spur_signal_word(to) & ~stays) | (mask_now() & all));
}

/* ---- the beginning of a thread's samples ---- */

/* The samples may begin within a handler on the alternate stack. */
bool spur_held_back_unblock(int signal)
{
    const uint64_t set = SPUR_SIGNAL_BIT(signal);
    followed |= set;
    return !may_be_held(set) && spur_quiet_change(SIG_UNBLOCK, set) & set;
}
