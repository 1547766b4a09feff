/* SPDX-License-Identifier: BSD-3-Clause */
/* links: base */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file_signal.h"

static int taken[NSIG], codes[NSIG];
static pid_t senders[NSIG];
static int ends[2];

static void on_signal(int signal, siginfo_t *info, void *context)
{
    (void)context;
    taken[signal]++;
    codes[signal] = info->si_code;
    senders[signal] = info->si_pid;
}

/* A pipe that nobody reads. */
static void begin(void)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL);
    cr_assert_eq(pipe(ends), 0);
    close(ends[0]);
}

static pid_t others_send(bool pipe, bool size)
{
    const pid_t own = getpid(), other = fork();
    if (other == 0) {
        if (pipe)
            kill(own, SIGPIPE);
        if (size)
            kill(own, SIGXFSZ);
        _exit(0);
    }
    waitpid(other, NULL, 0);
    return other;
}

Test(file_signal, that_of_a_write_is_taken_back, .init = begin)
{
    struct spur_hold_signal hold;
    spur_file_signal_hold(&hold);
    cr_expect_eq(write(ends[1], "x", 1), -1);
    spur_file_signal_release(&hold);
    cr_expect_eq(taken[SIGPIPE], 0);
    cr_expect_eq(write(ends[1], "x", 1), -1);
    cr_expect_eq(taken[SIGPIPE], 1, "the program's own");
}

Test(file_signal, those_of_others_arrive, .init = begin)
{
    for (int writes = 0; writes <= 1; writes++) {
        struct spur_hold_signal hold;
        taken[SIGPIPE] = taken[SIGXFSZ] = 0;
        spur_file_signal_hold(&hold);
        const pid_t other = others_send(true, true);
        if (writes)
            cr_expect_eq(write(ends[1], "x", 1), -1);
        cr_expect_eq(taken[SIGPIPE], 0, "held");
        spur_file_signal_release(&hold);
        cr_expect_eq(taken[SIGPIPE], 1, "%d writes: %d", writes, taken[SIGPIPE]);
        cr_expect_eq(taken[SIGXFSZ], 1, "%d writes: %d", writes, taken[SIGXFSZ]);
        cr_expect_eq(senders[SIGPIPE], other);
        cr_expect_eq(codes[SIGXFSZ], SI_USER);
    }
}

Test(file_signal, one_for_the_thread_stays_its_own, .init = begin)
{
    struct spur_hold_signal hold;
    spur_file_signal_hold(&hold);
    pthread_kill(pthread_self(), SIGPIPE);
    spur_file_signal_release(&hold);
    cr_expect_eq(taken[SIGPIPE], 1);
    cr_expect_eq(codes[SIGPIPE], SI_TKILL);
}
