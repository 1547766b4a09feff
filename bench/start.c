/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a process costs that does nothing: bench-start BUILD DIRECTORY [PROCESSES]. /bin/true runs
 * that many times in each way, in turns; the table has the least of the turns, per process. Without
 * the agent; with it, recording nothing; by the launcher, recording nothing; and recorded as a part
 * of an archive (in DIRECTORY, which must not exist, and which spur-finish makes an archive of).
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

enum { ROUNDS = 5, PROCESSES = 1000, TEXT = 4200 };

static char preload[TEXT], dir[TEXT], launcher[TEXT];
static char mixed[] = "SPUR_SESSION=mixed", root[] = "SPUR_ROOT=1", program[] = "/bin/true";
static char quiet[] = "-q";

static const struct way {
    const char *name;
    char *const argv[4];
    char *const env[6];
} ways[] = {
    {"untraced", {program, NULL}, {NULL}},
    {"traced, records nothing", {program, NULL}, {preload, NULL}},
    {"the same, by `spur`", {launcher, quiet, program, NULL}, {NULL}},
    {"traced, a part of the archive", {program, NULL}, {preload, dir, mixed, root, NULL}},
};

enum { WAYS = sizeof ways / sizeof ways[0] };

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

static double cpu(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void run(const struct way *way, int n)
{
    for (int i = 0; i < n; i++) {
        pid_t pid;
        if (posix_spawn(&pid, way->argv[0], NULL, NULL, way->argv, way->env) != 0 ||
            waitpid(pid, NULL, 0) != pid)
            exit(1);
    }
}

int main(int argc, char **argv)
{
    int n = argc > 3 ? (int)strtol(argv[3], NULL, 10) : PROCESSES;
    int each = n / ROUNDS;
    double least[WAYS][2];
    if (argc < 3 || n < ROUNDS)
        return 2;
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s/lib/libspur.so", argv[1]);
    snprintf(launcher, sizeof launcher, "%s/bin/spur", argv[1]);
    snprintf(dir, sizeof dir, "SPUR_DIR=%s", argv[2]);
    for (int round = 0; round < ROUNDS; round++)
        for (int w = 0; w < WAYS; w++) {
            double wall = now(), used = cpu();
            run(&ways[w], each);
            double ms[] = {1e3 * (now() - wall) / each, 1e3 * (cpu() - used) / each};
            for (int k = 0; k < 2; k++)
                if (round == 0 || ms[k] < least[w][k])
                    least[w][k] = ms[k];
        }
    printf("/bin/true x %d, ms per process   wall      CPU\n", each * ROUNDS);
    for (int w = 0; w < WAYS; w++)
        printf("  %-30s %6.2f   %6.2f\n", ways[w].name, least[w][0], least[w][1]);
    return 0;
}
