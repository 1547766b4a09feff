/* SPDX-License-Identifier: BSD-3-Clause */
/* links: wrappers-mpi */
/* What is done with files, without an MPI. */
#include "tests/unit/mpi_fake.h"

#include "wrappers/mpi/mpi_comm.h"
#include "wrappers/mpi/mpi_layer.h"
#include "wrappers/mpi/mpi_wait.h"

/* Of MPICH's mpi.h. */
enum { CREATE = 1, RDONLY = 2, WRONLY = 4, RDWR = 8, DELETE = 16, UNIQUE = 32, EXCL = 64 };
enum { APPEND = 128, SEQUENTIAL = 256, SEEK_TO = 600, SEEK_BY = 602, SEEK_BACK = 604 };

/* A pointer whose lower half alone is another file's. */
static mpi_word file = 0x7f0000000010, twin = 0x7e0000000010;

static void open_file(const char *name, int amode, const mpi_word *handle)
{
    struct mpi_layer layer = mpi_layer_opening(mpi_comm_id(HANDLE_WORLD), (mpi_word)name);
    mpi_file_opened(NULL, spur_layer_handle_of(&layer.file), amode, (mpi_word)handle);
}

/* Log begins empty and with an open file; returns the number that operations begin with. */
static int begin(int amode)
{
    fake_start();
    mpi_wait_set_threads(true);
    open_file("data", amode, &file);
    int next = (int)mpi_request_new_id() + 1;
    return next;
}

static void expect(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void expect(const char *format, ...)
{
    char want[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(want, sizeof want, format, args);
    va_end(args);
    cr_expect_str_eq(agent_log, want);
    agent_log_clear();
}

static struct mpi_file_op start(mpi_word handle, OTF2_IoOperationFlag flags)
{
    struct mpi_file_op op = {.file = mpi_file_id(handle),
                             .mode = OTF2_IO_OPERATION_MODE_WRITE,
                             .flags = flags,
                             .count = 100,
                             .type = 4};
    mpi_file_began(NULL, &op);
    return op;
}

Test(mpi_file, modes)
{
    static const struct {
        int amode;
        const char *want; /* access mode, creation flags, status flags */
    } cases[] = {
        {RDONLY, "0 0 0"},
        {WRONLY | CREATE | EXCL, "1 9 0"},
        {RDWR | CREATE | UNIQUE, "2 1025 0"},
        {WRONLY | APPEND | SEQUENTIAL, "1 512 2"},
        {RDWR | CREATE | DELETE, "2 1 256"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin(cases[i].amode);
        const char *record = strstr(agent_log, "IoCreateHandle ");
        char want[64];
        snprintf(want, sizeof want, "IoCreateHandle %d %s\n", (int)i, cases[i].want);
        cr_expect_str_eq(record, want);
    }
}

Test(mpi_file, names)
{
    static const char *const cases[][2] = {
        {"/tmp/a", "/tmp/a"},   {"ufs:/tmp/a", "/tmp/a"}, {"nfs:a", "a"}, {"a:b", "a:b"},
        {"/x/ab:c", "/x/ab:c"}, {"ab:", "ab:"},           {"", ""},
    };
    fake_start();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        mpi_file_deleted(NULL, (mpi_word)cases[i][0]);
        expect("file %d '%s'\nIoDeleteFile 0 %d\n", (int)i, cases[i][1], (int)i);
    }
}

Test(mpi_file, a_life)
{
    int id = begin(RDWR);
    cr_assert(strstr(agent_log, "handle 0 'data' to 0 paradigm 0 flags 0 comm 0 of -1\n"));
    agent_log_clear();
    int status[5] = {300};
    struct mpi_file_op op = start(file, OTF2_IO_OPERATION_FLAG_COLLECTIVE);
    mpi_file_done(NULL, op.file, op.id, status);
    expect("IoOperationBegin 0 1 2 400 %d\nIoOperationComplete 0 300 %d\n", id, id);

    /* It fails behind a call of the layer below, and at once. */
    op = start(file, OTF2_IO_OPERATION_FLAG_NONE);
    mpi_file_over(NULL, &op, 1, status);
    expect("IoOperationBegin 0 1 0 400 %d\nIoOperationCancelled 0 %d\n", id + 1, id + 1);
    op = start(file, OTF2_IO_OPERATION_FLAG_NON_BLOCKING);
    mpi_file_issued(NULL, &op, 1);
    expect("IoOperationBegin 0 1 1 400 %d\nIoOperationCancelled 0 %d\n", id + 2, id + 2);
    op.is_recorded = false;
    mpi_file_over(NULL, &op, 0, status);
    mpi_file_over(NULL, &op, 1, status);
    mpi_file_issued(NULL, &op, 1);
    expect("%s", "");

    /* Closing fails, then not; a handle that is gone is not known. */
    OTF2_IoHandleRef taken = mpi_file_take((mpi_word)&file);
    cr_assert_not(start(file, 0).is_recorded);
    mpi_file_closed(NULL, (mpi_word)&file, taken, 1);
    cr_assert(start(file, 0).is_recorded);
    agent_log_clear();
    taken = mpi_file_take((mpi_word)&file);
    mpi_word null = 0; /* MPI has written that */
    mpi_file_closed(NULL, (mpi_word)&null, taken, 0);
    expect("IoDestroyHandle 0\n");
    mpi_file_closed(NULL, (mpi_word)&file, mpi_file_take((mpi_word)&file), 0);
    mpi_file_split_end(NULL, file, 0, status);
    mpi_file_sought(NULL, file, 0, SEEK_TO, false);
    mpi_file_viewed(NULL, null);
    expect("%s", "");
}

Test(mpi_file, many)
{
    enum { FILES = 3000 };
    begin(RDWR);
    long used = agent_bytes;
    for (mpi_word i = 0; i < FILES; i++) {
        mpi_word handle = 0x10000 + 64 * i;
        open_file("x", RDWR, &handle);
    }
    for (mpi_word i = FILES; i-- > 0;) {
        mpi_word handle = 0x10000 + 64 * i;
        cr_assert_eq(mpi_file_take((mpi_word)&handle), i + 1);
        cr_assert_eq(mpi_file_take((mpi_word)&handle), OTF2_UNDEFINED_IO_HANDLE);
    }
    cr_assert_eq(used, agent_bytes);
}

static void wait_for(uint32_t handle, int *status, int ret)
{
    struct mpi_wait wait;
    mpi_wait_begin(&wait, 1, (mpi_word)&handle, (mpi_word)status, 1);
    if (ret)
        handle = 0x2c000000; /* MPI frees a request that fails */
    mpi_wait_all(&wait, NULL, ret);
}

/* Start an operation under a request. */
static void start_request(mpi_word handle, uint32_t request)
{
    struct mpi_file_op op = start(handle, OTF2_IO_OPERATION_FLAG_NON_BLOCKING);
    mpi_file_requested(&op, (mpi_word)&request);
    mpi_file_issued(NULL, &op, 0);
}

Test(mpi_file, requests)
{
    int id = begin(RDWR);
    int status[5] = {200};
    agent_log_clear();
    start_request(file, 51);
    expect("IoOperationBegin 0 1 1 400 %d\nIoOperationIssued 0 %d\n", id, id);
    mpi_wait_status(NULL, 51, false);
    expect("IoOperationTest 0 %d\n", id);
    wait_for(51, status, 0);
    expect("IoOperationComplete 0 200 %d\n", id);

    start_request(file, 52);
    agent_log_clear();
    wait_for(52, status, 1);
    expect("IoOperationCancelled 0 %d\n", id + 1);

    start_request(file, 53);
    agent_log_clear();
    mpi_wait_free(NULL, 53);
    expect("IoOperationComplete 0 %llu %d\n", (unsigned long long)OTF2_UNDEFINED_UINT64, id + 2);

    start_request(file, 54);
    uint32_t request = 54;
    mpi_wait_cancel((mpi_word)&request);
    agent_log_clear();
    status[1] = 1; /* cancelled */
    wait_for(54, status, 0);
    expect("IoOperationCancelled 0 %d\n", id + 3);

    /* Of a file that is not known: the handles are counted, nothing is recorded. */
    start_request(twin, 55);
    start_request(file, 55);
    agent_log_clear();
    status[1] = 0;
    wait_for(55, status, 0);
    expect("%s", "");
    wait_for(55, status, 0);
    expect("IoOperationComplete 0 200 %d\n", id + 4);
}

Test(mpi_file, split_operations)
{
    int id = begin(RDWR);
    int status[5] = {100};
    agent_log_clear();
    for (int ret = 0; ret < 2; ret++, id++) {
        struct mpi_file_op op = start(file, OTF2_IO_OPERATION_FLAG_COLLECTIVE);
        mpi_file_split_begin(&op, file);
        mpi_file_issued(NULL, &op, 0);
        mpi_file_split_end(NULL, twin, 0, status);
        expect("IoOperationBegin 0 1 2 400 %d\nIoOperationIssued 0 %d\n", id, id);
        mpi_file_split_end(NULL, file, ret, status);
        if (ret)
            expect("IoOperationCancelled 0 %d\n", id);
        else
            expect("IoOperationComplete 0 100 %d\n", id);
        mpi_file_split_end(NULL, file, 0, status);
        expect("%s", "");
    }
}

Test(mpi_file, positions)
{
    const unsigned long long unknown = OTF2_UNDEFINED_UINT64;
    begin(RDWR);
    agent_log_clear();
    fake_position = 70;
    mpi_file_sought(NULL, file, 30, SEEK_TO, false);
    mpi_file_sought(NULL, file, 30, SEEK_BY, false);
    mpi_file_sought(NULL, file, -30, SEEK_BACK, false);
    mpi_file_sought(NULL, file, 30, SEEK_TO, true);
    mpi_file_sought(NULL, file, 30, SEEK_BY, true);
    mpi_file_viewed(NULL, file);
    expect("IoSeek 0 30 0 30\nIoSeek 0 30 1 70\nIoSeek 0 %llu 2 70\nIoSeek 0 30 0 30\n"
           "IoSeek 0 30 1 %llu\nIoSeek 0 0 0 0\n",
           (unsigned long long)-30, unknown);
}
