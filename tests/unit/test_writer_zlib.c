/* SPDX-License-Identifier: BSD-3-Clause */
/* links: writer format-zlib format */
/*
 * Archives that are written compressed, and unpacked by the command: equal to what the same calls
 * write plain, and left alone when they are damaged.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <otf2/otf2.h>

#include "format/zblock.h"
#include "format/zcodec.h"
#include "tests/unit/remove_folder.h"
#include "writer/chunk.h"
#include "writer/file.h"

enum { CHUNK = 256 * 1024, POOL = 3, AT_COMPRESSION = 29, FROM_TRACE_ID = 19, TO_TRACE_ID = 11 };

static char top[] = P_tmpdir "/spur-zlib-XXXXXX";
static char command[4200];
static OTF2_FlushType reply = OTF2_FLUSH;
static unsigned n_warnings;

static OTF2_FlushType answer(void *user, OTF2_FileType type, OTF2_LocationRef location,
                             void *caller, bool final)
{
    (void)user, (void)location, (void)caller;
    return final && type == OTF2_FILETYPE_EVENTS ? reply : OTF2_FLUSH;
}

static OTF2_TimeStamp flushed(void *user, OTF2_FileType type, OTF2_LocationRef location)
{
    (void)user, (void)type, (void)location;
    return 77;
}

/* Memory that is full after a few chunks, so that flushes happen. */
struct pool {
    void *chunks[POOL];
    unsigned n;
};

static void *allocate(void *user, OTF2_FileType type, OTF2_LocationRef location, void **per_buffer,
                      uint64_t bytes)
{
    (void)user, (void)type, (void)location;
    if (!*per_buffer)
        *per_buffer = calloc(1, sizeof(struct pool));
    struct pool *pool = *per_buffer;
    return pool->n < POOL ? pool->chunks[pool->n++] = malloc(bytes) : NULL;
}

static void free_all(void *user, OTF2_FileType type, OTF2_LocationRef location, void **per_buffer,
                     bool final)
{
    (void)user, (void)type, (void)location;
    struct pool *pool = *per_buffer;
    while (pool && pool->n)
        free(pool->chunks[--pool->n]);
    if (final) {
        free(pool);
        *per_buffer = NULL;
    }
}

__attribute__((format(printf, 6, 0))) static OTF2_ErrorCode
listen(void *user, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
       const char *format, va_list va)
{
    (void)user, (void)file, (void)line, (void)function, (void)format, (void)va;
    n_warnings += code == OTF2_WARNING;
    return code;
}

static void make_top(void)
{
    cr_assert(mkdtemp(top));
    OTF2_Error_RegisterCallback(listen, NULL);
    /* BUILD/tests/test_writer_zlib */
    char self[4096] = "";
    cr_assert_gt(readlink("/proc/self/exe", self, sizeof self - 1), 0);
    *strrchr(self, '/') = '\0';
    snprintf(command, sizeof command, "%s/../libexec/spur/spur-unpack", self);
}

static void remove_top(void)
{
    remove_folder(top);
}

TestSuite(zlib, .init = make_top, .fini = remove_top);

static const char *in_top(const char *name)
{
    static char paths[4][128];
    static unsigned i;
    char *path = paths[i++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", top, name);
    return path;
}

static OTF2_Archive *open_archive(const char *name, bool is_packed, bool has_memory)
{
    static const OTF2_FlushCallbacks flush = {answer, flushed};
    static const OTF2_MemoryCallbacks memory = {allocate, free_all};
    OTF2_Archive *a = OTF2_Archive_Open(in_top(name), "traces", OTF2_FILEMODE_WRITE, CHUNK, CHUNK,
                                        OTF2_SUBSTRATE_POSIX,
                                        is_packed ? OTF2_COMPRESSION_ZLIB : OTF2_COMPRESSION_NONE);
    cr_assert(a);
    cr_assert_eq(OTF2_Archive_SetFlushCallbacks(a, &flush, NULL), OTF2_SUCCESS);
    if (has_memory)
        cr_assert_eq(OTF2_Archive_SetMemoryCallbacks(a, &memory, NULL), OTF2_SUCCESS);
    cr_assert_eq(OTF2_Archive_SetSerialCollectiveCallbacks(a), OTF2_SUCCESS);
    return a;
}

/* ---- reading and unpacking ---- */

struct content {
    uint8_t *bytes;
    uint64_t size;
};

static struct content read_all(const char *path)
{
    struct content c = {0};
    cr_assert_eq(otf2_file_size(&otf2_file_plain, path, &c.size), 0, "%s", path);
    c.bytes = malloc(c.size + 1);
    cr_assert_eq(otf2_file_read(&otf2_file_plain, path, 0, c.bytes, c.size), 0);
    return c;
}

static void write_file(const char *path, const uint8_t *bytes, size_t size)
{
    FILE *f = fopen(path, "w");
    cr_assert(f && fwrite(bytes, 1, size, f) == size && !fclose(f));
}

/* The command's status; its error lines in said[]. */
static char said[1024];

static int unpack(const char *name)
{
    char path[256];
    char *argv[] = {command, path, NULL};
    char *environment[] = {"ASAN_OPTIONS=exitcode=99", "UBSAN_OPTIONS=exitcode=99", NULL};
    const char *errors = in_top("errors");
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status;
    snprintf(path, sizeof path, "%s", in_top(name));
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    cr_assert_eq(posix_spawn(&pid, command, &actions, NULL, argv, environment), 0, "%s", command);
    posix_spawn_file_actions_destroy(&actions);
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    struct content c = read_all(errors);
    snprintf(said, sizeof said, "%.*s", (int)c.size, (char *)c.bytes);
    free(c.bytes);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static unsigned lines(void)
{
    unsigned n = 0;
    for (const char *p = said; *p; p++)
        n += *p == '\n';
    return n;
}

/* ---- equal archives ---- */

static char other[64];
static unsigned n_files, n_chunks;

static int compare_one(const char *path, const struct stat *stat, int type, struct FTW *walk)
{
    (void)stat, (void)walk;
    if (type != FTW_F)
        return 0;
    const char *rest = strchr(path + strlen(top) + 1, '/');
    char name[128];
    snprintf(name, sizeof name, "%s%s", other, rest);
    struct content a = read_all(path), b = read_all(in_top(name));
    if (strstr(path, ".otf2")) {
        memset(a.bytes + a.size - FROM_TRACE_ID, 0, FROM_TRACE_ID - TO_TRACE_ID);
        memset(b.bytes + b.size - FROM_TRACE_ID, 0, FROM_TRACE_ID - TO_TRACE_ID);
    }
    cr_assert_eq(a.size, b.size, "%s: %lu and %lu bytes", rest, a.size, b.size);
    cr_assert_eq(memcmp(a.bytes, b.bytes, a.size), 0, "%s differs", rest);
    n_files++;
    n_chunks += (unsigned)(a.size / CHUNK);
    free(a.bytes);
    free(b.bytes);
    return 0;
}

/* Both ways, so that neither has a file too many. */
static void assert_equal(const char *one, const char *two)
{
    snprintf(other, sizeof other, "%s", two);
    cr_assert_eq(nftw(in_top(one), compare_one, 16, FTW_PHYS), 0);
    snprintf(other, sizeof other, "%s", one);
    cr_assert_eq(nftw(in_top(two), compare_one, 16, FTW_PHYS), 0);
}

/* ---- what is written ---- */

static uint64_t noise(uint64_t *state)
{
    return *state = *state * 6364136223846793005u + 1442695040888963407u;
}

static void put_location(OTF2_Archive *a, OTF2_LocationRef location, unsigned n_events)
{
    uint64_t state = location;
    OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, location);
    OTF2_AttributeList *list = OTF2_AttributeList_New();
    for (unsigned i = 0; i < n_events; i++) {
        OTF2_Type type = OTF2_TYPE_UINT64;
        OTF2_MetricValue value = {.unsigned_int = noise(&state)};
        if (i % 7 == 0)
            OTF2_AttributeList_AddUint64(list, 1, noise(&state));
        cr_assert_eq(OTF2_EvtWriter_Enter(w, list, 100 + i, i % 300), OTF2_SUCCESS);
        cr_assert_eq(OTF2_EvtWriter_Metric(w, NULL, 100 + i, 0, 1, &type, &value), OTF2_SUCCESS);
    }
    OTF2_AttributeList_Delete(list);

    OTF2_SnapWriter *s = OTF2_Archive_GetSnapWriter(a, location);
    OTF2_DefWriter *d = OTF2_Archive_GetDefWriter(a, location);
    for (unsigned i = 0; i < n_events / 4; i++) {
        cr_assert_eq(OTF2_SnapWriter_Enter(s, NULL, 200, i, i), OTF2_SUCCESS);
        cr_assert_eq(OTF2_DefWriter_WriteString(d, i, "of a location"), OTF2_SUCCESS);
    }
}

static void put_all(const char *name, bool is_packed, bool has_memory, unsigned n_events)
{
    const uint64_t refs[] = {1, 2};
    OTF2_Archive *a = open_archive(name, is_packed, has_memory);
    for (OTF2_LocationRef location = 0; location < 2; location++)
        put_location(a, location, n_events);
    OTF2_GlobalDefWriter *g = OTF2_Archive_GetGlobalDefWriter(a);
    for (unsigned i = 0; i < n_events / 2 + 1; i++)
        cr_assert_eq(OTF2_GlobalDefWriter_WriteString(g, i, "a text of all"), OTF2_SUCCESS);
    OTF2_MarkerWriter *m = OTF2_Archive_GetMarkerWriter(a);
    cr_assert_eq(OTF2_MarkerWriter_WriteDefMarker(m, 0, "g", "c", OTF2_SEVERITY_LOW), OTF2_SUCCESS);
    OTF2_ThumbWriter *t =
        OTF2_Archive_GetThumbWriter(a, "n", "d", OTF2_THUMBNAIL_TYPE_REGION, 1, 2, refs);
    cr_assert_eq(OTF2_ThumbWriter_WriteSample(t, 1, 2, refs), OTF2_SUCCESS);
    cr_assert_eq(OTF2_Archive_SetDescription(a, "a description"), OTF2_SUCCESS);
    cr_assert_eq(OTF2_Archive_Close(a), OTF2_SUCCESS);
}

static bool is_packed(const char *name)
{
    struct content c = read_all(in_top(name));
    bool answer_ = otf2_zblock_begins(c.bytes, c.size);
    free(c.bytes);
    return answer_;
}

Test(zlib, unpacked_is_what_plain_is)
{
    for (unsigned has_memory = 0; has_memory <= 1; has_memory++) {
        const char *plain = has_memory ? "plain1" : "plain0";
        const char *packed = has_memory ? "packed1" : "packed0";
        char path[64];
        put_all(plain, false, has_memory, 120000);
        cr_assert_eq(n_warnings, has_memory);
        put_all(packed, true, has_memory, 120000);
        cr_assert_eq(n_warnings, has_memory + 1, "one warning for an archive");

        static const char *const names[] = {".def", "/0.evt", "/1.def", "/1.snap"};
        for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
            snprintf(path, sizeof path, "%s/traces%s", packed, names[i]);
            cr_assert(is_packed(path), "%s", path);
        }
        snprintf(path, sizeof path, "%s/traces.marker", packed);
        cr_assert_not(is_packed(path));
        snprintf(path, sizeof path, "%s/traces.0.thumb", packed);
        cr_assert_not(is_packed(path));
        snprintf(path, sizeof path, "%s/traces.otf2", packed);
        struct content anchor = read_all(in_top(path));
        cr_assert_eq(anchor.bytes[AT_COMPRESSION], 2);
        free(anchor.bytes);

        cr_assert_eq(unpack(path), 0, "%s", said);
        cr_assert_str_empty(said);
        n_files = n_chunks = 0;
        assert_equal(plain, packed);
        cr_assert_eq(n_files, 2 * 10);
        cr_assert_gt(n_chunks, 2 * 30);
        cr_assert_eq(unpack(packed), 0);
        cr_assert(strstr(said, "is not compressed"), "%s", said);
        assert_equal(plain, packed);
    }
}

Test(zlib, the_mark_beyond_a_full_chunk)
{
    for (int packed = 0; packed <= 1; packed++) {
        OTF2_Archive *a = open_archive(packed ? "packed" : "plain", packed, false);
        OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, 0);
        cr_assert_eq(OTF2_EvtWriter_Enter(w, NULL, 5, 1), OTF2_SUCCESS);
        for (unsigned i = 0; i < 131049; i++)
            cr_assert_eq(OTF2_EvtWriter_Enter(w, NULL, 5, 0), OTF2_SUCCESS);
        cr_assert_eq(OTF2_EvtWriter_Enter(w, NULL, 6, 1u << 24), OTF2_SUCCESS);
        cr_assert_eq(OTF2_Archive_Close(a), OTF2_SUCCESS);
    }
    uint64_t size = 0;
    cr_assert_eq(otf2_file_size(&otf2_file_plain, in_top("plain/traces/0.evt"), &size), 0);
    cr_assert_eq(size, CHUNK + 1);
    struct content c = read_all(in_top("packed/traces/0.evt"));
    cr_assert_eq(otf2_zblock_get(c.bytes).uncompressed, CHUNK);
    free(c.bytes);
    cr_assert_eq(unpack("packed"), 0, "%s", said);
    assert_equal("plain", "packed");
}

Test(zlib, a_flush_refused_at_the_end)
{
    reply = OTF2_NO_FLUSH;
    put_all("plain", false, true, 60000);
    put_all("packed", true, true, 60000);
    reply = OTF2_FLUSH;
    cr_assert_eq(unpack("packed"), 0, "%s", said);
    cr_assert(strstr(said, "warning: ends without"), "%s", said);
    assert_equal("plain", "packed");
}

Test(zlib, a_full_disk_keeps_what_was_written)
{
    const struct rlimit limit = {2 * CHUNK + 1000, RLIM_INFINITY},
                        none = {RLIM_INFINITY, RLIM_INFINITY};
    OTF2_Archive *a = open_archive("full", true, false);
    OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, 0);
    uint64_t state = 1;
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    for (unsigned i = 0; i < 100000; i++) {
        OTF2_Type type = OTF2_TYPE_UINT64;
        OTF2_MetricValue value = {.unsigned_int = noise(&state)};
        cr_assert_eq(OTF2_EvtWriter_Metric(w, NULL, i, 0, 1, &type, &value), OTF2_SUCCESS);
    }
    cr_assert_eq(OTF2_Archive_CloseEvtWriter(a, w), OTF2_ERROR_EFBIG);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
    cr_assert_eq(OTF2_Archive_Close(a), OTF2_SUCCESS);
    cr_assert_eq(unpack("full"), 0, "%s", said);
    cr_assert_str_empty(said, "it has its mark of the end");
    struct content c = read_all(in_top("full/traces/0.evt"));
    struct otf2_chunk_content chunk;
    cr_assert_gt(c.size, CHUNK);
    size_t last = c.size - c.size % CHUNK;
    cr_assert(otf2_chunk_walk(c.bytes + last, c.size % CHUNK - 2, &chunk));
    cr_assert_eq(chunk.used, c.size % CHUNK - 2);
    free(c.bytes);
}

/* ---- damage ---- */

/* Unpacks with these bytes for a file; whatever it says, the archive stays or becomes plain. */
static int try_bytes(const char *path, const uint8_t *bytes, size_t size)
{
    write_file(path, bytes, size);
    int status = unpack("small");
    cr_assert(status == 0 || status == 1, "status %d: %s", status, said);
    cr_assert_eq(access(in_top("small/traces/0.evt.remade"), F_OK), -1);
    if (status) {
        struct content now = read_all(path);
        cr_assert(now.size == size && !memcmp(now.bytes, bytes, size), "changed");
        free(now.bytes);
        cr_assert_eq(lines(), 1, "%s", said);
    }
    return status;
}

Test(zlib, damage_is_told_and_leaves_the_archive)
{
    put_all("small", true, false, 2);
    char path[128], anchor_path[128];
    snprintf(path, sizeof path, "%s", in_top("small/traces/0.evt"));
    snprintf(anchor_path, sizeof anchor_path, "%s", in_top("small/traces.otf2"));
    struct content whole = read_all(path), anchor = read_all(anchor_path);
    for (size_t size = 1; size < whole.size; size++) {
        cr_assert_eq(try_bytes(path, whole.bytes, size), 1, "%zu bytes", size);
        cr_assert(strstr(said, "small/traces/0.evt: block at offset 0: "), "%s", said);
    }
    for (size_t i = 0; i < whole.size; i++) {
        whole.bytes[i] ^= (uint8_t)(1u << i % 8);
        int status = try_bytes(path, whole.bytes, whole.size);
        cr_assert(status || i >= OTF2_ZBLOCK_HEADER_BYTES, "byte %zu", i);
        whole.bytes[i] ^= (uint8_t)(1u << i % 8);
        write_file(anchor_path, anchor.bytes, anchor.size);
    }
    for (size_t size = 0; size < anchor.size; size++) {
        write_file(anchor_path, anchor.bytes, size);
        cr_assert_eq(unpack("small"), 1, "%zu bytes of the anchor", size);
    }
    write_file(anchor_path, anchor.bytes, anchor.size);
    write_file(path, whole.bytes, whole.size);
    cr_assert_eq(unpack("small"), 0, "%s", said);
    put_all("plain", false, false, 2);
    assert_equal("small", "plain");
    free(whole.bytes);
    free(anchor.bytes);
}

Test(zlib, a_damaged_block_in_the_middle)
{
    put_all("middle", true, false, 60000);
    const char *path = in_top("middle/traces/1.evt");
    struct content c = read_all(path);
    struct otf2_zblock first = otf2_zblock_get(c.bytes);
    size_t second = OTF2_ZBLOCK_HEADER_BYTES + first.compressed;
    memset(c.bytes + second + 200, 0, 64);
    write_file(path, c.bytes, c.size);
    free(c.bytes);
    char where[64];
    snprintf(where, sizeof where, "/1.evt: block at offset %zu: ", second);
    cr_assert_eq(unpack("middle"), 1);
    cr_assert(strstr(said, where), "%s", said);
    cr_assert_eq(lines(), 1);
    cr_assert(is_packed("middle/traces.def") && is_packed("middle/traces/0.evt"));
}
