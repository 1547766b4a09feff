/* SPDX-License-Identifier: BSD-3-Clause */
/* links: wrappers-mpi */
/* The table of requests, the completion of requests, and communicators, without an MPI. */
#include "tests/unit/mpi_fake.h"

#include <pthread.h>

#include "wrappers/mpi/mpi_comm.h"
#include "wrappers/mpi/mpi_emit.h"
#include "wrappers/mpi/mpi_owner.h"
#include "wrappers/mpi/mpi_request_table.h"
#include "wrappers/mpi/mpi_wait.h"

enum { REQUEST_NULL = 0x2c000000, STATUS_BYTES = 20 };

static struct mpi_request numbered(uint64_t id)
{
    return (struct mpi_request){.id = id, .kind = MPI_REQUEST_SEND};
}

static void put_numbered(mpi_word handle, uint64_t id)
{
    struct mpi_request request = numbered(id);
    mpi_request_put(&mpi_requests, handle, &request);
}

Test(mpi_request, one_handle_stands_for_many)
{
    struct mpi_request request;
    for (uint64_t id = 0; id < 1000; id++)
        put_numbered(7, id);
    for (uint64_t id = 0; id < 1000; id++) {
        cr_assert(mpi_request_peek(&mpi_requests, 7, &request) && request.id == id);
        cr_assert(mpi_request_take(&mpi_requests, 7, &request) && request.id == id);
        if (id % 3 == 0) {
            mpi_request_put_back(&mpi_requests, 7, &request);
            cr_assert(mpi_request_take(&mpi_requests, 7, &request) && request.id == id);
        }
    }
    cr_assert_not(mpi_request_take(&mpi_requests, 7, &request));
    mpi_request_put_back(&mpi_requests, 7, &request);
    put_numbered(7, 5000);
    cr_assert(mpi_request_take(&mpi_requests, 7, &request) && request.id == 999);
    cr_assert(mpi_request_take(&mpi_requests, 7, &request) && request.id == 5000);
}

static void assert_taken(mpi_word handle, uint64_t id)
{
    struct mpi_request request;
    cr_assert(mpi_request_take(&mpi_requests, handle, &request) && request.id == id,
              "%llu, not %llu", (unsigned long long)request.id, (unsigned long long)id);
}

/* A handle that leads to the same front as `handle`. */
static mpi_word rival_of(mpi_word handle)
{
    mpi_word rival = handle + 1;
    while (mpi_request_mix(rival) >> 56 != mpi_request_mix(handle) >> 56)
        rival++;
    return rival;
}

Test(mpi_request, what_is_put_back_comes_first)
{
    struct mpi_request oldest = numbered(1);
    mpi_word rival = rival_of(9);
    put_numbered(9, 2);
    mpi_request_put_back(&mpi_requests, 9, &oldest);
    put_numbered(9, 3);
    put_numbered(rival, 4);
    assert_taken(9, 1);
    put_numbered(9, 5);
    mpi_request_put_back(&mpi_requests, rival, &oldest);
    assert_taken(9, 2);
    assert_taken(rival, 1);
    assert_taken(9, 3);
    mpi_request_put_back(&mpi_requests, 9, &oldest);
    assert_taken(9, 1);
    assert_taken(rival, 4);
    assert_taken(9, 5);
    cr_assert_not(mpi_request_take(&mpi_requests, 9, &oldest));
    cr_assert_not(mpi_request_take(&mpi_requests, rival, &oldest));
}

Test(mpi_request, a_rival_is_found_at_the_front_and_behind)
{
    struct mpi_request request;
    struct mpi_request_message message;
    mpi_word rival = rival_of(9);
    put_numbered(9, 1);
    put_numbered(rival, 2);
    cr_assert_not(mpi_request_take_message(&mpi_requests, rival, &message), "it is behind");
    cr_assert(mpi_request_peek(&mpi_requests, rival, &request) && request.id == 2);
    mpi_request_cancel(&mpi_requests, 9);
    cr_assert_not(mpi_request_take_message(&mpi_requests, 9, &message), "it is unusual");
    cr_assert(mpi_request_take(&mpi_requests, 9, &request) && request.is_cancelled);
    assert_taken(rival, 2);
    put_numbered(rival, 3);
    cr_assert(mpi_request_take_message(&mpi_requests, rival, &message) && message.id == 3 &&
              message.kind == MPI_REQUEST_SEND);
}

Test(mpi_request, many_handles)
{
    enum { HANDLES = 200000 };
    struct mpi_request request;
    for (int round = 0; round < 2; round++) {
        for (mpi_word i = 0; i < HANDLES; i++)
            put_numbered(0x7f0000000000 + 64 * i, i);
        for (mpi_word i = HANDLES; i-- > 0;)
            cr_assert(mpi_request_take(&mpi_requests, 0x7f0000000000 + 64 * i, &request) &&
                      request.id == i);
    }
    long used = agent_bytes;
    for (mpi_word i = 0; i < HANDLES; i++)
        put_numbered(0x7f0000000000 + 64 * i, i);
    cr_assert(agent_bytes == used, "memory is reused");
}

/* A library may never give out an address twice. */
Test(mpi_request, memory_is_bounded_by_what_is_open)
{
    struct mpi_request request;
    long used = 0;
    for (mpi_word i = 0; i < 1000000; i++) {
        put_numbered(0x550000000000 + 48 * i, i);
        if (i >= 100)
            cr_assert(mpi_request_take(&mpi_requests, 0x550000000000 + 48 * (i - 100), &request) &&
                      request.id == i - 100);
        if (i == 10000)
            used = agent_bytes;
    }
    cr_assert(agent_bytes < used + (1 << 16), "%ld bytes more", agent_bytes - used);
}

static void *use_table(void *first)
{
    mpi_word base = *(mpi_word *)first;
    struct mpi_request request;
    for (uint64_t i = 0; i < 20000; i++) {
        mpi_word own = base + i % 97 * 16;
        put_numbered(own, i);
        put_numbered(3, 42); /* a handle shared by all threads */
        if (!mpi_request_take(&mpi_requests, own, &request) || request.id != i)
            return first;
        if (!mpi_request_take(&mpi_requests, 3, &request) || request.id != 42)
            return first;
    }
    return NULL;
}

/* The first thread is in the middle of its work, alone, when the next threads come. */
static void use_table_in_threads(void)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    mpi_word bases[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        bases[i] = (i + 1) << 20;
        pthread_create(&threads[i], NULL, use_table, &bases[i]);
        if (i == 0)
            sched_yield();
    }
    for (size_t i = 0; i < THREADS; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        cr_assert_null(failed);
    }
}

/*
 * Puts 11 to 13 under a handle that has requests of the main thread; takes all three, then one of
 * the main thread's.
 */
static void *take_own(void *unused)
{
    struct mpi_request request;
    for (uint64_t id = 11; id <= 13; id++)
        put_numbered(3, id);
    assert_taken(3, 11);
    assert_taken(3, 12);
    request = numbered(12);
    cr_assert(mpi_request_take(&mpi_requests, 3, &request) && request.id == 13);
    mpi_request_put_back(&mpi_requests, 3, &request);
    assert_taken(3, 13);
    assert_taken(3, 1); /* no own request left: the main thread handed 1 over */
    put_numbered(3, 14);
    return unused;
}

static void share_a_handle(void)
{
    pthread_t other;
    for (uint64_t id = 1; id <= 3; id++)
        put_numbered(3, id);
    pthread_create(&other, NULL, take_own, NULL);
    pthread_join(other, NULL);
    put_numbered(3, 4);
    for (uint64_t id = 2; id <= 4; id++)
        assert_taken(3, id);
    assert_taken(3, 14);
    struct mpi_request request;
    cr_assert_not(mpi_request_take(&mpi_requests, 3, &request));
}

Test(mpi_request, a_thread_gets_its_own)
{
    share_a_handle();
    share_a_handle();
}

Test(mpi_request, a_thread_gets_its_own_where_the_kernel_has_no_barrier)
{
    agent_cannot_fence = true;
    share_a_handle();
}

Test(mpi_request, threads)
{
    use_table_in_threads();
}

Test(mpi_request, threads_where_the_kernel_has_no_barrier)
{
    agent_cannot_fence = true;
    use_table_in_threads();
}

/* Again and again another thread comes while the owner is at work. */
enum { OWNERS = 1000, TURNS = 50 };
static struct mpi_owner owners[OWNERS];
static struct wrapper_lock shared_locks[OWNERS];
static volatile long guarded[OWNERS]; /* counted by the holder of the owner or the lock */
static _Atomic long counted[OWNERS];
static _Atomic int arrived[OWNERS];

static void count_guarded(int i, int turn)
{
    bool is_alone = mpi_owner_take(&owners[i]);
    if (!is_alone)
        wrapper_lock_take(&shared_locks[i]);
    long was = guarded[i];
    if (turn % 16 == 0)
        sched_yield();
    guarded[i] = was + 1;
    if (is_alone)
        mpi_owner_give(&owners[i]);
    else
        wrapper_lock_give(&shared_locks[i]);
    atomic_fetch_add(&counted[i], 1);
}

static void *count_all(void *unused)
{
    for (int i = 0; i < OWNERS; i++) {
        atomic_fetch_add(&arrived[i], 1);
        for (int turn = 0; turn < TURNS || atomic_load(&arrived[i]) < 2; turn++)
            count_guarded(i, turn);
    }
    return unused;
}

Test(mpi_owner, is_alone_or_shares)
{
    pthread_t other;
    pthread_create(&other, NULL, count_all, NULL);
    count_all(NULL);
    pthread_join(other, NULL);
    for (int i = 0; i < OWNERS; i++)
        cr_assert(guarded[i] == counted[i], "%d: %ld of %ld", i, guarded[i], counted[i]);
}

enum { IDS = 5000 };

static void *take_ids(void *at)
{
    uint64_t *ids = at;
    for (int i = 0; i < IDS; i++)
        ids[i] = mpi_request_new_id();
    return NULL;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t *x = a;
    const uint64_t *y = b;
    return (*x > *y) - (*x < *y);
}

Test(mpi_request, ids_are_never_the_same)
{
    enum { THREADS = 4 };
    static uint64_t ids[THREADS * IDS];
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, take_ids, ids + i * IDS);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    qsort(ids, THREADS * IDS, sizeof ids[0], by_value);
    for (size_t i = 1; i < THREADS * IDS; i++)
        cr_assert(ids[i] != ids[i - 1], "%zu: %llu", i, (unsigned long long)ids[i]);
}

/* ---- completion ---- */

/*
 * MPICH's status: received bytes (as the fake library reads a status), cancelled, source, tag,
 * error.
 */
static void set_status(int *status, int bytes, int source, int tag)
{
    status[0] = bytes;
    status[1] = 0;
    status[2] = source;
    status[3] = tag;
    status[4] = 0;
}

static void put_receive(mpi_word handle)
{
    uint32_t as_mpi_writes_it = (uint32_t)handle;
    mpi_emit_irecv(NULL, NULL, 0, 0, 0, (mpi_word)&as_mpi_writes_it);
}

static void complete_with(bool is_multiple)
{
    fake_start();
    mpi_wait_set_threads(is_multiple);
    uint32_t handles[6] = {11, 11, REQUEST_NULL, 12, 13, 14};
    put_receive(11);
    put_receive(11);
    put_receive(12);
    put_receive(13);
    agent_log_clear();

    struct mpi_wait wait;
    mpi_word statuses = mpi_wait_begin(&wait, 6, (mpi_word)handles, 1, 1);
    cr_assert(statuses != 1, "private statuses");
    int *status = mpi_address(statuses);
    for (int i = 0; i < 6; i++)
        set_status(status + (size_t)i * 5, 100 + i, i, 50 + i);
    mpi_wait_all(&wait, NULL, 0);
    char want[512];
    static uint64_t id;
    snprintf(want, sizeof want,
             "MpiIrecv 0 0 50 100 %d\nMpiIrecv 1 0 51 101 %d\n"
             "MpiIrecv 3 0 53 103 %d\nMpiIrecv 4 0 54 104 %d\n",
             (int)id, (int)id + 1, (int)id + 2, (int)id + 3);
    id += 4;
    cr_assert_str_eq(agent_log, want);
}

Test(mpi_wait, all)
{
    complete_with(true);
    complete_with(false);
}

static void some_stay_open(bool is_multiple)
{
    fake_start();
    mpi_wait_set_threads(is_multiple);
    uint32_t handles[3] = {21, 21, 22};
    for (int i = 0; i < 3; i++)
        put_numbered(handles[i], (uint64_t)i);
    struct mpi_wait wait;
    int status[5 * 3];
    mpi_wait_begin(&wait, 3, (mpi_word)handles, (mpi_word)status, 1);
    mpi_wait_any(&wait, NULL, 0, false, -32766);
    /* Two entries with one handle: a look from outside cannot tell the entries apart. */
    cr_assert_str_eq(agent_log, is_multiple
                                    ? "MpiRequestTest 0\nMpiRequestTest 1\nMpiRequestTest 2\n"
                                    : "MpiRequestTest 0\nMpiRequestTest 0\nMpiRequestTest 2\n");
    agent_log_clear();
    mpi_wait_begin(&wait, 3, (mpi_word)handles, (mpi_word)status, 1);
    const int indices[] = {2, 0};
    mpi_wait_some(&wait, NULL, 0, 2, indices);
    cr_assert_str_eq(agent_log, "MpiIsendComplete 2\nMpiIsendComplete 0\n");
    agent_log_clear();
    mpi_wait_begin(&wait, 1, (mpi_word)handles, (mpi_word)status, 1);
    mpi_wait_all(&wait, NULL, 0);
    cr_assert_str_eq(agent_log, "MpiIsendComplete 1\n");
}

Test(mpi_wait, some)
{
    some_stay_open(true);
    some_stay_open(false);
}

Test(mpi_wait, errors_are_no_messages)
{
    fake_start();
    int status[2 * 5] = {0};
    uint32_t handles[2] = {31, 32};
    put_numbered(31, 1);
    put_numbered(32, 2);
    struct mpi_wait wait;
    mpi_wait_begin(&wait, 2, (mpi_word)handles, (mpi_word)status, 1);
    status[4] = mpi_library()->layout.err_other; /* the first failed and is freed */
    status[9] = mpi_library()->layout.err_pending;
    handles[0] = REQUEST_NULL;
    mpi_wait_all(&wait, NULL, mpi_library()->layout.err_in_status);
    cr_assert_str_eq(agent_log, "MpiRequestCancelled 1\n");
    struct mpi_request request;
    cr_assert_not(mpi_request_take(&mpi_requests, 31, &request));
    cr_assert(mpi_request_take(&mpi_requests, 32, &request) && request.id == 2);
}

Test(mpi_wait, persistent_and_cancelled)
{
    fake_start();
    uint32_t handle = 41;
    struct mpi_message message = {.dest = 3, .tag = 4, .bytes = 5, .is_recorded = true};
    mpi_emit_send_init(&message, 0, false, (mpi_word)&handle);
    int status[5] = {0};
    struct mpi_wait wait;
    for (uint64_t round = 0; round < 2; round++) {
        agent_log_clear();
        mpi_wait_start(NULL, 1, (mpi_word)&handle);
        uint64_t id = mpi_request_new_id() - 1;
        mpi_wait_begin(&wait, 1, (mpi_word)&handle, (mpi_word)status, 1);
        if (round == 1)
            mpi_wait_cancel((mpi_word)&handle);
        mpi_wait_all(&wait, NULL, 0);
        char want[128];
        snprintf(want, sizeof want, "MpiIsend 3 0 4 5 %d\nMpiIsendComplete %d\n", (int)id, (int)id);
        cr_assert_str_eq(agent_log, want);
    }
    /* Not started: a wait returns at once and means nothing. */
    agent_log_clear();
    mpi_wait_begin(&wait, 1, (mpi_word)&handle, (mpi_word)status, 1);
    mpi_wait_all(&wait, NULL, 0);
    mpi_wait_free(NULL, handle);
    cr_assert_str_eq(agent_log, "");

    put_receive(42);
    handle = 42;
    mpi_wait_cancel((mpi_word)&handle);
    status[1] = 1;
    agent_log_clear();
    mpi_wait_begin(&wait, 1, (mpi_word)&handle, (mpi_word)status, 1);
    mpi_wait_all(&wait, NULL, 0);
    cr_assert(strncmp(agent_log, "MpiRequestCancelled", 19) == 0);
}

/* ---- communicators ---- */

Test(mpi_comm, handles_come_back)
{
    fake_start();
    fake.size = 2;
    fake.first = 4;
    struct mpi_comm *world = mpi_comm_of(HANDLE_WORLD);
    cr_assert_str_eq(agent_log, "rank 0 of 16\n"
                                "comm 0 'MPI_COMM_WORLD' {5: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 "
                                "15} of -1 flags 0\n"
                                "comm 1 'MPI_COMM_SELF' {6:} of -1 flags 0\n");
    agent_log_clear();
    struct mpi_comm *made = mpi_comm_created(0x84000001, world, true, "");
    cr_assert(made && made == mpi_comm_of(0xffffffff84000001) && made->size == 2);
    mpi_comm_forget(0x84000001, made);
    fake.size = 3;
    cr_assert(mpi_comm_of(0x84000001)->size == 3);
    cr_assert_str_eq(agent_log, "comm 2 '' {5: 4 5} of 0 flags 1\n"
                                "comm 3 '' {5: 4 5 6} of -1 flags 0\n");
    cr_assert_null(mpi_comm_of(0x04000000));
}

Test(mpi_comm, groups_of_an_intercommunicator)
{
    fake_start();
    mpi_comm_of(HANDLE_WORLD);
    agent_log_clear();
    fake.size = 2;
    fake.first = 4;
    fake.remote_size = 1;
    fake.remote_first = 3;
    struct mpi_comm *inter = mpi_comm_created(0x84000002, NULL, true, "");
    cr_assert(mpi_comm_is_inter(inter) && mpi_comm_partners(inter) == 1);
    cr_assert_str_eq(agent_log, "intercomm 2 '' {5: 3} {5: 4 5} of -1 flags 1\n");
}

Test(mpi_comm, many)
{
    fake_start();
    fake.size = 1;
    for (mpi_word i = 0; i < 20000; i++)
        mpi_comm_created(0x1000 + i, NULL, true, "");
    OTF2_CommRef first = mpi_comm_id(0x1000);
    for (mpi_word i = 0; i < 20000; i++)
        cr_assert(mpi_comm_id(0x1000 + i) == first + i);
}
