/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * omp_exclusions [WAIT]: critical, ordered and atomic after the first thread that used OpenMP has
 * ended. Prints how many times threads were in each. With WAIT, a line of the standard input comes
 * before all of it.
 */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 2, ROUNDS = 50 };

static long critical, nested, ordered, atomic, fused;
static long double wide;

#ifdef __clang__
/* What compilers of Intel call for atomic; clang itself calls libatomic. */
void __kmpc_atomic_start(void);
void __kmpc_atomic_end(void);
void __kmpc_atomic_float10_add(void *place, int thread, long double *to, long double value);
int __kmpc_global_thread_num(void *place);
#endif

static void add_wide(void)
{
#ifdef __clang__
    __kmpc_atomic_start();
    wide += 1;
    __kmpc_atomic_end();
    __kmpc_atomic_float10_add(NULL, __kmpc_global_thread_num(NULL), &wide, 1);
#pragma omp atomic
    fused++;
#else
#pragma omp atomic
    wide += 1;
#endif
#pragma omp atomic
    atomic++;
}

static void *first(void *unused)
{
#pragma omp parallel num_threads(THREADS)
    {
#pragma omp critical
        critical++;
    }
    return unused;
}

static void *second(void *unused)
{
#pragma omp parallel num_threads(THREADS)
    {
        for (int i = 0; i < ROUNDS; i++) {
#pragma omp critical
            {
                critical++;
#pragma omp critical(inner)
                nested++;
            }
            add_wide();
        }
#pragma omp for ordered schedule(dynamic)
        for (int i = 0; i < ROUNDS; i++)
#pragma omp ordered
            ordered++;
    }
    return unused;
}

static int on_a_thread(void *(*work)(void *))
{
    pthread_t thread;
    return pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        puts("ready");
        fflush(stdout);
        if (getchar() == EOF)
            return 2;
    }
    if (on_a_thread(first) || on_a_thread(second))
        return 1;
    printf("critical %ld\nordered %ld\natomic %ld\n", critical + nested, ordered, atomic + fused);
    return wide < (long double)atomic;
}
