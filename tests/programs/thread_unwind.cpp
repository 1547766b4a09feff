// SPDX-License-Identifier: BSD-3-Clause
// Wrapped calls that are left in other ways than by returning: exceptions and jumps out of the
// routines of once functions, out of signal handlers, and cancellation with destructors to run.
// After each, `mark` is locked: at that time no region may be open.
#include <atomic>
#include <condition_variable>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <pthread.h>
#include <semaphore.h>
#include <stdexcept>
#include <threads.h>
#include <unistd.h>

static std::mutex mark;
static sem_t never, ready;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static std::atomic<int> destroyed;

static void is_outside()
{
    std::lock_guard<std::mutex> guard(mark);
}

// ---- once ----

static pthread_once_t thrown_at[2] = {PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT};
static pthread_once_t jumped_from = PTHREAD_ONCE_INIT;
static once_flag c11_flag = ONCE_FLAG_INIT;
static jmp_buf from_once;

static void uses_lock()
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

static void throws()
{
    uses_lock();
    throw std::runtime_error("from a routine in a routine");
}

static void calls_once()
{
    pthread_once(&thrown_at[1], throws);
}

static void jumps()
{
    uses_lock();
    longjmp(from_once, 1);
}

static void once()
{
    try {
        pthread_once(&thrown_at[0], calls_once);
    } catch (const std::runtime_error &error) {
        std::puts(error.what());
    }
    is_outside();
    if (setjmp(from_once) == 0)
        pthread_once(&jumped_from, jumps);
    is_outside();
    call_once(&c11_flag, uses_lock);
    call_once(&c11_flag, uses_lock);
    is_outside();

    std::once_flag flag;
    int tries = 0;
    for (int i = 0; i < 4; i++) {
        try {
            std::call_once(flag, [&tries] {
                if (tries++ < 2)
                    throw tries;
            });
        } catch (int number) {
            std::printf("try %d\n", number);
        }
    }
    is_outside();
}

// ---- out of signal handlers ----

static sigjmp_buf from_handler;
static volatile sig_atomic_t way;

static void on_alarm(int)
{
    if (way == 0)
        siglongjmp(from_handler, 1);
    throw std::runtime_error("from a signal handler");
}

static void handlers()
{
    struct sigaction action = {};
    action.sa_handler = on_alarm;
    action.sa_flags = SA_NODEFER; // who throws does not restore the mask
    sigaction(SIGALRM, &action, nullptr);
    if (sigsetjmp(from_handler, 1) == 0) {
        ualarm(20000, 0);
        sem_wait(&never);
    }
    is_outside();

    way = 1;
    try {
        ualarm(20000, 0);
        sem_wait(&never);
    } catch (const std::runtime_error &error) {
        std::puts(error.what());
    }
    is_outside();
}

// On a stack of its own, with a jump that stays on it: what the signal interrupts goes on.
static void jumps_within(int)
{
    jmp_buf here;
    if (setjmp(here) == 0)
        longjmp(here, 1);
}

static void other_stack()
{
    static char bytes[65536];
    stack_t stack = {};
    stack.ss_sp = bytes;
    stack.ss_size = sizeof bytes;
    sigaltstack(&stack, nullptr);
    struct sigaction action = {};
    action.sa_handler = jumps_within;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGALRM, &action, nullptr);
    ualarm(20000, 0);
    std::printf("interrupted %d\n", sem_wait(&never));
    is_outside();
}

// ---- cancellation ----

struct Holder {
    Holder() { pthread_mutex_lock(&mutex); }
    ~Holder()
    {
        pthread_mutex_unlock(&mutex);
        destroyed++;
        is_outside();
    }
};

static void *waits(void *)
{
    Holder holder;
    sem_post(&ready);
    for (;;)
        pthread_cond_wait(&cond, &mutex);
}

static void waits_once()
{
    sem_post(&ready);
    sem_wait(&never);
}

static void *waits_in_once(void *)
{
    static pthread_once_t control = PTHREAD_ONCE_INIT;
    struct Counted {
        ~Counted()
        {
            destroyed++;
            is_outside();
        }
    } counted;
    pthread_once(&control, waits_once);
    return nullptr;
}

static void cancel(void *(*start)(void *))
{
    pthread_t thread;
    void *value = nullptr;
    pthread_create(&thread, nullptr, start, nullptr);
    sem_wait(&ready);
    if (start == waits) { // with the mutex in hand it is known to wait
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    pthread_cancel(thread);
    pthread_join(thread, &value);
    std::printf("cancelled %d, destroyed %d\n", value == PTHREAD_CANCELED, destroyed.load());
}

int main()
{
    sem_init(&never, 0, 0);
    sem_init(&ready, 0, 0);
    once();
    handlers();
    other_stack();
    cancel(waits);
    cancel(waits_in_once);
    return 0;
}
