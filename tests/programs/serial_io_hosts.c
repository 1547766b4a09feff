/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serial_io_hosts MODE: dealings of programs with descriptors, which a tracer must not disturb.
 * Prints the results.
 *   closed      standard input, output and error are closed
 *   cancel      threads are cancelled while they read a pipe that stays empty, and in a file's read
 *   interrupts  reads interrupted by a signal, and reads that would block
 *   many        more descriptors than anybody expects
 *   passed      a descriptor comes over a socket
 *   threads     threads open, write and close at the same time
 *   jump        a handler jumps out of a read
 *   million     descriptors with the highest possible numbers
 *   forks       handlers of pthread_atfork() write
 *   clones      a child unknown to the C library goes on with two files
 *   waits       a thread waits in open() while a second thread opens, writes and closes
 *   slow        the same until the program ends, also in a child; the open() never comes back
 *   full        another program starts with all descriptors but a few open, as does its child
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 200, MANY = 900, FREE = 20 /* descriptors */ };

static int ends[2];
static char data[1000];
static volatile int begun; /* by a thread about to be cancelled */

static void closed(void)
{
    for (int fd = 0; fd < 3; fd++)
        close(fd);
    int first = open("first", O_RDWR | O_CREAT, 0600);
    (void)!write(first, "text\n", 5);
    int second = dup(first), third = open("third", O_WRONLY | O_CREAT, 0600);
    dprintf(third, "%d %d %d\n", first, second, third);
    (void)!write(2, "more\n", 5);
}

static void was_cancelled(void *name)
{
    printf("cleaned up %s\n", (const char *)name);
}

static void *reads_pipe(void *name)
{
    pthread_cleanup_push(was_cancelled, name);
    begun++;
    (void)!read(ends[0], data, sizeof data);
    pthread_cleanup_pop(0);
    return NULL;
}

static void *reads_file(void *name)
{
    int fd = open("file", O_RDWR | O_CREAT, 0600);
    pthread_cleanup_push(was_cancelled, name);
    begun++;
    for (;;)
        (void)!pread(fd, data, sizeof data, 0);
    pthread_cleanup_pop(0);
    return NULL;
}

static void cancel(void)
{
    void *(*const what[])(void *) = {reads_pipe, reads_file};
    static char names[2][8] = {"pipe", "file"};
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        void *result;
        pthread_create(&thread, NULL, what[i], names[i]);
        while (begun == i)
            usleep(1000);
        usleep(20000);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        printf("%d\n", result == PTHREAD_CANCELED);
    }
}

static void nothing(int signal)
{
    (void)signal;
}

static void *sends(void *to)
{
    usleep(50000);
    pthread_kill(*(pthread_t *)to, SIGUSR1);
    return NULL;
}

static void interrupts(void)
{
    struct sigaction action = {.sa_handler = nothing};
    pthread_t self = pthread_self(), thread;
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, sends, &self);
    errno = 0;
    long got = read(ends[0], data, sizeof data);
    printf("%ld %d\n", got, errno == EINTR);
    pthread_join(thread, NULL);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    got = read(ends[0], data, sizeof data);
    printf("%ld %d\n", got, errno == EAGAIN);
    (void)!write(ends[1], "abc", 3);
    printf("%ld\n", (long)read(ends[0], data, sizeof data));
}

static void many(void)
{
    int sum = 0;
    for (int i = 0; i < MANY; i++) {
        int fd = open("file", O_RDWR | O_CREAT, 0600);
        sum += fd >= 0;
        if (i % 2)
            sum += (int)write(fd, "x", 1);
    }
    printf("%d\n", sum);
    closefrom(3);
    printf("%d\n", open("file", O_RDONLY));
}

static void passed(void)
{
    int pair[2];
    union {
        char room[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    struct iovec part = {data, 1};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.room,
                             .msg_controllen = sizeof control.room};
    socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
    int fd = open("passed", O_RDWR | O_CREAT, 0600);
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(head), &fd, sizeof fd);
    sendmsg(pair[0], &message, 0);
    close(fd);
    recvmsg(pair[1], &message, 0);
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
    printf("%ld\n", (long)write(fd, "over the socket", 15));
    close(fd);
}

static void *works(void *number)
{
    char name[16];
    snprintf(name, sizeof name, "t%d", (int)(intptr_t)number);
    for (int i = 0; i < ROUNDS; i++) {
        int fd = open(name, O_WRONLY | O_CREAT | O_APPEND, 0600);
        (void)!write(fd, "0123456789", 10);
        close(fd);
    }
    return NULL;
}

static void threads(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, works, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
}

static sigjmp_buf place;

static void jumps(int signal)
{
    (void)signal;
    siglongjmp(place, 1);
}

static void jump(void)
{
    struct sigaction action = {.sa_handler = jumps};
    pthread_t self = pthread_self(), thread;
    sigaction(SIGUSR1, &action, NULL);
    int fd = open("file", O_RDWR | O_CREAT, 0600);
    pthread_create(&thread, NULL, sends, &self);
    if (sigsetjmp(place, 1) == 0)
        for (;;)
            (void)!pread(fd, data, sizeof data, 0);
    pthread_join(thread, NULL);
    printf("%ld\n", (long)write(fd, "after", 5));
    close(fd);
}

enum { HIGHEST = 1048575 };

/* As many descriptors as there may be: the highest number. */
static int raise_limit(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_max <= HIGHEST)
        limit.rlim_max = HIGHEST + 1; /* for processes that may raise the limit */
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) {
        getrlimit(RLIMIT_NOFILE, &limit);
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    return limit.rlim_cur > HIGHEST ? HIGHEST : (int)limit.rlim_cur - 1;
}

static void million(void)
{
    int top = raise_limit();
    int fd = open("file", O_RDWR | O_CREAT, 0600);
    for (int i = 0; i < 3; i++) {
        printf("%d\n", dup2(fd, top - i) == top - i);
        printf("%ld\n", (long)write(top - i, "highest", 7));
    }
    close(top);
    printf("%d\n", close_range((unsigned)top - 2, ~0U, 0));
    printf("%d %d\n", (int)write(top - 1, "x", 1), errno == EBADF);
}

static int forked_fd;
static atomic_int
    *has_parent_written; /* shared with the child, so that the order is always the same */

static void before_fork(void)
{
    atomic_store(has_parent_written, 0);
    (void)!write(forked_fd, "before\n", 7);
}

static void after_fork(void)
{
    (void)!write(forked_fd, "after\n", 6);
    atomic_store(has_parent_written, 1);
}

static void after_fork_child(void)
{
    while (!atomic_load(has_parent_written))
        sched_yield();
    (void)!write(forked_fd, "after\n", 6);
}

static void forks(void)
{
    forked_fd = open("file", O_RDWR | O_CREAT | O_APPEND, 0600);
    has_parent_written = mmap(NULL, sizeof *has_parent_written, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_atfork(before_fork, after_fork, after_fork_child);
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child == 0) {
            (void)!write(forked_fd, "child\n", 6);
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    close(forked_fd);
}

static void clones(void)
{
    int one = open("one", O_WRONLY | O_CREAT, 0600), two = open("two", O_WRONLY | O_CREAT, 0600);
    (void)!write(one, "a", 1);
    (void)!write(two, "bc", 2);
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    (void)!write(one, "child", 5);
    (void)!write(two, "child too", 9);
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
}

static void *waits_for_writer(void *unused)
{
    int fd = open("fifo", O_RDONLY);
    (void)unused;
    printf("%ld\n", (long)read(fd, data, 3));
    close(fd);
    return NULL;
}

/* A thread waits in open() while the caller works. */
static pthread_t one_waits(void)
{
    pthread_t thread;
    mkfifo("fifo", 0600);
    pthread_create(&thread, NULL, waits_for_writer, NULL);
    usleep(20000);
    works((void *)(intptr_t)0);
    return thread;
}

static void waits(void)
{
    pthread_t thread = one_waits();
    int fd = open("fifo", O_WRONLY);
    (void)!write(fd, "abc", 3);
    pthread_join(thread, NULL);
    close(fd);
    unlink("fifo");
}

/* The end of the process ends the waiting open(). */
static void slow(void)
{
    (void)one_waits();
    pid_t child = fork();
    works((void *)(intptr_t)(child ? 1 : 2));
    if (child == 0)
        exit(0);
    waitpid(child, NULL, 0);
    unlink("fifo");
}

static void filled(void)
{
    int last = raise_limit() - FREE;
    printf("%ld\n", (long)write(last, "last", 4));
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        printf("%ld\n", (long)write(last - 1, "child", 5));
        exit(0);
    }
    waitpid(child, NULL, 0);
    printf("%d\n", close_range(3, ~0U, 0));
    printf("%ld %d\n", (long)write(last, "gone", 4), errno == EBADF);
}

/* By system calls, unseen by the agent, so that the program inherits unknown descriptors. */
static void full(void)
{
    int last = raise_limit() - FREE;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "file", O_RDWR | O_CREAT | O_APPEND, 0600);
    while (fd >= 0 && fd < last)
        fd = (int)syscall(SYS_dup, fd);
    execl("/proc/self/exe", "serial_io_hosts", "filled", NULL);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } modes[] = {{"closed", closed}, {"cancel", cancel},   {"interrupts", interrupts},
                 {"many", many},     {"passed", passed},   {"threads", threads},
                 {"jump", jump},     {"million", million}, {"forks", forks},
                 {"clones", clones}, {"waits", waits},     {"slow", slow},
                 {"full", full},     {"filled", filled}};
    if (argc < 2 || pipe(ends) != 0)
        return 2;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        if (strcmp(argv[1], modes[i].name) == 0)
            modes[i].run();
    return 0;
}
