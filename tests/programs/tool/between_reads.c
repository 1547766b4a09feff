/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded into who copies what another process records: between two of its reads that one goes
 * on. BETWEEN is "SEED STEPS MOST TO FROM": numbers up to MOST, STEPS together, are written to the
 * file TO, before reads that the seed picks; each is awaited in the file FROM.
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
    unsigned seed;
    long left, most;
    FILE *to, *from;
} between;

static __attribute__((constructor)) void begin(void)
{
    char to[4096], from[4096];
    const char *words = getenv("BETWEEN");
    if (!words || sscanf(words, "%u %ld %ld %4095s %4095s", &between.seed, &between.left,
                         &between.most, to, from) != 5)
        abort();
    between.to = fopen(to, "w");
    between.from = fopen(from, "r");
    if (!between.to || !between.from)
        abort();
    unsetenv("LD_PRELOAD"); /* what it starts is not meant */
}

static long draw(long below)
{
    return rand_r(&between.seed) % below;
}

static void step(void)
{
    long n = draw(between.most) + 1, done;
    n = n < between.left ? n : between.left;
    between.left -= n;
    fprintf(between.to, "%ld\n", n);
    fflush(between.to);
    if (fscanf(between.from, "%ld", &done) != 1 || done != n)
        abort();
}

long syscall(long number, ...)
{
    static long (*real)(long, ...);
    va_list list;
    long a[6];
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "syscall");
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_pread64 && between.left > 0 && draw(3) == 0)
        step();
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
