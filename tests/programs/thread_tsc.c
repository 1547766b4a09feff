/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The clock of the processor is taken away, in ways that a program has, or goes back. The program
 * itself never asks for the time: the C library reads that clock as well. Without arguments it
 * prints its modes.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { PAIRS = 2000, WORKERS = 3, BACK = 2 };

static void lock_and_unlock(int pairs)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    for (int i = 0; i < pairs; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
}

static void *work(void *arg)
{
    lock_and_unlock(PAIRS);
    return arg;
}

static void forbid(void)
{
    prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
}

static void forbid_by_number(void)
{
    syscall(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
}

static void *forbid_and_work(void *arg)
{
    lock_and_unlock(PAIRS / 100);
    forbid();
    return work(arg);
}

static void in_threads(void *(*routine)(void *))
{
    pthread_t thread[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&thread[i], NULL, routine, NULL);
    lock_and_unlock(PAIRS);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(thread[i], NULL);
}

/* ---- modes ---- */

static void later(void)
{
    lock_and_unlock(PAIRS);
    forbid();
    lock_and_unlock(PAIRS);
    in_threads(work);
}

static void first(void)
{
    forbid();
    lock_and_unlock(PAIRS);
    in_threads(work);
}

static void by_number(void)
{
    lock_and_unlock(PAIRS);
    forbid_by_number();
    in_threads(work);
}

static void all_at_once(void)
{
    in_threads(forbid_and_work);
    in_threads(work);
}

static void allowed_again(void)
{
    in_threads(forbid_and_work);
    forbid();
    lock_and_unlock(PAIRS);
    prctl(PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0);
    in_threads(work);
}

static void children(void)
{
    int status = -1;
    lock_and_unlock(PAIRS);
    forbid();
    if (fork() == 0) {
        in_threads(work);
        exit(7);
    }
    wait(&status);
    printf("child %d\n", WEXITSTATUS(status));
    /* The loader of a program reads the clock: it is given it back before. */
    if (fork() == 0) {
        prctl(PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0);
        execlp("sh", "sh", "-c", "exit 9", (char *)NULL);
    }
    wait(&status);
    printf("program %d\n", WEXITSTATUS(status));
}

static void in_a_handler(int number)
{
    (void)number;
    forbid();
    lock_and_unlock(PAIRS);
}

static void handler(void)
{
    lock_and_unlock(PAIRS);
    signal(SIGUSR1, in_a_handler);
    raise(SIGUSR1);
    lock_and_unlock(PAIRS);
}

#if defined(__x86_64__)
/*
 * The clock is forbidden behind the agent's back, and a handler gives whoever reads it what it
 * says, or what it would say after it has gone back; the C library's way has the truth.
 */
static volatile uint64_t behind;

static void set_reading(unsigned long how)
{
    long ret;
    register long r10 __asm__("r10") = 0;
    register long r8 __asm__("r8") = 0;
    __asm__ volatile("syscall"
                     : "=a"(ret)
                     : "a"(SYS_prctl), "D"(PR_SET_TSC), "S"(how), "d"(0), "r"(r10), "r"(r8)
                     : "rcx", "r11", "memory");
    (void)ret;
}

static void read_for_it(int number, siginfo_t *info, void *data)
{
    enum { RDTSC_BYTES = 2, RDTSCP_BYTES = 3, VDSO_BYTES = 16384, HALF = 32 };
    ucontext_t *context = data;
    greg_t *reg = context->uc_mcontext.gregs;
    const unsigned char *code = (const unsigned char *)reg[REG_RIP];
    uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
    (void)number, (void)info;
    if (code[0] != 0x0f || (code[1] != 0x31 && code[1] != 0x01))
        _exit(99);
    set_reading(PR_TSC_ENABLE);
    uint64_t now = __builtin_ia32_rdtsc();
    set_reading(PR_TSC_SIGSEGV);
    if ((uint64_t)reg[REG_RIP] - vdso >= VDSO_BYTES)
        now -= behind;
    reg[REG_RAX] = (greg_t)(now & UINT32_MAX);
    reg[REG_RDX] = (greg_t)(now >> HALF);
    if (code[1] == 0x01)
        reg[REG_RCX] = 0;
    reg[REG_RIP] += code[1] == 0x31 ? RDTSC_BYTES : RDTSCP_BYTES;
}

static void go_back(void (*rest)(void))
{
    struct sigaction action = {.sa_sigaction = read_for_it, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    set_reading(PR_TSC_SIGSEGV);
    lock_and_unlock(PAIRS / BACK);
    behind = __builtin_ia32_rdtsc() / BACK; /* as after a resume: half of all that it had counted */
    rest();
}
#else
static void go_back(void (*rest)(void))
{
    lock_and_unlock(PAIRS / BACK);
    rest();
}
#endif

static void rest(void)
{
    lock_and_unlock(PAIRS / BACK);
    in_threads(work);
}

static void back(void)
{
    go_back(rest);
}

static void back_and_forbidden(void)
{
    go_back(first);
}

static const struct mode {
    const char *name;
    void (*run)(void);
} modes[] = {
    {"later", later},
    {"first", first},
    {"by_number", by_number},
    {"all_at_once", all_at_once},
    {"allowed_again", allowed_again},
    {"children", children},
    {"handler", handler},
    {"back", back},
    {"back_and_forbidden", back_and_forbidden},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (argc < 2)
            puts(modes[i].name);
        else if (strcmp(argv[1], modes[i].name) == 0) {
            modes[i].run();
            printf("%s done\n", modes[i].name);
        }
    }
    return 0;
}
