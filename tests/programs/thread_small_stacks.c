/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread_small_stacks MODE BYTES: recorded calls on small stacks: on an alternate stack of so many
 * bytes, in a handler, or in a thread. Below the stack lies an inaccessible page; the test compares
 * the bytes used by handlers with the allowed bytes. MODE is a row of the table below.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAINT = 0x5a, LOCKS = 12000, VARIABLES = 2000, OF_A_HANDLER = 2048, PAGE = 4096 };

/* By pointers, bound at the start: binding a function at its first call takes 3 KiB. */
static int (*volatile lock)(pthread_mutex_t *) = pthread_mutex_lock;
static int (*volatile unlock)(pthread_mutex_t *) = pthread_mutex_unlock;
static pid_t (*volatile wait_for)(pid_t, int *, int) = waitpid;
static void (*volatile leave)(int) = _exit;
static pid_t (*volatile split)(void) = fork;
static int (*volatile command)(const char *) = system;
static int (*volatile become)(const char *, char *const *, char *const *) = execve;
static void (*volatile finish)(int) = exit;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t reaped = -1;
static char self[PAGE];
static char *environment[VARIABLES + 1];

static void lock_often(int n)
{
    for (int i = 0; i < n; i++) {
        lock(&mutex);
        unlock(&mutex);
    }
}

/* ---- in handlers ---- */

static void on_lock(int signal)
{
    (void)signal;
    lock_often(1);
}

static void on_many(int signal)
{
    (void)signal;
    lock_often(LOCKS);
}

static void on_child(int signal)
{
    int status = 0;
    (void)signal;
    if (wait_for(-1, &status, 0) > 0)
        reaped = WEXITSTATUS(status);
}

static void on_end(int signal)
{
    (void)signal;
    leave(3);
}

static void on_fork(int signal)
{
    int status = -1;
    (void)signal;
    pid_t child = split();
    if (child == 0) {
        lock_often(1);
        leave(6);
    }
    wait_for(child, &status, 0);
    reaped = WEXITSTATUS(status);
}

static void on_exec(int signal)
{
    char *const words[] = {self, "hello", NULL};
    (void)signal;
    become(self, words, environment);
    leave(9);
}

/* ---- in threads ---- */

static void *in_system(void *unused)
{
    reaped = WEXITSTATUS(command("exit 5"));
    return unused;
}

static void *in_fork(void *unused)
{
    on_fork(0);
    return unused;
}

static void *in_exit(void *unused)
{
    lock_often(1);
    finish(4);
    return unused;
}

static void *in_end(void *unused)
{
    on_end(0);
    return unused;
}

static void *in_exec(void *unused)
{
    on_exec(0);
    return unused;
}

static void *in_locks(void *unused)
{
    lock_often(LOCKS);
    return unused;
}

/* ---- */

static const struct {
    const char *name;
    void (*handler)(int);
    void *(*thread)(void *);
    int signal;
    int before; /* locks */
} modes[] = {
    {"lock", on_lock, NULL, SIGUSR1, 0},     {"flush", on_many, NULL, SIGUSR1, 1},
    {"child", on_child, NULL, SIGCHLD, 1},   {"end", on_end, NULL, SIGSEGV, 1},
    {"end_first", on_end, NULL, SIGSEGV, 0}, {"fork", on_fork, NULL, SIGUSR1, 1},
    {"exec", on_exec, NULL, SIGUSR1, 1},     {"t_lock", NULL, in_locks, 0, 0},
    {"t_system", NULL, in_system, 0, 1},     {"t_fork", NULL, in_fork, 0, 1},
    {"t_exit", NULL, in_exit, 0, 1},         {"t_end", NULL, in_end, 0, 0},
    {"t_exec", NULL, in_exec, 0, 1},
};

/* `bytes` of a stack, up to the end of a page; below its first page nothing is mapped. */
static char *new_stack(size_t bytes)
{
    size_t pages = (bytes + PAGE - 1) / PAGE;
    char *low = mmap(NULL, (pages + 1) * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (low == MAP_FAILED || mprotect(low + PAGE, pages * PAGE, PROT_READ | PROT_WRITE) != 0)
        exit(90);
    memset(low + PAGE, PAINT, pages * PAGE);
    return low + (pages + 1) * PAGE - bytes;
}

static size_t used_of(const char *stack, size_t bytes)
{
    size_t clean = 0;
    while (clean < bytes && stack[clean] == PAINT)
        clean++;
    return bytes - clean;
}

static void in_handler(void (*handler)(int), int number, size_t bytes)
{
    size_t frame = getauxval(AT_MINSIGSTKSZ);
    bytes += frame; /* for the kernel's frame, larger on newer processors */
    stack_t alternate = {.ss_size = bytes, .ss_sp = new_stack(bytes)};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    if (sigaltstack(&alternate, NULL) != 0)
        exit(91);
    sigaction(number, &action, NULL);
    if (number == SIGCHLD && fork() == 0)
        _exit(7);
    while (number == SIGCHLD && reaped < 0)
        usleep(1000);
    if (number != SIGCHLD)
        raise(number);
    size_t used = used_of(alternate.ss_sp, bytes);
    if (used > frame + OF_A_HANDLER)
        printf("%zu bytes, %zu of them the kernel's\n", used, frame);
}

static void in_thread(void *(*routine)(void *), size_t bytes)
{
    pthread_attr_t attr;
    pthread_t thread;
    pthread_attr_init(&attr);
    if (pthread_attr_setstack(&attr, new_stack(bytes), bytes) != 0 ||
        pthread_create(&thread, &attr, routine, NULL) != 0)
        exit(92);
    pthread_join(thread, NULL);
}

static void fill_environment(void)
{
    for (int i = 0; i < VARIABLES; i++)
        if (asprintf(&environment[i], "VARIABLE_%d=%040d", i, i) < 0)
            exit(93);
}

int main(int argc, char **argv)
{
    if (argc == 2) {
        lock_often(1);
        puts(argv[1]);
        return 8;
    }
    size_t bytes = argc > 2 ? (size_t)atol(argv[2]) : 0;
    (void)!readlink("/proc/self/exe", self, sizeof self - 1);
    fill_environment();
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        if (argc > 2 && strcmp(modes[i].name, argv[1]) == 0) {
            lock_often(modes[i].before);
            if (modes[i].handler)
                in_handler(modes[i].handler, modes[i].signal, bytes);
            else
                in_thread(modes[i].thread, bytes);
            printf("%s: %d\n", argv[1], (int)reaped);
            return 0;
        }
    return 99;
}
