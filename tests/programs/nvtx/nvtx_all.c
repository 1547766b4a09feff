/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that uses NVTX, by headers of the tests' own or, with REAL_NVTX, by NVTX's own. Prints
 * the expected content of its archive: a line "log THREAD EVENT..." for each thread, in order:
 *
 *     +KIND:TEXT[|CATEGORY|PAYLOAD]   a region is entered: KIND is r (range) or m (mark)
 *     -KIND:TEXT                      and left
 *     sN, eN                          the range N, which may overlap, begins; ends
 *
 * and "lane N TEXT" for each overlapping range. The lines are the same with and without a tool. The
 * program checks the results of calls and says "wrong".
 *
 *     nvtx_all all | bad | fork | many | killed | paused | signals | numbers | cost | probe |
 * random SEED
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <spur/spur.h>

#include "nvtx_log.h"

enum { THREADS = 4, STEPS = 400 };

/* ---- every call once ---- */

static void all(struct log *log)
{
    struct range range[3];
    push_plain(log, "outer");
    pushed(log, 0, nvtxRangePushW(L"w\u00efde"), "",
           "w\xc3\xaf"
           "de");
    nvtxMarkA("here");
    marked(log, 0, "", "here");
    nvtxMarkW(L"th\u00e9re");
    marked(log, 0, "", "th\xc3\xa9re");
    for (int i = 0; i < 84; i++) {
        push_event(log, i % DOMAINS, i);
        mark_event(log, i % DOMAINS, i + 1);
        if (i % 3 == 0)
            pop_of(log, i % DOMAINS);
        if (log->depth > DEEP - 4)
            pop_of(log, (i + 1) % DOMAINS);
    }
    started(log, &range[0], nvtxRangeStartA("a"), 0, "", "a");
    started(log, &range[1], nvtxRangeStartW(L"\u00e4"), 0, "", "\xc3\xa4");
    start_event(log, &range[2], 2, 5);
    end_range(log, &range[0], 0);
    end_range(log, &range[2], 2);
    started(log, &range[0], nvtxRangeStartA("a"), 0, "", "a");
    end_range(log, &range[0], 0);
    end_range(log, &range[1], 1);
    while (log->depth > 0)
        pop_of(log, log->stack[log->depth - 1].owner);
    nvtxDomainDestroy(domain[2]);
    push_plain(log, "left open");
}

/* ---- wrong arguments and calls ---- */

/* Texts are cut between two characters: at 511 bytes, domains and wide texts at 255. */
static void too_long(struct log *log)
{
    enum { LENGTH = 1000, DOMAIN = 127, TEXT = 255, WIDE = 126 };
    char text[2 * LENGTH + 1] = "";
    wchar_t wide[LENGTH + 1];
    nvtxEventAttributes_t event = {.version = NVTX_VERSION, .size = sizeof event};
    for (int i = 0; i < LENGTH; i++) {
        memcpy(text + 2 * i, "\xc3\xa4", 3);
        wide[i] = L'\u00e4';
    }
    wide[LENGTH] = 0;
    event.messageType = NVTX_MESSAGE_TYPE_ASCII;
    event.message.ascii = text;
    nvtxDomainMarkEx(nvtxDomainCreateA(text), &event);
    fprintf(log->out, "\t+m:%.*s:%.*s\t-m:%.*s:%.*s", 2 * DOMAIN, text, 2 * TEXT, text, 2 * DOMAIN,
            text, 2 * TEXT, text);
    nvtxMarkW(wide);
    fprintf(log->out, "\t+m:%.*s\t-m:%.*s", 2 * WIDE, text, 2 * WIDE, text);
}

static void bad(struct log *log)
{
    struct event e;
    struct range range;
    nvtxSyncUserAttributes_t sync;
    nvtxResourceAttributes_t resource = {.version = NVTX_VERSION, .size = sizeof resource};
    memset(&sync, 0, sizeof sync);
    errno = EDOM;
    pop_of(log, 0);
    pop_of(log, 1);
    nvtxRangeEnd(0);
    nvtxRangeEnd(1);
    nvtxRangeEnd(UINT64_MAX);
    nvtxDomainRangeEnd(domain[1], 12345678);
    pushed(log, 0, nvtxRangePushA(NULL), "", "(no text)");
    pushed(log, 0, nvtxRangePushW(NULL), "", "(no text)");
    pushed(log, 0, nvtxRangePushEx(NULL), "", "(no text)");
    make_event(&e, 0, 3);
    e.event.messageType = 77;
    pushed(log, 0, nvtxRangePushEx(&e.event), e.more, "(no text)");
    e.event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    e.event.message.registered = (nvtxStringHandle_t)(uintptr_t)0x7fffffffffff;
    pushed(log, 0, nvtxRangePushEx(&e.event), e.more, "(no text)");
    e.event.size = 0; /* counts as full */
    pushed(log, 0, nvtxRangePushEx(&e.event), e.more, "(no text)");
    e.event.size = 16; /* without payload and text */
    pushed(log, 0, nvtxRangePushEx(&e.event), "", "(no text)");
    make_event(&e, 1, 3);
    e.event.payloadType = 99;
    e.event.category = 0;
    int got = nvtxDomainRangePushEx((nvtxDomainHandle_t)(uintptr_t)0x7fffffffffff, &e.event);
    pushed(log, 0, got, "", e.text); /* the default domain */
    pushed(log, 0, nvtxRangePushA(""), "", "");
    nvtxMarkA("twice");
    marked(log, 0, "", "twice");
    nvtxMarkA("twice");
    marked(log, 0, "", "twice");
    too_long(log);
    started(log, &range, nvtxRangeStartA(NULL), 0, "", "(no text)");
    nvtxRangeId_t id = range.id;
    end_range(log, &range, 0);
    nvtxRangeEnd(id);
    nvtxNameCategoryA(9, NULL);
    nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), NULL);
    nvtxNameOsThreadA(1, "init");
    (void)nvtxDomainResourceCreate(domain[1], NULL);
    nvtxDomainResourceDestroy(nvtxDomainResourceCreate(domain[1], &resource));
    if (nvtxDomainSyncUserCreate(domain[1], &sync))
        printf("wrong: a handle for synchronisation\n");
    nvtxDomainSyncUserAcquireStart(NULL);
#ifndef REAL_NVTX
    nvtxNameCudaStreamA(NULL, "stream");
    nvtxNameCuDeviceA(0, "device");
    nvtxNameClCommandQueueA(NULL, "queue");
#endif
    nvtxInitialize(NULL);
    if (errno != EDOM)
        wrong("errno", errno, EDOM);
}

/* ---- very many texts, ranges and domains ---- */

enum { TEXTS = 17000, OPEN = 200, MANY_DOMAINS = 300 };

static void many(void)
{
    char text[TEXT_BYTES];
    nvtxRangeId_t id[OPEN];
    struct event e;
    for (int i = 0; i < TEXTS; i++) {
        snprintf(text, sizeof text, "text %d", i);
        nvtxRangePushA(text);
        nvtxRangePop();
    }
    for (int i = 0; i < OPEN; i++)
        id[i] = nvtxRangeStartA("one of many");
    for (int i = 0; i < OPEN; i++)
        nvtxRangeEnd(id[i]);
    make_event(&e, 0, 0);
    for (int i = 0; i < MANY_DOMAINS; i++) {
        snprintf(text, sizeof text, "domain %d", i);
        nvtxDomainMarkEx(nvtxDomainCreateA(text), &e.event);
    }
}

/* ---- drawn ---- */

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void step(struct log *log, uint64_t *state)
{
    int what = (int)(draw(state) % 8), owner = (int)(draw(state) % DOMAINS);
    int number = (int)(draw(state) % 1000);
    if (what < 3 && log->depth < DEEP - 1)
        push_event(log, owner, number);
    else if (what < 6)
        pop_of(log, owner);
    else if (what == 6)
        mark_event(log, owner, number);
    else
        one_range(log, owner, (int)(draw(state) % POOL), number);
}

struct worker {
    uint64_t seed;
    int number;
    _Atomic int tid;
    _Atomic int go_on;
    pthread_t thread;
};

static void *work(void *arg)
{
    struct worker *worker = arg;
    struct log log;
    char name[32];
    snprintf(name, sizeof name, "worker %d", worker->number);
    atomic_store(&worker->tid, (int)syscall(SYS_gettid));
    while (!atomic_load(&worker->go_on))
        sched_yield();
    begin_log(&log, name);
    for (int i = 0; i < STEPS; i++)
        step(&log, &worker->seed);
    pthread_mutex_lock(&pool_lock);
    end_log(&log);
    pthread_mutex_unlock(&pool_lock);
    return NULL;
}

/* The main thread gives the names, in each possible way. */
static void name_worker(struct worker *worker)
{
    char name[32];
    nvtxResourceAttributes_t resource = {.version = NVTX_VERSION, .size = sizeof resource};
    snprintf(name, sizeof name, "worker %d", worker->number);
    resource.messageType = NVTX_MESSAGE_TYPE_ASCII;
    resource.message.ascii = name;
    if (worker->number % 3 == 0) {
        nvtxNameOsThreadA((uint32_t)atomic_load(&worker->tid), name);
        return;
    }
    resource.identifierType = worker->number % 3 == 1 ? NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE
                                                      : NVTX_RESOURCE_TYPE_GENERIC_THREAD_POSIX;
    resource.identifier.ullValue =
        worker->number % 3 == 1 ? (uint64_t)atomic_load(&worker->tid) : (uint64_t)worker->thread;
    (void)nvtxDomainResourceCreate(domain[1], &resource);
}

static void drawn(struct log *log, uint64_t seed)
{
    struct worker worker[THREADS];
    for (int i = 0; i < THREADS; i++) {
        worker[i] = (struct worker){.seed = seed * 1000 + (uint64_t)i + 1, .number = i};
        pthread_create(&worker[i].thread, NULL, work, &worker[i]);
        while (!atomic_load(&worker[i].tid))
            sched_yield();
        name_worker(&worker[i]);
    }
    for (int i = 0; i < THREADS; i++)
        atomic_store(&worker[i].go_on, 1);
    for (int i = 0; i < STEPS; i++)
        step(log, &seed);
    for (int i = 0; i < THREADS; i++)
        pthread_join(worker[i].thread, NULL);
}

/* ---- a child ends its parent's ranges, and begins new ranges itself ---- */

static void forked(struct log *log)
{
    struct range range;
    push_plain(log, "before");
    push_event(log, 1, 8);
    started(log, &range, nvtxRangeStartA("of the parent"), 0, "", "of the parent");
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct log mine;
        begin_log(&mine, "child");
        nvtxNameOsThreadA((uint32_t)getpid(), "child");
        nvtxRangeEnd(range.id);
        int got = nvtxDomainRangePop(domain[1]);
        if (got != (has_tool ? 0 : -2))
            wrong("level of the parent's range", got, 0);
        nvtxRangePop();
        push_plain(&mine, "in the child");
        push_event(&mine, 1, 8);
        pop_of(&mine, 1);
        started(&mine, &range, nvtxRangeStartA("of the child"), 0, "", "of the child");
        printf("lane\t%d\tof the child\n", range.number);
        end_range(&mine, &range, 0);
        pop_of(&mine, 0);
        end_log(&mine);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    end_range(log, &range, 0);
    pop_of(log, 1);
    pop_of(log, 0);
}

/* ---- ends that nobody has asked for, and pauses ---- */

static void killed(void)
{
    nvtxRangePushA("open");
    (void)nvtxRangeStartA("overlapping");
    fflush(stdout);
    raise(SIGKILL);
}

static void paused(void)
{
    nvtxRangePushA("before");
    nvtxRangeId_t before = nvtxRangeStartA("before"), still = nvtxRangeStartA("still");
    spur_user_off();
    nvtxRangePushA("within");
    nvtxRangeId_t within = nvtxRangeStartA("within");
    nvtxMarkA("within");
    nvtxRangePop();
    nvtxRangePop();
    nvtxRangeEnd(before);
    nvtxRangePushA("over");
    spur_user_on();
    nvtxRangePop();
    nvtxRangeEnd(within);
    nvtxRangePushA("after");
    nvtxRangeEnd(nvtxRangeStartA("after"));
    nvtxRangePop();
    nvtxRangeEnd(still);
}

/* ---- signal handlers call NVTX while NVTX runs ---- */

/* Handlers that have run, and handlers that ran between two calls of NVTX. */
static _Atomic int handled, handled_between;
static _Atomic bool in_call;
static nvtxStringHandle_t in_handler;

static void on_alarm(int number)
{
    (void)number;
    nvtxEventAttributes_t event = {.version = NVTX_VERSION, .size = sizeof event};
    event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    event.message.registered = in_handler;
    nvtxRangePushA("handler");
    nvtxDomainMarkEx(domain[2], &event);
    nvtxRangeEnd(nvtxDomainRangeStartEx(domain[2], &event));
    nvtxRangePop();
    atomic_fetch_add(&handled, 1);
    atomic_fetch_add(&handled_between, !atomic_load(&in_call));
}

/*
 * Calls of a handler are not recorded while a call of NVTX is being recorded. Where signals take
 * long, most handlers interrupt a call of NVTX: the loop ends after enough handlers between calls.
 */
static void signals(void)
{
    enum { MICROSECONDS = 50, TIMES = 600, BETWEEN = 50 };
    struct itimerval timer = {{0, MICROSECONDS}, {0, MICROSECONDS}};
    char text[TEXT_BYTES];
    in_handler = nvtxDomainRegisterStringA(domain[2], "handler");
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &timer, NULL);
    for (int i = 0; atomic_load(&handled) < TIMES || atomic_load(&handled_between) < BETWEEN; i++) {
        snprintf(text, sizeof text, "text %d", i % 3000);
        atomic_store(&in_call, true);
        nvtxRangePushA(text);
        nvtxRangeEnd(nvtxRangeStartA("overlapping"));
        nvtxRangePop();
        atomic_store(&in_call, false);
    }
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
}

/* ---- numbers at the end of texts: "said NAME|KEY=NUMBER...", in the order of the ranges ---- */

static void say(const char *text, const char *name, const char *numbers)
{
    nvtxRangePushA(text);
    nvtxRangePop();
    printf("said %s|%s\n", name, numbers);
}

/* In PyTorch's form, the sizes of an operation's arguments: longer than a name may be. */
static void say_long(void)
{
    enum { TENSORS = 300 };
    char text[TENSORS * 12 + TEXT_BYTES];
    int n = sprintf(text, "aten::cat, op_id = 7, sizes = [");
    for (int i = 0; i < TENSORS; i++)
        n += sprintf(text + n, "[%d, %d], ", i, i + 1);
    sprintf(text + n, "[]], seq = 3");
    say(text, "aten::cat", "op_id=7 seq=3");
}

static void numbers(void)
{
    enum { CALLS = 20000 };
    char text[TEXT_BYTES];
    printf("said first|\n"); /* the program's own */
    for (int i = 0; i < CALLS; i++) {
        snprintf(text, sizeof text, "aten::mm, seq = %d, op_id = %d", i, 2 * i);
        nvtxRangePushA(text);
        nvtxRangePop();
    }
    printf("calls %d\n", CALLS);
    say("autograd::f: MmBackward0, seq = 12", "autograd::f: MmBackward0", "seq=12");
    say("aten::add, op_id = 9, sizes = [[2, 3], []], input_op_ids = [(4,0), (5,1)]", "aten::add",
        "op_id=9");
    say("below, seq = -1, a1 = 9223372036854775807", "below", "seq=-1 a1=9223372036854775807");
    say("three, a1 = 1, b = 2, c = 3", "three", "a1=1 b=2");
    say_long();
    /* Texts whose ends are not keys and whole numbers throughout. */
    say("rate, dt = 0.5", "rate, dt = 0.5", "");
    say("wide, seq = 9223372036854775808", "wide, seq = 9223372036854775808", "");
    say("words, seq = 1, and more", "words, seq = 1, and more", "");
    say("tight,seq=1", "tight,seq=1", "");
    say("no, 1a = 1", "no, 1a = 1", "");
    say("end, seq = ", "end, seq = ", "");
    say(", seq = 5", ", seq = 5", "");
    nvtxEventAttributes_t event = {.version = NVTX_VERSION, .size = sizeof event};
    event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    event.message.registered = nvtxDomainRegisterStringA(domain[1], "fixed, seq = 1");
    nvtxDomainMarkEx(domain[1], &event);
    printf("said solver:fixed, seq = 1|\n");
    nvtxMarkW(L"w\u00efde, seq = 8");
    printf("said w\xc3\xaf"
           "de|seq=8\n");
    nvtxRangeEnd(nvtxRangeStartA("lane, seq = 6, op_id = 7"));
    printf("lane lane|seq=6 op_id=7\n");
}

/* ---- costs: nanoseconds for a push and a pop, the best of several runs ---- */

static void cost(void)
{
    enum { TIMES = 20, EACH = 20000 };
    double best = 1e9;
    for (int i = 0; i < TIMES; i++) {
        struct timespec begin, end;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        for (int k = 0; k < EACH; k++) {
            nvtxRangePushA("a range with a text");
            nvtxRangePop();
        }
        clock_gettime(CLOCK_MONOTONIC, &end);
        double ns =
            (double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec);
        best = ns / EACH < best ? ns / EACH : best;
    }
    printf("%.1f ns\n", best);
}

static const struct {
    const char *name;
    void (*run)(struct log *log);
} with_log[] = {{"all", all}, {"bad", bad}, {"fork", forked}};

static const struct {
    const char *name;
    void (*run)(void);
} modes[] = {{"many", many},       {"killed", killed}, {"paused", paused},
             {"signals", signals}, {"cost", cost},     {"numbers", numbers}};

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "all";
    struct log log;
    if (strcmp(mode, "probe") == 0) {
        pthread_mutex_lock(&pool_lock); /* something is recorded */
        printf("%d\n", nvtxRangePushA("probe"));
        pthread_mutex_unlock(&pool_lock);
        return 0;
    }
    begin(&log);
    if (strcmp(mode, "random") == 0)
        drawn(&log, strtoull(argv[2], NULL, 10));
    for (size_t i = 0; i < sizeof with_log / sizeof with_log[0]; i++)
        if (strcmp(mode, with_log[i].name) == 0)
            with_log[i].run(&log);
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        if (strcmp(mode, modes[i].name) == 0)
            modes[i].run();
    finish(&log);
    return 0;
}
