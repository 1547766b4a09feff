/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an archive costs a small program: bench-short LAUNCHER DIRECTORY. Programs of one thread and
 * of 2,000, one after another, and a tree of 200 processes run in turns without the agent and by
 * `spur`; the table has the medians of the CPU time, with what making the archive takes. What is
 * traced is this program, by its arguments.
 */
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 7, TEXT = 4200 };

static char threads[] = "threads", processes[] = "processes";
static char one[] = "1", many_threads[] = "2000", many_processes[] = "200";

static const struct kind {
    char *what, *count;
} kinds[] = {{threads, one}, {threads, many_threads}, {processes, many_processes}};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void *nothing(void *arg)
{
    return arg;
}

static int make_threads(int n)
{
    pthread_t thread;
    for (int i = 0; i < n; i++)
        if (pthread_create(&thread, NULL, nothing, NULL) != 0 || pthread_join(thread, NULL) != 0)
            return 1;
    return 0;
}

static int run(char *const argv[])
{
    pid_t pid;
    int status;
    if (posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) != 0 ||
        waitpid(pid, &status, 0) != pid)
        return 1;
    return status != 0;
}

static int make_processes(int n)
{
    static char program[] = "/bin/true";
    char *const argv[] = {program, NULL};
    int failed = 0;
    for (int i = 0; i < n; i++)
        failed |= run(argv);
    return failed;
}

static double cpu_ms(void)
{
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    return 1e3 * (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-3 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* Each archive is kept: file systems find room slower just after something was removed. */
static double once(char *self, const struct kind *kind, char *launcher, const char *directory)
{
    static int number;
    static char quiet[] = "-q", option[] = "-o";
    char output[TEXT];
    snprintf(output, sizeof output, "%s/%d", directory, number++);
    char *const traced[] = {launcher, quiet, option, output, self, kind->what, kind->count, NULL};
    double used = cpu_ms();
    if (run(launcher ? traced : traced + 4))
        exit(1);
    return cpu_ms() - used;
}

static int by_number(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    if (strcmp(argv[1], threads) == 0)
        return make_threads((int)strtol(argv[2], NULL, 10));
    if (strcmp(argv[1], processes) == 0)
        return make_processes((int)strtol(argv[2], NULL, 10));
    printf("CPU of a program, ms, median   untraced   with an archive   more, for each\n");
    for (int k = 0; k < KINDS; k++) {
        double ms[2][ROUNDS];
        for (int round = 0; round < ROUNDS; round++)
            for (int traced = 0; traced < 2; traced++)
                ms[traced][round] = once(argv[0], &kinds[k], traced ? argv[1] : NULL, argv[2]);
        for (int traced = 0; traced < 2; traced++)
            qsort(ms[traced], ROUNDS, sizeof ms[0][0], by_number);
        const double plain = ms[0][ROUNDS / 2], traced = ms[1][ROUNDS / 2];
        printf("  %5s %-20s %10.1f %10.1f %18.2f\n", kinds[k].count, kinds[k].what, plain, traced,
               (traced - plain) / strtod(kinds[k].count, NULL));
    }
    return 0;
}
