/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host_safety MODE: a program with actions that tools get wrong. The program prints its
 * observations. With and without the agent the output and the end have to be the same. Every mode
 * locks a mutex before and after, so there is something to record.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "host_safety_signals.h"

/* ---- descriptors ---- */

/* The descriptors of a program that never opens any. */
static long count_descriptors(void)
{
    long n = 0;
    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) != -1;
    return n;
}

/* A daemon closes descriptors of strangers, and counts on the numbers of its next descriptors. */
static int close_all(void)
{
    say("open at the start", count_descriptors());
    say("close_range", close_range(3, ~0U, 0));
    for (int fd = 3; fd < 4096; fd++)
        close(fd);
    work_much();
    int first = open("/dev/null", O_RDONLY), second = dup(first);
    say("first", first);
    say("second", second);
    work_much();
    close(first);
    close(second);
    return 0;
}

static int close_standard(void)
{
    fflush(stdout);
    int kept = fcntl(1, F_DUPFD, 100);
    close(0);
    close(1);
    close(2);
    work_much();
    int first = open("/dev/null", O_RDWR), second = dup(first), third = dup(first);
    work_much();
    dup2(kept, 1);
    close(kept);
    printf("numbers %d %d %d\n", first, second, third);
    return 0;
}

static int few_descriptors(void)
{
    struct rlimit few = {3, 3};
    setrlimit(RLIMIT_NOFILE, &few);
    work_much();
    int fd = open("/dev/null", O_RDONLY);
    printf("open %d %s\n", fd, strerror(errno));
    work_much();
    return 0;
}

/* ---- limits and rights ---- */

static long mapped_bytes(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

/* No memory is left, not even for the agent: the program does not notice the agent's requests. */
static int little_memory(void)
{
    struct rlimit limit = {0};
    limit.rlim_cur = limit.rlim_max = (rlim_t)mapped_bytes() + (64 << 10);
    setrlimit(RLIMIT_AS, &limit);
    work_much();
    work_much();
    void *big = mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    printf("mmap %s\n", big == MAP_FAILED ? strerror(errno) : "works");
    return 0;
}

static int locked_memory(void)
{
    struct rlimit limit = {1 << 20, 1 << 20};
    setrlimit(RLIMIT_MEMLOCK, &limit);
    printf("mlockall %d\n", mlockall(MCL_FUTURE));
    work_much();
    work_much();
    return 0;
}

/* The program's own file hits the limit, with its own error, and nothing else hits the limit. */
static int small_files(void)
{
    struct rlimit small = {4096, 4096};
    struct sigaction mine = {.sa_handler = on_signal};
    sigaction(SIGXFSZ, &mine, NULL);
    setrlimit(RLIMIT_FSIZE, &small);
    work_much();
    work_much();
    say("SIGXFSZ before", caught);
    int fd = open("small", O_RDWR | O_CREAT | O_TRUNC, 0600);
    static char bytes[5000];
    say("first", write(fd, bytes, sizeof bytes));
    say("second", write(fd, bytes, sizeof bytes));
    say("SIGXFSZ after", caught);
    close(fd);
    return unlink("small");
}

static int no_rights(void)
{
    umask(0777);
    work(1);
    if (setgid(65534) != 0 || setuid(65534) != 0)
        return 1;
    prctl(PR_SET_DUMPABLE, 0);
    work_much();
    work_much();
    return say("user", (long)getuid());
}

/* The first event comes when the directory is out of reach already. */
static int no_rights_child(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(no_rights());
    int status = -1;
    say("waited", waitpid(child, &status, 0) == child);
    return say("status", status);
}

static int other_root(void)
{
    mkdir("jail", 0700);
    work(1);
    if (chroot("jail") != 0 || chdir("/") != 0)
        return 1;
    work_much();
    work_much();
    FILE *file = fopen("/made", "w");
    return file ? fclose(file) : 2;
}

static int no_directory(void)
{
    mkdir("gone", 0700);
    work(1);
    if (chdir("gone") != 0 || rmdir("../gone") != 0)
        return 1;
    work_much();
    char path[100];
    return printf("directory %s\n", getcwd(path, sizeof path) ? path : strerror(errno)) < 0;
}

static int other_namespaces(void)
{
    work(1);
    if (unshare(CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWUTS) != 0)
        return 1;
    work_much();
    pid_t child = fork();
    if (child == 0) {
        work(10);
        _exit(getpid() == 1 ? 7 : 8);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return say("status", WEXITSTATUS(status));
}

/* ---- processes ---- */

static int many_children(void)
{
    enum { AT_ONCE = 20 };
    const char *more = getenv("MANY_CHILDREN");
    const int children = more ? atoi(more) : 200;
    long right = 0;
    for (int i = 0; i < children + AT_ONCE; i++) {
        int status;
        if (i >= AT_ONCE && waitpid(-1, &status, 0) > 0)
            right += WIFEXITED(status) && WEXITSTATUS(status) == 3;
        if (i >= children)
            continue;
        pid_t child = fork();
        if (child == 0) {
            work(i % 10 == 0);
            _exit(3);
        }
    }
    say("right", right);
    say("left over", waitpid(-1, NULL, WNOHANG));
    return say("none", errno == ECHILD);
}

/* ---- the kernel as a guard ---- */

/* Kill at every system call but the few calls in the rest of the program. */
static int filter(void)
{
    enum { ALLOWED = 9 };
    static const int allowed[ALLOWED] = {SYS_write,        SYS_exit_group, SYS_exit,
                                         SYS_rt_sigreturn, SYS_futex,      SYS_newfstatat,
                                         SYS_brk,          SYS_mmap,       SYS_munmap};
    struct sock_filter code[ALLOWED + 4];
    int n = 0;
    code[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < ALLOWED; i++)
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)allowed[i],
                                                 (unsigned char)(ALLOWED - i), 0);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {(unsigned short)n, code};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int filtered(void)
{
    work(1);
    say("filter", filter());
    work_much();
    work_much();
    return say("alive", 1);
}

static int strict(void)
{
    static const char text[] = "strict\n";
    work(1);
    fflush(stdout);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
        return 1;
    work_much();
    work_much();
    (void)!write(1, text, sizeof text - 1);
    syscall(SYS_exit, 4);
    return 0;
}

/* ---- time and threads ---- */

static void *small_thread(void *argument)
{
    char frame[4096];
    memset(frame, 1, sizeof frame);
    work(frame[17] * 100);
    return argument;
}

static int small_stacks(void)
{
    enum { THREADS = 20 };
    long right = 0;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    say("smallest", pthread_attr_setstacksize(&attributes, 16384));
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        void *value = NULL;
        if (pthread_create(&thread, &attributes, small_thread, &right) == 0)
            right += pthread_join(thread, &value) == 0 && value == &right;
    }
    return say("right", right);
}

static int threads_of_process(void)
{
    work(1);
    long n = 0;
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "Threads: %ld", &n) == 1)
            break;
    if (file)
        fclose(file);
    return say("threads", n);
}

/* A child of the system call clone() begins on a stack prepared by its parent. */
static void *raw_stack[1024];

static void raw_child(void)
{
    syscall(SYS_exit, 5);
}

static int raw_clone(void)
{
    int status = -1;
    work(1);
#if defined(__x86_64__)
    void **top = &raw_stack[1000];
    *top = (void *)raw_child; /* where syscall() returns to, in the child */
    long child = syscall(SYS_clone, CLONE_VM | SIGCHLD, top, NULL, NULL, 0L);
    say("waited", waitpid((pid_t)child, &status, 0) == child);
#else
    (void)raw_stack, (void)raw_child;
#endif
    return say("status", status);
}

static void *ask_memory(void *argument)
{
    for (size_t size = 1; size < 3000; size++) {
        char *a = malloc(size), *b = calloc(size, 2), *c = realloc(a, size * 3);
        work(1);
        free(b);
        free(c);
    }
    return argument;
}

static int memory(void)
{
    pthread_t thread[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, ask_memory, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    return say("threads", 4);
}

static int data_files(void)
{
    for (int i = 0; i < 10; i++) {
        int fd = open("data", O_WRONLY | O_CREAT | O_APPEND, 0600);
        for (int k = 0; k < 10; k++)
            if (write(fd, "bytes", 5) != 5)
                return 1;
        work(1000);
        close(fd);
    }
    return unlink("data");
}

static const struct {
    const char *name;
    int (*run)(void);
} modes[] = {
    {"handlers", handlers},
    {"profiler", profiler},
    {"alternate_stack", alternate_stack},
    {"blocked_signals", blocked_signals},
    {"no_interruption", no_interruption},
    {"close_all", close_all},
    {"close_standard", close_standard},
    {"few_descriptors", few_descriptors},
    {"little_memory", little_memory},
    {"locked_memory", locked_memory},
    {"small_files", small_files},
    {"no_rights", no_rights},
    {"no_rights_child", no_rights_child},
    {"other_root", other_root},
    {"no_directory", no_directory},
    {"other_namespaces", other_namespaces},
    {"many_children", many_children},
    {"filtered", filtered},
    {"strict", strict},
    {"small_stacks", small_stacks},
    {"threads_of_process", threads_of_process},
    {"raw_clone", raw_clone},
    {"memory", memory},
    {"data_files", data_files},
};

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOFBF, 1 << 16);
    work(1);
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (argc > 1 && strcmp(argv[1], modes[i].name) != 0)
            continue;
        if (argc == 1) {
            puts(modes[i].name);
            continue;
        }
        int status = modes[i].run();
        work(1);
        return status;
    }
    return argc > 1 ? 99 : 0;
}
