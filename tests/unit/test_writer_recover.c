/* SPDX-License-Identifier: BSD-3-Clause */
/* links: writer format */
/* Going on with the events of a process that died: include/otf2x/otf2x.h. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "tests/unit/remove_folder.h"
#include "writer/chunk.h"
#include "writer/evt_inline.h"
#include "writer/file.h"

enum { CHUNK = 256 * 1024, CHUNKS = 64, LOCATION = 7 };

/* Memory outlives its writer, as in the agent's segments. */
static uint8_t *chunks[CHUNKS];
static unsigned n_chunks;
static unsigned limit = CHUNKS;

static void *allocate(void *user, OTF2_FileType type, OTF2_LocationRef location, void **per_buffer,
                      uint64_t bytes)
{
    (void)user, (void)location, (void)per_buffer;
    if (type != OTF2_FILETYPE_EVENTS)
        return malloc(bytes);
    if (n_chunks == limit)
        return NULL;
    chunks[n_chunks] = malloc(bytes);
    return chunks[n_chunks++];
}

static void free_all(void *user, OTF2_FileType type, OTF2_LocationRef location, void **per_buffer,
                     bool final)
{
    (void)user, (void)location, (void)per_buffer, (void) final;
    if (type == OTF2_FILETYPE_EVENTS)
        n_chunks = 0;
}

static OTF2_FlushType always(void *user, OTF2_FileType type, OTF2_LocationRef location,
                             void *caller, bool final)
{
    (void)user, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static const OTF2_MemoryCallbacks memory = {allocate, free_all};
static const OTF2_FlushCallbacks flush = {always, NULL};
static char top[] = P_tmpdir "/spur-recover-XXXXXX";

static void make_top(void)
{
    cr_assert(mkdtemp(top));
    n_chunks = 0;
    limit = CHUNKS;
}

static void remove_top(void)
{
    remove_folder(top);
}

TestSuite(recover, .init = make_top, .fini = remove_top);

static OTF2_Archive *open_archive(const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", top, name);
    OTF2_Archive *a = OTF2_Archive_Open(path, "traces", OTF2_FILEMODE_WRITE, CHUNK, CHUNK,
                                        OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    cr_assert_eq(OTF2_Archive_SetFlushCallbacks(a, &flush, NULL), OTF2_SUCCESS);
    cr_assert_eq(OTF2_Archive_SetMemoryCallbacks(a, &memory, NULL), OTF2_SUCCESS);
    cr_assert_eq(OTF2_Archive_SetSerialCollectiveCallbacks(a), OTF2_SUCCESS);
    return a;
}

static const char *file_of(const char *name)
{
    static char path[96];
    snprintf(path, sizeof path, "%s/%s/traces/%d.evt", top, name, LOCATION);
    return path;
}

static void put_events(OTF2_EvtWriter *w, unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++)
        cr_assert_eq(OTF2_EvtWriter_Enter(w, NULL, i / 3, i), OTF2_SUCCESS);
}

static uint8_t *read_all(const char *path, uint64_t *bytes)
{
    cr_assert_eq(otf2_file_size(&otf2_file_plain, path, bytes), 0, "%s", path);
    uint8_t *data = malloc(*bytes + 1);
    cr_assert_eq(otf2_file_read(&otf2_file_plain, path, 0, data, *bytes), 0);
    return data;
}

static void compare(const char *one, const char *other)
{
    uint64_t n, m;
    uint8_t *a = read_all(file_of(one), &n);
    uint8_t *b = read_all(file_of(other), &m);
    cr_assert_eq(n, m);
    cr_assert_arr_eq(a, b, n);
    free(a);
    free(b);
}

/* The file of a process that lives to the end. */
static void write_whole(const char *name, unsigned events)
{
    OTF2_Archive *a = open_archive(name);
    put_events(OTF2_Archive_GetEvtWriter(a, LOCATION), 0, events);
    cr_assert_eq(OTF2_Archive_Close(a), OTF2_SUCCESS);
}

/*
 * The first `died_at` events are by a process that dies, the rest by a process that adopts the
 * leftovers: sealed chunks in memory and in the file, and an open chunk.
 */
static void write_in_two(const char *name, unsigned died_at, unsigned events)
{
    struct otf2_evt_cursor cursor;
    OTF2_Archive *dead = open_archive(name);
    OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(dead, LOCATION);
    cr_assert_eq(OTF2X_EvtWriter_SetCursor(w, &cursor), OTF2_SUCCESS);
    cr_assert_null(cursor.chunk);
    put_events(w, 0, died_at);
    unsigned n_sealed = n_chunks ? n_chunks - 1 : 0;
    uint64_t used = cursor.pos ? (uint64_t)(cursor.pos - cursor.chunk) : 0;

    /* The dead archive stays open. The sealed chunks go to the file, behind the file's content. */
    uint64_t bytes = 0;
    (void)otf2_file_size(&otf2_file_plain, file_of(name), &bytes);
    cr_assert_eq(bytes % CHUNK, 0);
    for (unsigned i = 0; i < n_sealed; i++) {
        struct otf2_bytes part = {chunks[i], CHUNK};
        cr_assert_eq(otf2_file_write(&otf2_file_plain, file_of(name), bytes, &part, 1), 0);
        bytes += CHUNK;
    }
    uint8_t *last = malloc(CHUNK);
    memcpy(last, cursor.chunk, used);

    char second[32], from[96];
    snprintf(second, sizeof second, "%s-2", name);
    OTF2_Archive *a = open_archive(second);
    snprintf(from, sizeof from, "%s", file_of(name));
    if (bytes)
        cr_assert_eq(rename(from, file_of(second)), 0);
    n_chunks = 0;
    w = OTF2_Archive_GetEvtWriter(a, LOCATION);
    cr_assert_eq(OTF2X_EvtWriter_Adopt(w, last, used), OTF2_SUCCESS);
    uint64_t n = 0;
    cr_assert_eq(OTF2_EvtWriter_GetNumberOfEvents(w, &n), OTF2_SUCCESS);
    cr_assert_eq(n, died_at);
    if (died_at > 3)
        cr_assert_neq(OTF2_EvtWriter_Enter(w, NULL, 0, 0), OTF2_SUCCESS, "time is adopted");
    put_events(w, died_at, events);
    cr_assert_eq(OTF2_Archive_Close(a), OTF2_SUCCESS);
    free(last);
}

Test(recover, adopted_events_are_those_of_one_process)
{
    static const unsigned died_at[] = {1, 2, 500, 30000, 40000, 90000, 99999};
    OTF2_Error_RegisterCallback(NULL, NULL);
    write_whole("whole", 100000);
    for (unsigned i = 0; i < sizeof died_at / sizeof *died_at; i++) {
        char name[16], second[32];
        snprintf(name, sizeof name, "two%u", i);
        snprintf(second, sizeof second, "%s-2", name);
        n_chunks = 0;
        write_in_two(name, died_at[i], 100000);
        compare("whole", second);
    }
}

Test(recover, adopted_events_after_a_flush)
{
    limit = 2;
    write_whole("whole", 200000);
    n_chunks = 0;
    write_in_two("two", 150000, 200000);
    compare("whole", "two-2");
}

/* ---- chunks that become wider ---- */

enum { PIECE = 16 * 1024 };
static uint64_t room[CHUNKS], most_room;

/* The memory is read-only until offer() makes room. */
static void *allocate_narrow(void *user, OTF2_FileType type, OTF2_LocationRef location,
                             void **per_buffer, uint64_t bytes)
{
    if (type != OTF2_FILETYPE_EVENTS)
        return allocate(user, type, location, per_buffer, bytes);
    void *chunk = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(chunk, MAP_FAILED);
    room[n_chunks] = 0;
    return chunks[n_chunks++] = chunk;
}

static uint64_t offer(const void *chunk, uint64_t at_least)
{
    unsigned i = 0;
    while (chunks[i] != chunk)
        i++;
    while (room[i] < at_least && room[i] < most_room)
        room[i] += PIECE;
    cr_assert_eq(mprotect(chunks[i], room[i], PROT_READ | PROT_WRITE), 0);
    return room[i];
}

static void write_narrow(const char *name, unsigned events)
{
    static const OTF2_MemoryCallbacks narrow = {allocate_narrow, free_all};
    n_chunks = 0;
    OTF2X_AskForRoom(offer);
    OTF2_Archive *a = open_archive(name);
    cr_assert_eq(OTF2_Archive_SetMemoryCallbacks(a, &narrow, NULL), OTF2_SUCCESS);
    OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, LOCATION);
    put_events(w, 0, events);
    uint64_t n = 0;
    cr_assert_eq(OTF2_EvtWriter_GetNumberOfEvents(w, &n), OTF2_SUCCESS);
    cr_assert_eq(n, events);
    cr_assert_eq(OTF2_Archive_Close(a), OTF2_SUCCESS);
    OTF2X_AskForRoom(NULL);
}

Test(recover, room_that_comes_late_changes_no_byte)
{
    write_whole("whole", 100000);
    most_room = CHUNK;
    write_narrow("narrow", 100000);
    compare("whole", "narrow");
}

Test(recover, a_chunk_without_more_room_is_full)
{
    uint64_t whole, narrow;
    write_whole("whole", 100000);
    most_room = CHUNK / 4;
    write_narrow("narrow", 100000);
    cr_assert_eq(otf2_file_size(&otf2_file_plain, file_of("whole"), &whole), 0);
    cr_assert_eq(otf2_file_size(&otf2_file_plain, file_of("narrow"), &narrow), 0);
    cr_assert_gt(narrow, 3 * whole);
}

/* ---- chunks that nobody needs any more ---- */

static unsigned n_told;

/* A reported chunk is in the file, as in memory, and the writer never looks at its memory again. */
static void overwrite(void *chunk)
{
    uint8_t *data = malloc(CHUNK);
    cr_assert_eq(otf2_file_read(&otf2_file_plain, file_of("told"), (uint64_t)n_told * CHUNK, data,
                                CHUNK),
                 0);
    cr_assert_arr_eq(data, chunk, CHUNK);
    memset(chunk, 0xff, CHUNK);
    free(data);
    n_told++;
}

static void write_told(unsigned most_chunks)
{
    limit = most_chunks;
    n_told = n_chunks = 0;
    OTF2X_TellWritten(overwrite);
    write_whole("told", 100000);
    OTF2X_TellWritten(NULL);
    limit = CHUNKS;
}

Test(recover, a_chunk_that_is_told_of_is_not_needed)
{
    uint64_t bytes;
    write_whole("whole", 100000);
    cr_assert_eq(otf2_file_size(&otf2_file_plain, file_of("whole"), &bytes), 0);
    cr_assert_gt(bytes, 2 * CHUNK);
    write_told(CHUNKS);
    compare("whole", "told");
    cr_assert_eq(n_told, bytes / CHUNK, "all but the last");
}

Test(recover, a_flush_tells_nothing)
{
    write_told(1);
    cr_assert_eq(n_told, 0, "what was flushed may be taken back, and the last is not whole");
}

/* ---- files that are damaged ---- */

/* The file, of whole chunks and a part, is adopted, and its writer closed. */
static void adopt_in_vain(const char *name, uint64_t bytes, OTF2_ErrorCode adopted)
{
    struct rlimit old, small = {2 * CHUNK, RLIM_INFINITY};
    write_whole(name, 100000);
    cr_assert_eq(otf2_file_cut(&otf2_file_plain, file_of(name), bytes), 0);
    uint8_t *before = malloc(bytes), *after = malloc(bytes);
    cr_assert_eq(otf2_file_read(&otf2_file_plain, file_of(name), 0, before, bytes), 0);

    char second[32], from[96];
    snprintf(second, sizeof second, "%s-2", name);
    OTF2_Archive *a = open_archive(second);
    snprintf(from, sizeof from, "%s", file_of(name));
    cr_assert_eq(rename(from, file_of(second)), 0);
    OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, LOCATION);
    cr_assert_eq(OTF2X_EvtWriter_Adopt(w, NULL, 0), adopted);
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &old), 0);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    OTF2_ErrorCode closed = OTF2_Archive_CloseEvtWriter(a, w);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &old), 0);
    cr_assert_eq(closed, adopted == OTF2_SUCCESS ? OTF2_ERROR_EFBIG : OTF2_SUCCESS);

    uint64_t left = 0;
    cr_assert_eq(otf2_file_size(&otf2_file_plain, file_of(second), &left), 0);
    cr_assert_eq(left, bytes);
    cr_assert_eq(otf2_file_read(&otf2_file_plain, file_of(second), 0, after, bytes), 0);
    cr_assert_arr_eq(before, after, bytes);
    cr_assert_eq(OTF2_Archive_Close(a), OTF2_SUCCESS);
    free(before);
    free(after);
}

Test(recover, what_cannot_be_completed_stays_as_it_was)
{
    OTF2_Error_RegisterCallback(NULL, NULL);
    signal(SIGXFSZ, SIG_IGN);
    adopt_in_vain("whole", 2 * CHUNK, OTF2_SUCCESS);
    n_chunks = 0;
    adopt_in_vain("part", 2 * CHUNK - 9, OTF2_ERROR_INTEGRITY_FAULT);
}

Test(recover, damaged_chunks_are_refused)
{
    struct otf2_evt_cursor cursor;
    OTF2_Archive *a = open_archive("damaged");
    OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, LOCATION);
    cr_assert_eq(OTF2X_EvtWriter_SetCursor(w, &cursor), OTF2_SUCCESS);
    put_events(w, 0, 100);
    uint8_t *chunk = chunks[0];
    struct otf2_chunk_content content;
    unsigned whole = 0;
    for (uint64_t used = 0; used <= (uint64_t)(cursor.pos - chunk); used++)
        whole += otf2_chunk_walk(chunk, used, &content);
    /* Behind the header, each timestamp (one for each event at time 0) and each event. */
    cr_assert_eq(whole, 1 + 3 + 33 + 100, "%u", whole);
    cr_assert_eq(content.last, 100);
    cr_assert_eq(content.time, 33);
    uint64_t last = 0;
    uint8_t *copy = malloc(CHUNK);
    memcpy(copy, chunk, CHUNK);
    cr_assert_eq(OTF2X_SealChunk(copy, CHUNK, 27 + 2, &last), OTF2_SUCCESS);
    cr_assert_eq(last, 1);
    cr_assert_eq(copy[10], 1);
    cr_assert_eq(copy[CHUNK - 1], 0);
    copy[0] = 9;
    cr_assert_eq(OTF2X_SealChunk(copy, CHUNK, 29, &last), OTF2_ERROR_INTEGRITY_FAULT);
    copy[0] = chunk[0];
    copy[27] = 7;
    cr_assert_eq(OTF2X_SealChunk(copy, CHUNK, 29, &last), OTF2_ERROR_INTEGRITY_FAULT);
    free(copy);
    cr_assert_eq(OTF2_Archive_Close(a), OTF2_SUCCESS);
}

Test(recover, a_cursor_is_placed_before_the_first_event)
{
    struct otf2_evt_cursor cursor;
    OTF2_Archive *a = open_archive("cursor");
    OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, LOCATION);
    cr_assert_eq(OTF2X_EvtWriter_SetCursor(NULL, &cursor), OTF2_ERROR_INVALID_ARGUMENT);
    cr_assert_eq(OTF2X_EvtWriter_SetCursor(w, NULL), OTF2_ERROR_INVALID_ARGUMENT);
    put_events(w, 0, 1);
    cr_assert_eq(OTF2X_EvtWriter_SetCursor(w, &cursor), OTF2_ERROR_INVALID_CALL);
    cr_assert_eq(OTF2X_EvtWriter_Adopt(w, NULL, 0), OTF2_ERROR_INVALID_CALL);
    cr_assert_eq(OTF2_Archive_Close(a), OTF2_SUCCESS);
}
