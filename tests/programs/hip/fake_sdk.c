/* SPDX-License-Identifier: BSD-3-Clause */
/* rocprofiler-sdk: a tool is made known, and is told what the runtime tells. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fake_hip.h"

enum { OK, FAILED, LOCKED = 16, RECORDS = 4096, RECORD_BYTES = 192, AGENT_BYTES = 304 };
enum { BUFFER = 77, CONTEXT = 33 };

struct id {
    uint64_t handle;
};
struct tool {
    size_t size;
    int (*start)(void *end, void *data);
    void (*end)(void *data);
    void *data;
};
struct call {
    uint64_t context, thread, correlation, external, ancestor;
    int32_t kind, operation, phase;
    void *payload;
};
struct old_call {
    uint64_t context, thread, correlation, external;
    int32_t kind, operation, phase;
    void *payload;
};
struct header {
    uint32_t category, kind;
    void *payload;
};
typedef void records(struct id, struct id, struct header **, size_t, void *, uint64_t);
typedef struct tool *configurer(uint32_t, const char *, uint32_t, void *);

/* What it can tell, by number. */
static const char *const called[] = {
    "NONE", "HSA_CORE_API", "HIP_RUNTIME_API", "MARKER_CORE_API", "CODE_OBJECT", "HIP_STREAM"};
static const char *const recorded[] = {"NONE", "HIP_RUNTIME_API", "MEMORY_COPY", "KERNEL_DISPATCH",
                                       "MEMORY_ALLOCATION"};
enum { CALL = 2, MARK = 3, CODE = 4, STREAM = 5, COPY = 2, KERNEL = 3, MEMORY = 4 };

static const char *const names[] = {
#define FAKE_CALL(number, name) [number] = #name,
    FAKE_CALLS(FAKE_CALL)};
enum { CALLS = sizeof names / sizeof names[0] };
static const char *const marks[] = {
#define FAKE_CALL(number, name) [number] = #name,
    FAKE_MARKS(FAKE_CALL)};
enum { MARKS = sizeof marks / sizeof marks[0] };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static struct tool *tool;
static void *on_call;
static records *take;
static int is_started, is_called[CALLS], is_marked[MARKS], wants[8], wants_records[8];
static uint64_t correlations;

/* The records, and the wish that the thread of rocprofiler-sdk hands them over. */
static struct record {
    unsigned char bytes[RECORD_BYTES];
    uint32_t kind;
    uint64_t end;
    int is_late;
} kept[RECORDS];
static size_t n_kept;
static uint64_t n_seen, n_dropped, asked, done;
static int is_last;

static int is(const char *word)
{
    const char *list = getenv("FAKE_ROCPROFILER");
    return list && strstr(list, word) != NULL;
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The clock of the records is another one. */
static uint64_t ticks(uint64_t ns)
{
    return ns + 123456789000;
}

/* ---- records ---- */

static void put(struct record *record, size_t offset, const void *value, size_t bytes)
{
    memcpy(record->bytes + offset, value, bytes);
}

/* Those that are done: the others, and late ones, stay. */
static size_t split(struct record *out)
{
    size_t n = 0, left = 0;
    for (size_t i = 0; i < n_kept; i++)
        if (is_last || (kept[i].end <= now_ns() && !kept[i].is_late))
            out[n++] = kept[i];
        else
            kept[left++] = kept[i];
    n_kept = left;
    return n;
}

static void hand_over(void)
{
    static struct record out[RECORDS];
    static struct header header[RECORDS], *headers[RECORDS];
    pthread_mutex_lock(&lock);
    size_t n = split(out);
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < n; i++) {
        header[i] = (struct header){1, out[i].kind, out[i].bytes};
        headers[is("reverse") ? n - 1 - i : i] = &header[i];
    }
    if (n && is("alarm"))
        kill(getpid(), SIGALRM);
    if (n || n_dropped)
        take((struct id){CONTEXT}, (struct id){BUFFER}, headers, n, NULL, n_dropped);
}

static void *serve(void *unused)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        while (done == asked)
            pthread_cond_wait(&news, &lock);
        uint64_t wish = asked;
        pthread_mutex_unlock(&lock);
        hand_over();
        pthread_mutex_lock(&lock);
        done = wish;
        pthread_cond_broadcast(&news);
    }
    return unused;
}

int rocprofiler_flush_buffer(struct id buffer)
{
    if (buffer.handle != BUFFER)
        return FAILED;
    pthread_mutex_lock(&lock);
    uint64_t wish = ++asked;
    pthread_cond_broadcast(&news);
    while (done < wish)
        pthread_cond_wait(&news, &lock);
    pthread_mutex_unlock(&lock);
    return OK;
}

static void keep(struct record *record)
{
    pthread_mutex_lock(&lock);
    n_seen++;
    record->is_late = is("late") && n_seen % 5 == 0;
    if ((is("drop") && n_seen % 7 == 0) || n_kept == RECORDS)
        n_dropped++;
    else
        kept[n_kept++] = *record;
    pthread_mutex_unlock(&lock);
}

static void on_work(const struct fake_work *work)
{
    struct record record = {.kind = work->copy ? COPY : KERNEL, .end = work->end};
    const uint64_t size = work->copy ? 96 : 184, start = ticks(work->begin), end = ticks(work->end);
    const uint32_t group[3] = {work->block, 1, 1}, grid[3] = {work->grid * work->block, 1, 1};
    if (!wants_records[record.kind])
        return;
    put(&record, 0, &size, sizeof size);
    put(&record, 8, &record.kind, sizeof record.kind);
    put(&record, 12, &work->copy, sizeof work->copy);
    put(&record, 16, &work->correlation, sizeof work->correlation);
    put(&record, 40, &start, sizeof start);
    put(&record, 48, &end, sizeof end);
    put(&record, work->copy ? 56 : 64, &work->to, sizeof work->to);
    put(&record, work->copy ? 64 : 72, work->copy ? &work->from : &work->queue, sizeof work->from);
    put(&record, work->copy ? 72 : 80, work->copy ? &work->bytes : &work->kernel, sizeof size);
    if (!work->copy) {
        put(&record, 100, &work->shared, sizeof work->shared);
        put(&record, 104, group, sizeof group);
        put(&record, 116, grid, sizeof grid);
    }
    keep(&record);
}

/* Before 1.0 a record of it has no ancestor. */
static void on_memory(uint64_t agent, uint64_t address, size_t bytes)
{
    const size_t more = is("old") ? 0 : 8;
    const uint64_t size = 80 + more, now = ticks(now_ns()), length = bytes;
    const int32_t operation = agent ? 1 : 3;
    struct record record = {.kind = MEMORY, .end = now_ns()};
    if (!wants_records[MEMORY])
        return;
    put(&record, 0, &size, sizeof size);
    put(&record, 8, &record.kind, sizeof record.kind);
    put(&record, 12, &operation, sizeof operation);
    put(&record, 40 + more, &now, sizeof now);
    put(&record, 48 + more, &now, sizeof now);
    put(&record, 56 + more, &agent, sizeof agent);
    put(&record, 64 + more, &address, sizeof address);
    put(&record, 72 + more, &length, sizeof length);
    keep(&record);
}

/* ---- calls ---- */

static void tell(int kind, int operation, int phase, uint64_t correlation, void *payload)
{
    uint64_t kept_for_tool = 0;
    if (is("old"))
        ((void (*)(struct old_call, uint64_t *, void *))on_call)(
            (struct old_call){CONTEXT, 1, correlation, 0, kind, operation, phase, payload},
            &kept_for_tool, NULL);
    else
        ((void (*)(struct call, uint64_t *, void *))on_call)((struct call){CONTEXT, 1, correlation,
                                                                           0, 99, kind, operation,
                                                                           phase, payload},
                                                             &kept_for_tool, NULL);
}

static void tell_stream(uint64_t stream, int phase)
{
    uint64_t payload[3] = {sizeof payload, stream, 0};
    if (stream != UINT64_MAX && wants[STREAM])
        tell(STREAM, 3, phase, 0, payload);
}

/* The wrappers for streams are around those for calls. */
static void on_hip_call(uint32_t number, uint64_t *correlation, uint64_t stream, const int *result)
{
    struct {
        uint64_t size, arguments[4], result[3];
    } payload = {.size = sizeof payload};
    const int is_exit = result != NULL;
    if (result)
        memcpy(payload.result, result, sizeof *result);
    if (!is_exit)
        tell_stream(stream, 1);
    if (is_called[number] && !is_exit)
        *correlation = __atomic_add_fetch(&correlations, 1, __ATOMIC_RELAXED);
    if (is_called[number])
        tell(CALL, (int)number, is_exit ? 2 : 1, *correlation, &payload);
    if (is_exit)
        tell_stream(stream, 2);
}

static void on_mark(uint32_t number, const char *text, uint64_t id, int is_exit)
{
    struct {
        uint64_t size;
        union {
            const char *text;
            uint64_t id;
            void *two[2];
        } args;
        uint64_t result;
    } payload = {.size = sizeof payload, .result = is_exit ? id : 0};
    if (text)
        payload.args.text = text;
    else
        payload.args.id = id;
    if (is_marked[number])
        tell(MARK, (int)number, is_exit ? 2 : 1, 0, &payload);
}

static void on_kernel(uint64_t kernel, const char *name)
{
    struct {
        uint64_t size, kernel, code;
        const char *name;
        uint64_t more[4];
    } symbol = {sizeof symbol, kernel, 1, name, {0}};
    if (wants[CODE] && !is("nameless"))
        tell(CODE, 2, 1, 0, &symbol);
}

/* ---- a tool ---- */

static int has_begun, may_configure;

static void finish(void)
{
    is_last = 1;
    for (size_t i = 0; i < n_kept; i++) {
        const struct timespec time = {(time_t)(kept[i].end / 1000000000),
                                      (long)(kept[i].end % 1000000000)};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
    }
    if (tool && tool->end)
        tool->end(tool->data);
}

int rocprofiler_force_configure(configurer *configure)
{
    pthread_t thread;
    if (has_begun || is("locked"))
        return LOCKED;
    has_begun = may_configure = 1;
    setenv("ROCPROFILER_REGISTER_FORCE_LOAD", "1", 1);
    atexit(finish);
    pthread_create(&thread, NULL, serve, NULL);
    tool = is("old")       ? configure(602, "0.6.2", 0, NULL)
           : is("unknown") ? configure(700, "0.7.0", 0, NULL)
                           : configure(10003, "1.0.3", 0, NULL);
    if (tool && tool->start(NULL, tool->data) != 0)
        tool = NULL;
    may_configure = 0;
    return OK;
}

int rocprofiler_set_api_table(const char *name, uint64_t version, uint64_t instance, void **tables,
                              uint64_t n)
{
    struct fake_table *table = tables[0];
    (void)version;
    (void)instance;
    if (strcmp(name, "hip") == 0 && n == 1 && tool && is_started)
        *table = (struct fake_table){on_hip_call, on_kernel, on_work, on_memory, on_mark};
    return 0;
}

/* Each only while a tool starts. */
int rocprofiler_create_context(struct id *context)
{
    context->handle = CONTEXT;
    return may_configure && !is("broken") ? OK : FAILED;
}

int rocprofiler_start_context(struct id context)
{
    is_started = context.handle == CONTEXT;
    return is_started ? OK : FAILED;
}

int rocprofiler_create_buffer(struct id context, size_t bytes, size_t watermark, int policy,
                              records *with, void *data, struct id *buffer)
{
    (void)data;
    take = with;
    buffer->handle = BUFFER;
    return may_configure && context.handle == CONTEXT && watermark < bytes && policy == 2 ? OK
                                                                                          : FAILED;
}

int rocprofiler_configure_buffer_tracing_service(struct id context, int kind, const int32_t *which,
                                                 size_t n, struct id buffer)
{
    (void)which;
    if (!may_configure || context.handle != CONTEXT || n || buffer.handle != BUFFER ||
        (kind != COPY && kind != KERNEL && kind != MEMORY))
        return FAILED;
    wants_records[kind] = 1;
    return OK;
}

int rocprofiler_configure_callback_tracing_service(struct id context, int kind,
                                                   const int32_t *which, size_t n, void *call,
                                                   void *data)
{
    (void)data;
    if (!may_configure || context.handle != CONTEXT)
        return FAILED;
    on_call = call;
    wants[kind] = 1;
    for (size_t i = 0; kind == CALL && i < n; i++)
        is_called[which[i]] = 1;
    for (size_t i = 0; kind == MARK && i < n; i++)
        is_marked[which[i]] = 1;
    return OK;
}

static int name_of(const char *const *list, size_t n, size_t at, const char **name)
{
    *name = at < n ? list[at] : NULL;
    return *name ? OK : FAILED;
}

int rocprofiler_query_buffer_tracing_kind_name(int kind, const char **name, uint64_t *length)
{
    (void)length;
    return name_of(recorded, sizeof recorded / sizeof *recorded, (size_t)kind, name);
}

int rocprofiler_query_callback_tracing_kind_name(int kind, const char **name, uint64_t *length)
{
    (void)length;
    return name_of(called, STREAM + !is("old"), (size_t)kind, name);
}

int rocprofiler_query_callback_tracing_kind_operation_name(int kind, uint32_t operation,
                                                           const char **name, uint64_t *length)
{
    (void)length;
    return kind == CALL   ? name_of(names, CALLS, operation, name)
           : kind == MARK ? name_of(marks, MARKS, operation, name)
                          : FAILED;
}

int rocprofiler_query_available_agents(int version, int (*with)(int, const void **, size_t, void *),
                                       size_t bytes, void *data)
{
    static unsigned char agents[1 + FAKE_DEVICES][AGENT_BYTES];
    const void *all[1 + FAKE_DEVICES];
    if (version != 1 || bytes > AGENT_BYTES)
        return FAILED;
    for (unsigned i = 0; i <= FAKE_DEVICES; i++) {
        const uint64_t size = AGENT_BYTES, id = FAKE_CPU + i;
        const int32_t type = i ? 2 : 1;
        const char *product = i == 1 ? "Fake Instinct" : "";
        memcpy(agents[i], &size, sizeof size);
        memcpy(agents[i] + 8, &id, sizeof id);
        memcpy(agents[i] + 16, &type, sizeof type);
        memcpy(agents[i] + 264, &product, sizeof product);
        all[i] = agents[i];
    }
    return with(version, all, 1 + FAKE_DEVICES, data);
}

int rocprofiler_get_timestamp(uint64_t *now)
{
    *now = ticks(now_ns());
    return OK;
}
