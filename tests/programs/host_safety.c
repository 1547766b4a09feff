/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host_safety MODE: a program that does what tools get wrong, and prints what it sees of it. With
 * and without the agent it has to print the same and end in the same way. Every mode locks a mutex
 * before and after, so there is something to record.
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

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void work(int pairs)
{
    for (int i = 0; i < pairs; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
}

/* More than a small buffer holds, so that events have to go somewhere. */
static void work_much(void)
{
    work(6000);
}

static int say(const char *what, long value)
{
    printf("%s %ld\n", what, value);
    return 0;
}

/* ---- signals ---- */

static volatile sig_atomic_t caught;
static sem_t posts;

/* Of what is traced a handler may call this. */
static void on_signal(int number)
{
    (void)number;
    caught++;
    sem_post(&posts);
}

/* Every signal that can be caught: as it was at the start, caught once, and blocked by nobody. */
static int handlers(void)
{
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    for (int number = 1; number < NSIG; number++) {
        struct sigaction old, mine = {.sa_handler = on_signal};
        if (sigaction(number, NULL, &old) != 0)
            continue;
        if (number == SIGKILL || number == SIGSTOP)
            continue;
        int before = caught;
        printf("signal %d default %d blocked %d", number, old.sa_handler == SIG_DFL,
               sigismember(&blocked, number));
        sigaction(number, &mine, NULL);
        raise(number);
        sigaction(number, NULL, &old);
        printf(" caught %d mine %d\n", caught - before, old.sa_handler == on_signal);
        work(1);
    }
    return 0;
}

/* A profiler of the program's own. */
static int profiler(void)
{
    struct sigaction mine = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    struct itimerval every = {{0, 4000}, {0, 4000}}, rest;
    sigaction(SIGPROF, &mine, NULL);
    setitimer(ITIMER_PROF, &every, NULL);
    volatile long spent = 0;
    while (caught < 5)
        if (++spent % 100000 == 0)
            work(1);
    getitimer(ITIMER_PROF, &rest);
    memset(&every, 0, sizeof every);
    say("interval", rest.it_interval.tv_usec / 1000);
    return setitimer(ITIMER_PROF, &every, NULL);
}

static sigjmp_buf back;

static void on_overflow(int number)
{
    (void)number;
    sem_post(&posts);
    siglongjmp(back, 1);
}

static __attribute__((noinline)) int sink_in(volatile int depth)
{
    volatile char frame[512];
    memset((char *)frame, depth, sizeof frame);
    return depth < 0 ? 0 : sink_in(depth + 1) + frame[0];
}

/* The stack overflows and the handler, on a stack of its own, gets the program out of it. */
static int alternate_stack(void)
{
    static char memory[64 << 10];
    stack_t mine = {.ss_sp = memory, .ss_size = sizeof memory}, seen;
    struct sigaction action = {.sa_handler = on_overflow, .sa_flags = SA_ONSTACK};
    struct rlimit small = {1 << 20, 1 << 20};
    setrlimit(RLIMIT_STACK, &small);
    sigaltstack(&mine, NULL);
    sigaction(SIGSEGV, &action, NULL);
    for (int i = 0; i < 3; i++)
        if (sigsetjmp(back, 1) == 0)
            sink_in(0);
    sigaltstack(NULL, &seen);
    say("stack is mine", seen.ss_sp == memory);
    return 0;
}

static void *take_signals(void *argument)
{
    const sigset_t *all = argument;
    int number = 0;
    sigwait(all, &number);
    say("waited for", number);
    return NULL;
}

/* All signals are blocked in all threads; one waits for them, a descriptor tells of the rest. */
static int blocked_signals(void)
{
    sigset_t all, seen;
    pthread_t thread;
    struct signalfd_siginfo info;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    pthread_sigmask(SIG_BLOCK, NULL, &seen);
    for (int number = 1; number < NSIG; number++)
        if (sigismember(&seen, number) != 1)
            printf("not blocked: %d\n", number);
    pthread_create(&thread, NULL, take_signals, &all);
    pthread_kill(thread, SIGUSR2);
    pthread_join(thread, NULL);
    int fd = signalfd(-1, &all, 0);
    raise(SIGALRM);
    for (int i = 0; i < 20; i++)
        work(500); /* a profiler's signals would be found by the read */
    say("read", read(fd, &info, sizeof info) == sizeof info ? (long)info.ssi_signo : -1);
    sigpending(&seen);
    for (int number = 1; number < NSIG; number++)
        if (sigismember(&seen, number) == 1)
            printf("pending: %d\n", number);
    return close(fd);
}

/* Calls that signals interrupt are not interrupted. */
static int no_interruption(void)
{
    struct timespec nap = {0, 20000000};
    int fd[2];
    char byte;
    if (pipe(fd) != 0)
        return 1;
    pid_t child = fork();
    if (child == 0) {
        nanosleep(&nap, NULL);
        _exit(write(fd[1], "x", 1) != 1);
    }
    work_much();
    say("nanosleep", nanosleep(&nap, NULL));
    say("read", read(fd[0], &byte, 1));
    int status;
    say("waited", waitpid(child, &status, 0) == child && status == 0);
    return 0;
}

/* ---- descriptors ---- */

/* Those that a program is given which does not ask for others. */
static long count_descriptors(void)
{
    long n = 0;
    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) != -1;
    return n;
}

/* A daemon closes what it has not opened, and counts on the numbers of what it opens then. */
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

/* No memory is left for anybody: neither does the program notice that the agent wants some. */
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

/* The program's own file hits the limit, with its own error, and nothing else does. */
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
    enum { CHILDREN = 1000, AT_ONCE = 20 };
    long right = 0;
    for (int i = 0; i < CHILDREN + AT_ONCE; i++) {
        int status;
        if (i >= AT_ONCE && waitpid(-1, &status, 0) > 0)
            right += WIFEXITED(status) && WEXITSTATUS(status) == 3;
        if (i >= CHILDREN)
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

/* Kill at every system call but the few that the rest of this program makes. */
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

/* A child of the system call clone() begins on a stack that its parent has prepared. */
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
