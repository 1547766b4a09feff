/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The clock of the processor is taken away, in the ways of programs, or goes back. The program
 * itself never asks for the time: the C library reads the processor's clock as well. Without
 * arguments the program prints its modes.
 */
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
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
    /* The loader of a program reads the clock: the child gets the clock back before. */
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
 * Each instruction of the agent that reads the clock (TSC_AT has the places in the agent's file)
 * becomes an instruction that raises a signal. A handler gives the clock's time, or the time of a
 * clock that has gone back. The C library's way has the truth. The kernel's way to forbid the clock
 * would do as well, but not in all virtual machines.
 */
enum { RDTSC = 0x0f, RDTSC_2 = 0x31, RDTSC_BYTES = 2, HLT = 0xf4 };
static volatile uint64_t behind, faster_since;
enum { FASTER = 2000 }; /* then a tick more in FASTER ticks: 500 ppm */
/* Around a time of the system the agent reads the clock twice: as late, and as early as the
 * instruction may. */
static const unsigned char *opening, *closing;
static uint64_t share; /* ticks of a signal before the handler reads, and behind that */

static void read_for_it(int number, siginfo_t *info, void *data)
{
    enum { HALF = 32 };
    ucontext_t *context = data;
    greg_t *reg = context->uc_mcontext.gregs;
    const unsigned char *code = (const unsigned char *)reg[REG_RIP];
    (void)number, (void)info;
    if (code[0] != HLT || code[1] != RDTSC_2)
        _exit(99);
    uint64_t now = __builtin_ia32_rdtsc() - behind;
    now += code == opening ? share : 0;
    now -= code == closing ? share : 0;
    if (faster_since)
        now += (now - faster_since) / FASTER;
    reg[REG_RAX] = (greg_t)(now & UINT32_MAX);
    reg[REG_RDX] = (greg_t)(now >> HALF);
    reg[REG_RIP] += RDTSC_BYTES;
}

static void replace(unsigned char *code)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)code & ~(page - 1);
    if (code[0] != RDTSC || code[1] != RDTSC_2 ||
        syscall(SYS_mprotect, from, page, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        _exit(98);
    code[0] = HLT;
    syscall(SYS_mprotect, from, page, PROT_READ | PROT_EXEC);
}

static int replace_all(struct dl_phdr_info *object, size_t size, void *places)
{
    (void)size;
    if (!strstr(object->dlpi_name, "/libspur.so"))
        return 0;
    for (char *at = places; *at; at += strspn(at, "+-,")) {
        unsigned char *code = (unsigned char *)(object->dlpi_addr + strtoull(at, &at, 16));
        opening = *at == '+' ? code : opening;
        closing = *at == '-' ? code : closing;
        replace(code);
    }
    return 1;
}

static uint64_t read_by_signal(void)
{
    uint32_t low, high;
    __asm__ volatile(".byte 0xf4, 0x31" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

/* Two fifths of the least time of a signal. */
static uint64_t share_of_signal(void)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 100; i++) {
        uint64_t before = read_by_signal(), took = read_by_signal() - before;
        least = took < least ? took : least;
    }
    return 2 * least / 5;
}

static void take_over(void)
{
    struct sigaction action = {.sa_sigaction = read_for_it, .sa_flags = SA_SIGINFO};
    char *places = getenv("TSC_AT");
    sigaction(SIGSEGV, &action, NULL);
    share = share_of_signal();
    if (places)
        dl_iterate_phdr(replace_all, places);
}

static void go_back(void (*rest)(void))
{
    take_over();
    lock_and_unlock(PAIRS / BACK);
    behind = __builtin_ia32_rdtsc() / BACK; /* as after a resume: half of all counted ticks */
    rest();
}

/* Ticks in so many us, by the system's clock in the meantime. */
static int64_t ticks_in(int64_t us)
{
    const unsigned nap_us = 50000;
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    uint64_t ticks = __builtin_ia32_rdtsc();
    usleep(nap_us);
    clock_gettime(CLOCK_MONOTONIC, &to);
    double took =
        (double)(to.tv_sec - from.tv_sec) * 1e6 + (double)(to.tv_nsec - from.tv_nsec) / 1e3;
    return (int64_t)((double)(__builtin_ia32_rdtsc() - ticks) * (double)us / took);
}

/* Pairs in ROWS rows, with a pause before each row. */
static void work_in_rows(void)
{
    enum { ROWS = 100, ROW = 40, PAUSE_US = 2000 };
    for (int i = 0; i < ROWS; i++) {
        usleep(PAUSE_US);
        lock_and_unlock(ROW);
    }
}

static long long ns_between(struct timespec from, struct timespec to)
{
    return (long long)(to.tv_sec - from.tv_sec) * 1000000000 + (to.tv_nsec - from.tv_nsec);
}

static volatile int turn; /* of the second thread */
static struct timespec ended;

static void *work_in_turn(void *arg)
{
    while (turn != 1)
        usleep(1000);
    work_in_rows();
    clock_gettime(CLOCK_MONOTONIC, &ended);
    turn = 2;
    return arg;
}

/* A thread without records since before any change: its own times do not go back. */
static void let_work(void)
{
    turn = 1;
    while (turn != 2)
        usleep(1000);
}

static void leave_line(int64_t jump_us, bool is_faster, bool goes_back, bool is_elsewhere)
{
    struct timespec from, jumped, to;
    pthread_t other;
    if (is_elsewhere)
        pthread_create(&other, NULL, work_in_turn, NULL);
    lock_and_unlock(1);
    uint64_t jump = (uint64_t)ticks_in(jump_us);
    take_over();
    clock_gettime(CLOCK_MONOTONIC, &from);
    lock_and_unlock(1);
    work_in_rows();
    clock_gettime(CLOCK_MONOTONIC, &jumped);
    behind -= jump;
    if (getenv("AT_ONCE"))
        lock_and_unlock(1);
    faster_since = is_faster ? __builtin_ia32_rdtsc() - behind : 0;
    work_in_rows();
    behind += is_elsewhere ? jump : goes_back ? 2 * jump : -jump;
    if (is_elsewhere)
        let_work();
    else
        work_in_rows();
    clock_gettime(CLOCK_MONOTONIC, &to);
    to = is_elsewhere ? ended : to;
    printf("took %lld and %lld ns\n", ns_between(from, jumped), ns_between(from, to));
    fflush(stdout);
    if (getenv("KILLED"))
        raise(SIGKILL);
}
#else
static void leave_line(int64_t jump_us, bool is_faster, bool goes_back, bool is_elsewhere)
{
    (void)jump_us, (void)is_faster, (void)goes_back, (void)is_elsewhere;
}

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

/* Twice, or another rate. */
static void ahead(void)
{
    leave_line(10000000, false, false, false);
}

static void ahead_a_little(void)
{
    leave_line(1000, false, false, false);
}

static void ahead_and_back(void)
{
    leave_line(10000000, false, true, false);
}

static void ahead_and_back_elsewhere(void)
{
    leave_line(10000000, false, false, true);
}

static void back_a_little(void)
{
    leave_line(-1500, false, false, false);
}

static void faster(void)
{
    leave_line(0, true, false, false);
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
    {"ahead", ahead},
    {"ahead_a_little", ahead_a_little},
    {"ahead_and_back", ahead_and_back},
    {"ahead_and_back_elsewhere", ahead_and_back_elsewhere},
    {"back_a_little", back_a_little},
    {"faster", faster},
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
