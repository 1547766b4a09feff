/* SPDX-License-Identifier: BSD-3-Clause */
/* links: writer format */
/* What the writing side does when files or memory cannot be had. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <otf2/otf2.h>

#include "tests/unit/remove_folder.h"
#include "writer/chunk.h"
#include "writer/file.h"

enum { CHUNK = 256 * 1024 };

static char top[] = P_tmpdir "/spur-errors-XXXXXX";
static OTF2_FlushType reply = OTF2_FLUSH;

static OTF2_FlushType answer(void *user, OTF2_FileType type, OTF2_LocationRef location,
                             void *caller, bool final)
{
    (void)user, (void)type, (void)location, (void)caller, (void) final;
    return reply;
}

static char heard[512];

__attribute__((format(printf, 6, 0))) static OTF2_ErrorCode
listen(void *user, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
       const char *format, va_list va)
{
    (void)user, (void)file, (void)line, (void)function;
    vsnprintf(heard, sizeof heard, format, va);
    return code;
}

static void make_top(void)
{
    cr_assert(mkdtemp(top));
    OTF2_Error_RegisterCallback(listen, NULL);
}

static void remove_top(void)
{
    remove_folder(top);
}

TestSuite(errors, .init = make_top, .fini = remove_top);

static OTF2_Archive *open_alone(const char *name)
{
    static const OTF2_FlushCallbacks flush = {answer, NULL};
    char path[64];
    snprintf(path, sizeof path, "%s/%s", top, name);
    OTF2_Archive *a = OTF2_Archive_Open(path, "traces", OTF2_FILEMODE_WRITE, CHUNK, CHUNK,
                                        OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    cr_assert_eq(OTF2_Archive_SetFlushCallbacks(a, &flush, NULL), OTF2_SUCCESS);
    return a;
}

static OTF2_Archive *open_archive(const char *name)
{
    OTF2_Archive *a = open_alone(name);
    cr_assert_eq(OTF2_Archive_SetSerialCollectiveCallbacks(a), OTF2_SUCCESS);
    return a;
}

static OTF2_ErrorCode put_events(OTF2_EvtWriter *w, unsigned n)
{
    OTF2_ErrorCode error = OTF2_SUCCESS;
    for (unsigned i = 0; i < n && !error; i++)
        error = OTF2_EvtWriter_Enter(w, NULL, i, i);
    return error;
}

/* As a full disk does: what is beyond the limit is not written. */
static void limit_files(rlim_t bytes)
{
    const struct rlimit limit = {bytes, RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

Test(errors, a_full_disk_keeps_what_was_written)
{
    OTF2_Archive *a = open_archive("full");
    OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, 1);
    limit_files(2 * CHUNK + 1000);
    cr_assert_eq(put_events(w, 100000), OTF2_SUCCESS, "it is all in memory");
    cr_assert_eq(OTF2_Archive_CloseEvtWriter(a, w), OTF2_ERROR_EFBIG);
    cr_assert(strstr(heard, "full/traces/1.evt"), "%s", heard);

    char path[64];
    uint64_t bytes = 0;
    snprintf(path, sizeof path, "%s/full/traces/1.evt", top);
    cr_assert_eq(otf2_file_size(&otf2_file_plain, path, &bytes), 0);
    cr_assert_eq(bytes, 2 * CHUNK);
    uint8_t *chunk = malloc(CHUNK);
    cr_assert_eq(otf2_file_read(&otf2_file_plain, path, CHUNK, chunk, CHUNK), 0);
    struct otf2_chunk_content content;
    cr_assert_not(otf2_chunk_walk(chunk, CHUNK, &content), "the end is marked");
    cr_assert_eq(chunk[content.used], 2);
    cr_assert(otf2_chunk_walk(chunk, content.used, &content));
    free(chunk);
    cr_assert_eq(OTF2_Archive_Close(a), OTF2_SUCCESS);
}

Test(errors, a_full_disk_at_the_anchor)
{
    OTF2_Archive *a = open_archive("anchor");
    limit_files(10);
    cr_assert_eq(OTF2_Archive_Close(a), OTF2_ERROR_EFBIG);
    cr_assert(strstr(heard, "anchor/traces.otf2"), "%s", heard);
}

Test(errors, a_removed_directory)
{
    OTF2_Archive *a = open_archive("gone");
    OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, 1);
    cr_assert_eq(put_events(w, 10), OTF2_SUCCESS);
    remove_top();
    cr_assert_eq(OTF2_Archive_CloseEvtWriter(a, w), OTF2_ERROR_ENOENT);
    cr_assert_eq(OTF2_Archive_Close(a), OTF2_ERROR_ENOENT);
}

/* Until it has a directory, an archive writes into memory; what lies where it is to go stays. */
Test(errors, no_file_before_the_collective_callbacks)
{
    enum { SEVERAL_CHUNKS = 50000 };
    char path[64];
    struct stat before, after;
    OTF2_Archive *a = open_archive("old");
    cr_assert_eq(put_events(OTF2_Archive_GetEvtWriter(a, 1), 10), OTF2_SUCCESS);
    cr_assert_eq(OTF2_Archive_Close(a), OTF2_SUCCESS);
    snprintf(path, sizeof path, "%s/old/traces/1.evt", top);
    cr_assert_eq(stat(path, &before), 0);

    a = open_alone("old");
    OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, 1);
    cr_assert_eq(put_events(w, SEVERAL_CHUNKS), OTF2_SUCCESS);
    cr_expect_eq(OTF2_Archive_CloseEvtWriter(a, w), OTF2_ERROR_INTEGRITY_FAULT);
    cr_expect_eq(OTF2_Archive_SetSerialCollectiveCallbacks(a), OTF2_ERROR_EEXIST);
    cr_expect_eq(OTF2_Archive_GetEvtWriter(a, 1), NULL);
    OTF2_Archive_Close(a);
    cr_assert_eq(stat(path, &after), 0);
    cr_expect_eq(before.st_size, after.st_size);
}

/* As tools do that record before they know of the other processes. */
Test(errors, events_before_the_collective_callbacks)
{
    enum { SEVERAL_CHUNKS = 50000 };
    uint64_t n = 0;
    char path[64];
    struct stat info;
    OTF2_Archive *a = open_alone("early");
    OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, OTF2_UNDEFINED_LOCATION);
    cr_assert(w);
    cr_assert_eq(put_events(w, SEVERAL_CHUNKS), OTF2_SUCCESS);
    cr_assert_eq(OTF2_EvtWriter_SetLocationID(w, 7), OTF2_SUCCESS);
    cr_assert_eq(put_events(w, 1), OTF2_ERROR_INVALID_ARGUMENT); /* time goes back */
    cr_assert_eq(OTF2_Archive_SetSerialCollectiveCallbacks(a), OTF2_SUCCESS);
    cr_assert_eq(OTF2_EvtWriter_GetNumberOfEvents(w, &n), OTF2_SUCCESS);
    cr_expect_eq(n, SEVERAL_CHUNKS);
    cr_assert_eq(OTF2_Archive_Close(a), OTF2_SUCCESS);
    snprintf(path, sizeof path, "%s/early/traces/7.evt", top);
    cr_assert_eq(stat(path, &info), 0);
    cr_expect_gt(info.st_size, 2 * CHUNK);
}

static void *no_memory(void *user, OTF2_FileType type, OTF2_LocationRef location, void **per_buffer,
                       uint64_t bytes)
{
    (void)type, (void)location, (void)per_buffer;
    unsigned *left = user;
    return *left ? (--*left, malloc(bytes)) : NULL;
}

/* Leaks what it gave: the test is about refusals. */
static void no_free(void *user, OTF2_FileType type, OTF2_LocationRef location, void **per_buffer,
                    bool final)
{
    (void)user, (void)type, (void)location, (void)per_buffer, (void) final;
}

Test(errors, refused_memory_at_every_step)
{
    static const OTF2_MemoryCallbacks memory = {no_memory, no_free};
    for (unsigned give = 0; give < 12; give++) {
        char name[16];
        snprintf(name, sizeof name, "memory%u", give);
        unsigned left = give;
        OTF2_Archive *a = open_archive(name);
        cr_assert_eq(OTF2_Archive_SetMemoryCallbacks(a, &memory, &left), OTF2_SUCCESS);
        OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, 1);
        cr_assert_eq(!w, give == 0);
        for (unsigned i = 0; w && i < 200000; i++) {
            OTF2_ErrorCode error = OTF2_EvtWriter_Enter(w, NULL, i, i);
            cr_assert(error == OTF2_SUCCESS || error == OTF2_ERROR_MEM_FAULT);
        }
        OTF2_DefWriter *d = OTF2_Archive_GetDefWriter(a, 1);
        OTF2_GlobalDefWriter *g = OTF2_Archive_GetGlobalDefWriter(a);
        for (unsigned i = 0; i < 30000; i++) {
            (void)OTF2_DefWriter_WriteString(d, i, "a text");
            (void)OTF2_GlobalDefWriter_WriteString(g, i, "a text");
        }
        cr_assert_eq(OTF2_Archive_Close(a), OTF2_SUCCESS);
    }
}

Test(errors, no_consent_leaves_no_file)
{
    OTF2_Archive *a = open_archive("refused");
    OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, 1);
    cr_assert_eq(put_events(w, 100000), OTF2_SUCCESS);
    reply = OTF2_NO_FLUSH;
    cr_assert_eq(OTF2_Archive_CloseEvtWriter(a, w), OTF2_SUCCESS);
    char path[64];
    snprintf(path, sizeof path, "%s/refused/traces/1.evt", top);
    cr_assert_eq(access(path, F_OK), -1);
    reply = OTF2_FLUSH;
    cr_assert_eq(OTF2_Archive_Close(a), OTF2_SUCCESS);
}

Test(errors, files_are_not_kept_open)
{
    OTF2_Archive *a = open_archive("many");
    const struct rlimit limit = {20, 20};
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    for (OTF2_LocationRef i = 0; i < 200; i++) {
        OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, i << 32);
        cr_assert_eq(put_events(w, 10), OTF2_SUCCESS);
        cr_assert_eq(OTF2_Archive_GetEvtWriter(a, i << 32), w);
    }
    cr_assert_eq(OTF2_Archive_Close(a), OTF2_SUCCESS);
}
