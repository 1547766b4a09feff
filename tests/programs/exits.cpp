// SPDX-License-Identifier: BSD-3-Clause
/*
 * Every way to end: `exits MODE [thread]`. The main thread locks and unlocks a mutex 5 times, and
 * another thread does so 3 times and then waits for a mutex for ever; then the process ends as MODE
 * says. With `thread` a thread does what the main thread does else, which waits for it.
 * `exits --list` prints a line for each mode: its name, the status that is expected of it, a number
 * or a signal's name, and the places that it can be done in.
 *
 * With MPI: `exits.mpich MODE PLACE FILE`. The ranks pass rounds in a ring and count their calls in
 * FILE; then rank 1 ends as MODE says while rank 0 is in MPI_Recv and the others in MPI_Allreduce.
 */
#ifdef WITH_MPI
#include <mpi.h>
#endif

#include <cassert>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef WITH_MPI
#include "kill_counts.h"
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t kept = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t started;
static sigjmp_buf back;
static char alternate[1 << 16];

static void lock(int times)
{
    for (int i = 0; i < times; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
}

static void *waits(void *unused)
{
    lock(3);
    pthread_barrier_wait(&started);
    pthread_mutex_lock(&kept); // the main thread has it
    return unused;
}

static void start_waiting(void)
{
    pthread_t thread;
    pthread_barrier_init(&started, nullptr, 2);
    pthread_mutex_lock(&kept);
    pthread_create(&thread, nullptr, waits, nullptr);
    pthread_barrier_wait(&started);
}

/* ---- means ---- */

static void on(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigaction(number, &action, nullptr);
}

static void on_alternate(int number, void (*handler)(int))
{
    stack_t stack = {};
    stack.ss_sp = alternate;
    stack.ss_size = sizeof alternate;
    sigaltstack(&stack, nullptr);
    on(number, handler, SA_ONSTACK);
}

static void soon(int number) // SIGALRM, when the process waits in a wrapped call
{
    struct itimerval time = {{0, 0}, {0, 20000}};
    (void)number;
    setitimer(ITIMER_REAL, &time, nullptr);
}

static void wait_for_ever()
{
    pthread_mutex_lock(&mutex);
    for (;;)
        pthread_cond_wait(&never, &mutex);
}

static void in_thread(void *(*body)(void *))
{
    pthread_t thread;
    pthread_create(&thread, nullptr, body, nullptr);
    pthread_join(thread, nullptr);
}

static void fault()
{
    volatile int *nowhere = reinterpret_cast<volatile int *>(16);
    *nowhere = 1;
}

static void default_again(int number)
{
    signal(number, SIG_DFL);
}

/* Reads what lies behind the end of a file. */
static void touch_cut_file()
{
    char name[] = "/tmp/exits.XXXXXX";
    int fd = mkstemp(name);
    unlink(name);
    volatile char *at =
        static_cast<volatile char *>(mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fd, 0));
    (void)at[0];
}

__attribute__((noinline)) static int overflow(volatile int *up)
{
    volatile int here[1024];
    here[0] = *up + 1;
    return (here[0] < 0 ? 0 : overflow(here)) + here[0];
}

static void divide()
{
    volatile int zero = 0, seven = 7;
#if defined(__x86_64__)
    zero = seven / zero;
#else
    raise(SIGFPE);
#endif
}

static void illegal()
{
#if defined(__x86_64__)
    __asm__ volatile("ud2");
#else
    raise(SIGILL);
#endif
}

static void trap()
{
#if defined(__x86_64__)
    __asm__ volatile("int3");
#else
    raise(SIGTRAP);
#endif
}

static void write_to_nobody()
{
    int ends[2];
    if (pipe(ends) == 0) {
        close(ends[0]);
        (void)!write(ends[1], "x", 1);
    }
}

/* ---- the modes ---- */

struct dies_badly {
    ~dies_badly() noexcept(false)
    {
        throw std::runtime_error("in a destructor");
    }
};

struct raises {
    ~raises()
    {
        raise(SIGUSR1);
    }
};

static struct at_the_end {
    void (*call)() = nullptr;
    ~at_the_end()
    {
        if (call)
            call();
    }
} at_the_end;

static void exit_42(int)
{
    exit(42);
}
static void _exit_42(int)
{
    _exit(42);
}
static void abort_now(int)
{
    abort();
}
static void jump_back(int)
{
    siglongjmp(back, 1);
}
static void *thread_exits(void *)
{
    lock(1), exit(42);
}
static void *thread__exits(void *)
{
    lock(1), _exit(42);
}
static void *thread_aborts(void *)
{
    lock(1), abort();
}
static void *thread_faults(void *data)
{
    lock(1), fault();
    return data;
}
static void *thread_ends(void *data)
{
    usleep(20000), lock(1);
    return data;
}
static void *thread_ends_later(void *)
{
    usleep(20000), lock(1), exit(42);
}

/* Runs a child that ends as `mode` does, and waits for it by one of the functions for that. */
static void be_parent(const char *how, void (*child)());

#define MODES(MODE)                                                                                \
    MODE(return, "42", return )                                                                    \
    MODE(exit, "42", exit(42))                                                                     \
    MODE(_exit, "42", _exit(42))                                                                   \
    MODE(_Exit, "42", _Exit(42))                                                                   \
    MODE(quick_exit, "42", quick_exit(42))                                                         \
    MODE(quick_exit_handler, "42", at_quick_exit([] { lock(1); }), quick_exit(42))                 \
    MODE(quick_exit_aborts, "SIGABRT", at_quick_exit([] { abort(); }), quick_exit(42))             \
    MODE(raw_exit, "42", syscall(SYS_exit_group, 42))                                              \
    MODE(abort, "SIGABRT", abort())                                                                \
    MODE(abort_ignored, "SIGABRT", signal(SIGABRT, SIG_IGN), abort())                              \
    MODE(abort_handler, "42", signal(SIGABRT, _exit_42), abort())                                  \
    MODE(abort_jump, "SIGKILL", signal(SIGABRT, jump_back); if (!sigsetjmp(back, 1)) abort();      \
         lock(1), kill(getpid(), SIGKILL))                                                         \
    MODE(assert, "SIGABRT", assert(kept.__data.__lock == 7))                                       \
    MODE(terminate, "SIGABRT", std::terminate())                                                   \
    MODE(uncaught, "SIGABRT", throw std::runtime_error("nobody catches this"))                     \
    MODE(uncaught_thread, "SIGABRT", std::thread([] {                                              \
                                         lock(1);                                                  \
                                         throw 1;                                                  \
                                     }).join())                                                    \
    MODE(uncaught_destructor, "SIGABRT", dies_badly dies)                                          \
    MODE(raise_destructor, "SIGUSR1", raises dies)                                                 \
    MODE(segv, "SIGSEGV", fault())                                                                 \
    MODE(segv_thread, "SIGSEGV", in_thread(thread_faults))                                         \
    MODE(segv_handler, "42", on(SIGSEGV, _exit_42, 0), fault())                                    \
    MODE(segv_handler_exit, "42", on(SIGSEGV, exit_42, 0), fault())                                \
    MODE(segv_handler_again, "SIGSEGV", on(SIGSEGV, default_again, 0), fault())                    \
    MODE(segv_handler_jump, "42", on(SIGSEGV, jump_back, 0); if (!sigsetjmp(back, 1)) fault();     \
         lock(1), exit(42))                                                                        \
    MODE(segv_alternate, "42", on_alternate(SIGSEGV, _exit_42), fault())                           \
    MODE(segv_alternate_again, "SIGSEGV", on_alternate(SIGSEGV, default_again), fault())           \
    MODE(overflow, "SIGSEGV", volatile int top = 0; overflow(&top))                                \
    MODE(overflow_alternate, "42", on_alternate(SIGSEGV, _exit_42); volatile int top = 0;          \
         overflow(&top))                                                                           \
    MODE(bus, "SIGBUS", touch_cut_file())                                                          \
    MODE(bus_handler, "42", on(SIGBUS, _exit_42, 0), touch_cut_file())                             \
    MODE(fpe, "SIGFPE", divide())                                                                  \
    MODE(fpe_handler, "42", on(SIGFPE, _exit_42, 0), divide())                                     \
    MODE(ill, "SIGILL", illegal())                                                                 \
    MODE(ill_handler, "42", on_alternate(SIGILL, _exit_42), illegal())                             \
    MODE(trap, "SIGTRAP", trap())                                                                  \
    MODE(sys, "SIGSYS", raise(SIGSYS))                                                             \
    MODE(term, "SIGTERM", kill(getpid(), SIGTERM), wait_for_ever())                                \
    MODE(term_handler, "42", signal(SIGTERM, exit_42), kill(getpid(), SIGTERM))                    \
    MODE(int, "SIGINT", raise(SIGINT))                                                             \
    MODE(hup, "SIGHUP", raise(SIGHUP))                                                             \
    MODE(quit, "SIGQUIT", raise(SIGQUIT))                                                          \
    MODE(usr1, "SIGUSR1", raise(SIGUSR1))                                                          \
    MODE(xcpu, "SIGXCPU", raise(SIGXCPU))                                                          \
    MODE(xfsz, "SIGXFSZ", raise(SIGXFSZ))                                                          \
    MODE(pipe, "SIGPIPE", write_to_nobody())                                                       \
    MODE(alarm, "SIGALRM", soon(SIGALRM), wait_for_ever())                                         \
    MODE(realtime, "SIGRTMIN", raise(SIGRTMIN))                                                    \
    MODE(kill, "SIGKILL", kill(getpid(), SIGKILL))                                                 \
    MODE(exit_handler, "42", signal(SIGALRM, exit_42), soon(SIGALRM), wait_for_ever())             \
    MODE(_exit_handler, "42", signal(SIGALRM, _exit_42), soon(SIGALRM), wait_for_ever())           \
    MODE(abort_in_call, "SIGABRT", signal(SIGALRM, abort_now), soon(SIGALRM), wait_for_ever())     \
    MODE(exit_in_once, "42", static pthread_once_t once; pthread_once(&once, [] { exit(42); }))    \
    MODE(_exit_in_once, "42", static pthread_once_t once; pthread_once(&once, [] { _exit(42); }))  \
    MODE(abort_in_once, "SIGABRT", static pthread_once_t once;                                     \
         pthread_once(&once, [] { lock(1), abort(); }))                                            \
    MODE(kill_in_once, "SIGKILL", static pthread_once_t once;                                      \
         pthread_once(&once, [] { lock(1), raise(SIGKILL); }))                                     \
    MODE(thread_exit, "42", in_thread(thread_exits))                                               \
    MODE(thread__exit, "42", in_thread(thread__exits))                                             \
    MODE(thread_abort, "SIGABRT", in_thread(thread_aborts))                                        \
    MODE(atexit_exit, "42", atexit([] { lock(1), exit(42); }), exit(7))                            \
    MODE(atexit__exit, "42", atexit([] { lock(1), _exit(42); }), exit(7))                          \
    MODE(atexit_abort, "SIGABRT", atexit([] { lock(1), abort(); }), exit(7))                       \
    MODE(atexit_segv, "SIGSEGV", atexit([] { lock(1), fault(); }), exit(7))                        \
    MODE(                                                                                          \
        static_exit, "42", at_the_end.call = [] { lock(1), exit(42); }; exit(7))                   \
    MODE(                                                                                          \
        static_abort, "SIGABRT", at_the_end.call = [] { lock(1), abort(); }; exit(7))              \
    MODE(                                                                                          \
        static_kill, "SIGKILL", at_the_end.call = [] { lock(1), raise(SIGKILL); }; exit(7))        \
    MODE(wait, "42", be_parent("wait", [] { raise(SIGTERM); }))                                    \
    MODE(waitpid, "42", be_parent("waitpid", [] { abort(); }))                                     \
    MODE(wait3, "42", be_parent("wait3", [] { raise(SIGKILL); }))                                  \
    MODE(wait4, "42", be_parent("wait4", [] { fault(); }))                                         \
    MODE(waitid, "42", be_parent("waitid", [] { raise(SIGBUS); }))                                 \
    MODE(waitid_raw_exit, "42", be_parent("waitid", [] { syscall(SYS_exit_group, 7); }))           \
    MODE(nobody_waits, "42", be_parent("", [] { raise(SIGINT); }))

/* Without the thread that waits for ever: the process ends with its last thread. */
#define LONELY_MODES(MODE)                                                                         \
    MODE(pthread_exit, "0", pthread_exit(nullptr))                                                 \
    MODE(pthread_exit_others, "0", std::thread([] { thread_ends(nullptr); }).detach();             \
         pthread_exit(nullptr))                                                                    \
    MODE(pthread_exit_exit, "42", std::thread([] { thread_ends_later(nullptr); }).detach();        \
         pthread_exit(nullptr))

#define FUNCTION(name, status, ...)                                                                \
    static void mode_##name()                                                                      \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }
MODES(FUNCTION)
LONELY_MODES(FUNCTION)

#ifdef WITH_MPI
#define MPI_MODES(MODE)                                                                            \
    MODE(MPI_Abort, "7", MPI_Abort(MPI_COMM_WORLD, 7))                                             \
    MODE(MPI_Abort_self, "7", MPI_Abort(MPI_COMM_SELF, 7))
MPI_MODES(FUNCTION)
#else
#define MPI_MODES(MODE)
#endif

static const struct mode {
    const char *name;
    const char *status;
    bool is_lonely;
    void (*run)();
} modes[] = {
#define ROW(name, status, ...) {#name, status, false, mode_##name},
#define LONELY_ROW(name, status, ...) {#name, status, true, mode_##name},
    MODES(ROW) MPI_MODES(ROW) LONELY_MODES(LONELY_ROW)};

static void be_parent(const char *how, void (*child)())
{
    int status = 0;
    siginfo_t info;
    pid_t pid = fork();
    if (pid == 0) {
        lock(2);
        child();
        _exit(1);
    }
    lock(1);
    if (strcmp(how, "wait") == 0)
        wait(&status);
    else if (strcmp(how, "waitpid") == 0)
        waitpid(pid, &status, 0);
    else if (strcmp(how, "wait3") == 0)
        wait3(nullptr, 0, nullptr);
    else if (strcmp(how, "wait4") == 0)
        wait4(pid, &status, 0, nullptr);
    else if (strcmp(how, "waitid") == 0)
        waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED);
    else
        usleep(50000);
    exit(42);
}

static void be(const struct mode *mode)
{
    if (!mode->is_lonely)
        start_waiting();
    lock(5);
    printf("%s\n", mode->name);
    mode->run();
}

static void *be_in_thread(void *mode)
{
    be(static_cast<const struct mode *>(mode));
    return nullptr;
}

#ifdef WITH_MPI

enum { ROUNDS = 50, VICTIM = 1, ALONE_US = 20000 };

/* The others: until they are killed. */
static void wait_in_call(struct kill_count *count, int rank)
{
    int got = 0, sum = 0;
    if (rank == 0)
        COUNTED(count, MPI_Recv(&got, 1, MPI_INT, VICTIM, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    else
        COUNTED(count, MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    for (;;)
        pause();
}

static void be_rank(int *argc, char ***argv)
{
    int rank, size, level, got;
    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    struct kill_count *count = &kill_counts_open((*argv)[3])[rank];
    count->pid = static_cast<uint64_t>(getpid());
    for (int i = 0; i < ROUNDS; i++)
        COUNTED(count,
                MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT,
                             (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    if (rank != VICTIM)
        wait_in_call(count, rank);
    for (const struct kill_count *at = count - rank; at < count - rank + size; at++)
        while (at != count && at->begun <= ROUNDS)
            usleep(ALONE_US / ROUNDS);
    usleep(ALONE_US);
}

#endif

static void list(void)
{
    for (const struct mode &mode : modes)
        printf("%s %s %s\n", mode.name, mode.status, mode.is_lonely ? "main" : "main thread");
}

int main(int argc, char **argv)
{
    const struct mode *mode = modes;
    pthread_t thread;
    setvbuf(stdout, nullptr, _IONBF, 0);
    if (argc < 2 || strcmp(argv[1], "--list") == 0) {
        list();
        return 0;
    }
    while (strcmp(argv[1], mode->name) != 0)
        if (++mode == modes + sizeof modes / sizeof modes[0])
            return 2;
#ifdef WITH_MPI
    be_rank(&argc, &argv);
#endif
    if (argc > 2 && strcmp(argv[2], "thread") == 0) {
        pthread_create(&thread, nullptr, be_in_thread, const_cast<struct mode *>(mode));
        pthread_join(thread, nullptr);
    } else {
        be(mode);
    }
    return 42;
}
