/* SPDX-License-Identifier: BSD-3-Clause */
/* links: reader format format-zlib */
/* Archives are opened, good ones and others, and hand out readers of their parts. */
#include <sys/resource.h>

#include <otf2x/otf2x.h>

#include "tests/unit/reader_build.h"

/* ---- the path ---- */

Test(reader_open, the_path_names_an_anchor_file, .init = build_begin, .fini = build_end)
{
    const char *const bad[] = {"", "traces", "traces.def", "traces.Otf2", "x.otf2/traces", "."};
    build_archive(1, OTF2_COMPRESSION_NONE);
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_expect_null(OTF2_Reader_Open(bad[i]), "%s", bad[i]);
        cr_expect_eq(build_code, OTF2_ERROR_INVALID_ARGUMENT);
    }
    cr_expect_null(OTF2_Reader_Open(NULL));
    cr_expect_null(OTF2_Reader_Open(build_path("other.otf2")));
    cr_expect_eq(build_code, OTF2_ERROR_ENOENT);
    cr_expect(strstr(build_said, "/other.otf2"), "%s", build_said);
    cr_expect_eq(build_n_said, 8, "each is reported once");

    OTF2_Reader *r = OTF2_Reader_Open(build_path("traces.OTF2"));
    cr_expect_not_null(r, "the extension may be in upper case");
    OTF2_Reader_Close(r);
    cr_assert_eq(chdir(build_dir), 0);
    r = OTF2_Reader_Open("traces.otf2");
    cr_expect_not_null(r, "without a directory");
    OTF2_Reader_Close(r);
    cr_assert_eq(chdir("/"), 0);
    r = OTF2_Reader_Open(build_path("traces.otf2") + 1);
    cr_expect_not_null(r, "below the current one");
    OTF2_Reader_Close(r);
    cr_expect_eq(OTF2_Reader_Close(NULL), OTF2_SUCCESS);
}

Test(reader_open, a_path_may_be_too_long, .init = build_begin, .fini = build_end)
{
    char path[6000];
    memset(path, 'x', sizeof path);
    memcpy(path + sizeof path - 6, ".otf2", 6);
    cr_expect_null(OTF2_Reader_Open(path));
    cr_expect_eq(build_code, OTF2_ERROR_ENAMETOOLONG);
}

/* ---- the anchor file ---- */

Test(reader_open, says_what_the_anchor_says, .init = build_begin, .fini = build_end)
{
    build_archive(3, OTF2_COMPRESSION_NONE);
    OTF2_Reader *r = build_open();
    uint64_t n = 0;
    uint64_t m = 0;
    uint32_t k = 9;
    uint8_t version[3];
    char *text;
    char **names;
    bool truth = false;
    OTF2_FileSubstrate substrate;
    OTF2_Compression compression;
    cr_expect(!OTF2_Reader_GetNumberOfLocations(r, &n) && n == 3);
    cr_expect(!OTF2_Reader_GetNumberOfGlobalDefinitions(r, &n) && n == 6);
    cr_expect(!OTF2_Reader_GetNumberOfSnapshots(r, &k) && k == 0);
    cr_expect(!OTF2_Reader_GetNumberOfThumbnails(r, &k) && k == 0);
    cr_expect(!OTF2_Reader_GetChunkSize(r, &n, &m) && n == BUILD_CHUNK && m == BUILD_CHUNK);
    cr_expect(!OTF2_Reader_GetVersion(r, version, version + 1, version + 2) && version[0] == 3);
    cr_expect(!OTF2_Reader_GetFileSubstrate(r, &substrate) && substrate == OTF2_SUBSTRATE_POSIX);
    cr_expect(!OTF2_Reader_GetCompression(r, &compression) && compression == 1);
    cr_expect(!OTF2_Reader_GetTraceId(r, &n) && n);
    cr_expect(!OTF2_Reader_GetMachineName(r, &text) && !strcmp(text, "machine"));
    free(text);
    cr_expect(!OTF2_Reader_GetCreator(r, &text) && !strcmp(text, "creator"));
    free(text);
    cr_expect(!OTF2_Reader_GetDescription(r, &text) && !strcmp(text, "description"));
    free(text);
    cr_expect(!OTF2_Reader_GetPropertyNames(r, &k, &names) && k == 2);
    cr_expect_str_eq(names[0], "SOME::TEXT");
    cr_expect_str_eq(names[1], "SOME::TRUTH");
    free(names);
    cr_expect(!OTF2_Reader_GetProperty(r, "SOME::TEXT", &text) && !strcmp(text, "some text"));
    free(text);
    cr_expect(!OTF2_Reader_GetBoolProperty(r, "SOME::TRUTH", &truth) && truth);
    cr_expect_eq(build_n_said, 0);
    cr_expect_eq(OTF2_Reader_GetBoolProperty(r, "SOME::TEXT", &truth),
                 OTF2_ERROR_PROPERTY_VALUE_INVALID);
    cr_expect_eq(build_n_said, 1);
    cr_expect_eq(OTF2_Reader_GetProperty(r, "NO::SUCH", &text), OTF2_ERROR_PROPERTY_NOT_FOUND);
    cr_expect_eq(OTF2_Reader_GetBoolProperty(r, "NO::SUCH", &truth), OTF2_ERROR_PROPERTY_NOT_FOUND);
    cr_expect_eq(build_n_said, 1, "that there is none is an answer");
    cr_expect_eq(OTF2_Reader_GetMachineName(r, NULL), OTF2_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(OTF2_Reader_GetMachineName(NULL, &text), OTF2_ERROR_INVALID_ARGUMENT);
    OTF2_Reader_Close(r);
}

/* The last two bytes say nothing. */
Test(reader_open, an_anchor_that_is_cut, .init = build_begin, .fini = build_end)
{
    uint8_t bytes[1000];
    build_archive(1, OTF2_COMPRESSION_NONE);
    size_t size = build_load("traces.otf2", bytes, sizeof bytes);
    cr_assert_lt(size, sizeof bytes);
    for (size_t cut = 0; cut <= size; cut++) {
        build_store("traces.otf2", bytes, cut);
        build_n_said = 0;
        OTF2_Reader *r = OTF2_Reader_Open(build_path("traces.otf2"));
        cr_expect_eq(r != NULL, cut >= size - 2, "cut to %zu of %zu", cut, size);
        cr_expect_eq(build_n_said, r ? 0 : 1);
        cr_expect(r || strstr(build_said, "traces.otf2"), "%s", build_said);
        OTF2_Reader_Close(r);
    }
}

Test(reader_open, a_newer_trace_format, .init = build_begin, .fini = build_end)
{
    enum { TRACE_FORMAT_AT = 8 };
    static const uint8_t formats[] = {0, 1, 2, 3, 9};
    uint8_t bytes[1000];
    build_archive(1, OTF2_COMPRESSION_NONE);
    size_t size = build_load("traces.otf2", bytes, sizeof bytes);
    for (unsigned i = 0; i < sizeof formats; i++) {
        bytes[TRACE_FORMAT_AT] = formats[i];
        build_store("traces.otf2", bytes, size);
        OTF2_Reader *r = OTF2_Reader_Open(build_path("traces.otf2"));
        cr_expect_eq(r != NULL, formats[i] <= 2, "format %u", formats[i]);
        OTF2_Reader_Close(r);
    }
    cr_expect(strstr(build_said, "trace format 9; spur reads 0 to 2"), "%s", build_said);
}

/* Any byte changed, in three ways: an error, or another archive; counts promise anything. */
Test(reader_open, an_anchor_that_is_damaged, .init = build_begin, .fini = build_end)
{
    const uint8_t changes[] = {0x01, 0x80, 0xff};
    uint8_t bytes[1000];
    build_archive(1, OTF2_COMPRESSION_NONE);
    size_t size = build_load("traces.otf2", bytes, sizeof bytes);
    for (size_t i = 0; i < 3 * size; i++) {
        bytes[i / 3] ^= changes[i % 3];
        build_store("traces.otf2", bytes, size);
        bytes[i / 3] ^= changes[i % 3];
        OTF2_Reader *r = OTF2_Reader_Open(build_path("traces.otf2"));
        if (!r)
            continue;
        (void)OTF2_Reader_GetGlobalDefReader(r);
        (void)OTF2_Reader_GetEvtReader(r, 0);
        (void)OTF2_Reader_GetThumbReader(r, UINT32_MAX - 1);
        OTF2_Reader_Close(r);
    }
}

Test(reader_open, an_anchor_is_a_file, .init = build_begin, .fini = build_end)
{
    const char *path = build_path("traces.otf2");
    cr_assert_eq(mkfifo(path, 0600), 0);
    cr_expect_null(OTF2_Reader_Open(path), "and nobody waits for a pipe");
    cr_expect_eq(build_code, OTF2_ERROR_INVALID_DATA);
    remove(path);
    cr_assert_eq(mkdir(path, 0700), 0);
    cr_expect_null(OTF2_Reader_Open(path));
    cr_expect_eq(build_code, OTF2_ERROR_INVALID_DATA);
}

enum { AT_EVENT_CHUNK = 12, AT_DEF_CHUNK = 20, AT_SUBSTRATE = 28, AT_COMPRESSION = 29 };

Test(reader_open, chunk_sizes_are_checked_where_they_are_used, .init = build_begin,
     .fini = build_end)
{
    const uint64_t bad[] = {0, 1, BUILD_CHUNK - 1, (16 << 20) + 1, UINT64_MAX};
    uint8_t bytes[1000];
    build_archive(1, OTF2_COMPRESSION_NONE);
    size_t size = build_load("traces.otf2", bytes, sizeof bytes);
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        memcpy(bytes + AT_EVENT_CHUNK, &bad[i], 8);
        memcpy(bytes + AT_DEF_CHUNK, &bad[i], 8);
        build_store("traces.otf2", bytes, size);
        OTF2_Reader *r = build_open();
        cr_expect_null(OTF2_Reader_GetEvtReader(r, 0));
        cr_expect_eq(build_code, OTF2_ERROR_INVALID_SIZE_GIVEN);
        cr_expect_null(OTF2_Reader_GetGlobalDefReader(r));
        OTF2_Reader_Close(r);
        OTF2_Archive *a = OTF2_Archive_Open(build_dir, "traces", OTF2_FILEMODE_READ, 0, 0, 0, 0);
        cr_assert_not_null(a);
        cr_expect_eq(OTF2_Archive_SwitchFileMode(a, OTF2_FILEMODE_WRITE),
                     OTF2_ERROR_INVALID_SIZE_GIVEN);
        OTF2_Archive_Close(a);
    }
}

Test(reader_open, containers_need_their_rank_map, .init = build_begin, .fini = build_end)
{
    uint8_t bytes[1000];
    build_archive(1, OTF2_COMPRESSION_NONE);
    size_t size = build_load("traces.otf2", bytes, sizeof bytes);
    bytes[AT_SUBSTRATE] = OTF2_SUBSTRATE_SION;
    build_store("traces.otf2", bytes, size);
    OTF2_Reader *r = OTF2_Reader_Open(build_path("traces.otf2"));
    cr_assert_not_null(r);
    cr_expect_null(OTF2_Reader_GetEvtReader(r, 0));
    cr_expect_eq(build_code, OTF2_ERROR_ENOENT);
    cr_expect_eq(OTF2_Reader_SetSerialCollectiveCallbacks(r), OTF2_ERROR_ENOENT);
    cr_expect_not_null(strstr(build_said, "traces.srm"));
    cr_expect_not_null(OTF2_Reader_GetGlobalDefReader(r));
    OTF2_Reader_Close(r);
    bytes[AT_COMPRESSION] = OTF2_COMPRESSION_ZLIB;
    build_store("traces.otf2", bytes, size);
    cr_expect_null(OTF2_Reader_Open(build_path("traces.otf2")));
    cr_expect_eq(build_code, OTF2_ERROR_FILE_COMPRESSION_NOT_SUPPORTED);
}

/* ---- readers of parts ---- */

Test(reader_open, each_place_has_one_reader, .init = build_begin, .fini = build_end)
{
    build_archive(2, OTF2_COMPRESSION_NONE);
    OTF2_Reader *r = build_open();
    OTF2_Reader *other = build_open();
    OTF2_EvtReader *evt = OTF2_Reader_GetEvtReader(r, 1);
    OTF2_DefReader *def = OTF2_Reader_GetDefReader(r, 1);
    OTF2_GlobalDefReader *global = OTF2_Reader_GetGlobalDefReader(r);
    cr_assert(evt && def && global, "%s", build_said);
    cr_expect_eq(OTF2_Reader_GetEvtReader(r, 1), evt);
    cr_expect_neq(OTF2_Reader_GetEvtReader(r, 0), evt);
    cr_expect_eq(OTF2_Reader_GetDefReader(r, 1), def);
    cr_expect_eq(OTF2_Reader_GetGlobalDefReader(r), global);
    cr_expect_eq(build_n_said, 0);

    cr_expect_null(OTF2_Reader_GetEvtReader(r, OTF2_UNDEFINED_LOCATION));
    cr_expect_null(OTF2_Reader_GetEvtReader(r, 7));
    cr_expect_eq(build_code, OTF2_ERROR_ENOENT);
    cr_expect_null(OTF2_Reader_GetSnapReader(r, 1));
    cr_expect_null(OTF2_Reader_GetMarkerReader(r));
    cr_expect_null(OTF2_Reader_GetThumbReader(r, 0));
    cr_expect_eq(build_n_said, 5);

    cr_expect_eq(OTF2_Reader_CloseEvtReader(other, evt), OTF2_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(OTF2_Reader_CloseDefReader(other, def), OTF2_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(OTF2_Reader_CloseGlobalDefReader(other, global), OTF2_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(OTF2_Reader_CloseEvtReader(r, NULL), OTF2_SUCCESS);
    cr_expect_eq(OTF2_Reader_CloseEvtReader(r, evt), OTF2_SUCCESS);
    cr_expect_eq(OTF2_Reader_CloseEvtReader(r, evt), OTF2_ERROR_INVALID_ARGUMENT, "stale");
    cr_expect_eq(OTF2_Reader_CloseDefReader(r, def), OTF2_SUCCESS);
    cr_expect_eq(OTF2_Reader_CloseGlobalDefReader(r, global), OTF2_SUCCESS);
    cr_expect_not_null(OTF2_Reader_GetEvtReader(r, 1), "again");
    OTF2_Reader_Close(r);
    OTF2_Reader_Close(other);
}

static void read_all(OTF2_Reader *r, uint64_t locations)
{
    uint64_t n = 0;
    for (uint64_t l = 0; l < locations; l++) {
        cr_assert_eq(OTF2_Reader_SelectLocation(r, l), OTF2_SUCCESS);
        cr_assert_not_null(OTF2_Reader_GetEvtReader(r, l), "%lu: %s", l, build_said);
        OTF2_DefReader *def = OTF2_Reader_GetDefReader(r, l);
        cr_assert_eq(OTF2_Reader_ReadAllLocalDefinitions(r, def, &n), OTF2_SUCCESS);
    }
    OTF2_GlobalEvtReader *all = OTF2_Reader_GetGlobalEvtReader(r);
    cr_assert_not_null(all);
    cr_assert_eq(OTF2_Reader_ReadAllGlobalEvents(r, all, &n), OTF2_SUCCESS);
    cr_expect_eq(n, locations * BUILD_EVENTS);
}

/* Without leave there are no events of all locations when a file of one is missing. */
Test(reader_open, a_missing_file_of_events, .init = build_begin, .fini = build_end)
{
    uint64_t n = 0;
    build_archive(2, OTF2_COMPRESSION_NONE);
    cr_assert_eq(remove(build_path("traces/1.evt")), 0);
    OTF2_Reader *r = build_open();
    cr_expect_not_null(OTF2_Reader_GetEvtReader(r, 0));
    cr_expect_not_null(OTF2_Reader_GetGlobalEvtReader(r), "nobody has asked for the other");
    OTF2_Reader_Close(r);
    for (unsigned is_left_out = 0; is_left_out < 2; is_left_out++) {
        r = build_open();
        cr_expect_not_null(OTF2_Reader_GetEvtReader(r, 0));
        cr_expect_null(OTF2_Reader_GetEvtReader(r, 1));
        cr_expect(strstr(build_said, "/1.evt"), "%s", build_said);
        OTF2_GlobalEvtReader *all = OTF2_Reader_GetGlobalEvtReader(r);
        cr_expect_eq(all != NULL, is_left_out);
        if (all) {
            cr_expect_eq(OTF2_Reader_ReadAllGlobalEvents(r, all, &n), OTF2_SUCCESS);
            cr_expect_eq(n, BUILD_EVENTS);
        }
        OTF2_Reader_Close(r);
        OTF2X_LeaveOutLocations();
    }
}

Test(reader_open, more_locations_than_descriptors, .init = build_begin, .fini = build_end)
{
    enum { LOCATIONS = 200 };
    struct rlimit few = {64, 64};
    build_archive(LOCATIONS, OTF2_COMPRESSION_NONE);
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
    OTF2_Reader *r = build_open();
    read_all(r, LOCATIONS);
    cr_expect_eq(OTF2_Reader_Close(r), OTF2_SUCCESS);
}

Test(reader_open, compressed_archives, .init = build_begin, .fini = build_end)
{
    build_archive(5, OTF2_COMPRESSION_ZLIB);
    OTF2_Reader *r = build_open();
    read_all(r, 5);
    cr_expect_eq(OTF2_Reader_Close(r), OTF2_SUCCESS);
    cr_expect_eq(build_n_said, 0);
}

Test(reader_open, a_compressed_archive_that_is_damaged, .init = build_begin, .fini = build_end)
{
    uint8_t bytes[1000];
    uint64_t n;
    build_archive(2, OTF2_COMPRESSION_ZLIB);
    size_t size = build_load("traces/1.evt", bytes, sizeof bytes);
    bytes[size - 10] ^= 0x40;
    build_store("traces/1.evt", bytes, size);
    OTF2_Reader *r = build_open();
    OTF2_EvtReader *evt = OTF2_Reader_GetEvtReader(r, 0);
    cr_expect_eq(OTF2_Reader_ReadAllLocalEvents(r, evt, &n), OTF2_SUCCESS);
    evt = OTF2_Reader_GetEvtReader(r, 1);
    cr_expect(!evt || OTF2_Reader_ReadAllLocalEvents(r, evt, &n) == OTF2_ERROR_INVALID_DATA);
    cr_expect(strstr(build_said, "traces/1.evt: offset 20"), "%s", build_said);
    OTF2_Reader_Close(r);
}

/* ---- together ---- */

static char called[100];

static void note(char what)
{
    size_t n = strlen(called);
    if (n + 1 < sizeof called)
        called[n] = what;
}

static OTF2_CallbackCode create(void *user, OTF2_Lock *lock)
{
    note('c');
    *lock = user;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode destroy(void *user, OTF2_Lock lock)
{
    note('d');
    return lock == user ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_ERROR;
}

static OTF2_CallbackCode lock(void *user, OTF2_Lock which)
{
    note('(');
    return which == user ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_ERROR;
}

static OTF2_CallbackCode unlock(void *user, OTF2_Lock which)
{
    note(')');
    return which == user ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_ERROR;
}

static void release(void *user)
{
    (void)user;
    note('r');
}

static const OTF2_LockingCallbacks locks = {release, create, destroy, lock, unlock};

/* Locks do not nest, and every one is given back. */
Test(reader_open, locks_are_used, .init = build_begin, .fini = build_end)
{
    build_archive(2, OTF2_COMPRESSION_NONE);
    OTF2_Reader *r = build_open();
    OTF2_LockingCallbacks some = locks;
    some.otf2_unlock = NULL;
    cr_expect_eq(OTF2_Reader_SetLockingCallbacks(r, NULL, NULL), OTF2_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(OTF2_Reader_SetLockingCallbacks(r, &some, NULL), OTF2_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(OTF2_Reader_SetLockingCallbacks(r, &locks, called), OTF2_SUCCESS);
    cr_expect_eq(OTF2_Reader_SetLockingCallbacks(r, &locks, called), OTF2_ERROR_INVALID_CALL);
    OTF2_Reader_SelectLocation(r, 0);
    (void)OTF2_Reader_GetEvtReader(r, 0);
    (void)OTF2_Reader_GetDefReader(r, 7);
    OTF2_Reader_CloseGlobalEvtReader(r, OTF2_Reader_GetGlobalEvtReader(r));
    OTF2_Reader_Close(r);
    cr_expect_str_eq(called, "c()()()()()dr");
}

static uint32_t my_rank;

static OTF2_CallbackCode rank_of(void *user, OTF2_CollectiveContext *comm, uint32_t *rank)
{
    (void)user, (void)comm;
    *rank = my_rank;
    return my_rank == 9 ? OTF2_CALLBACK_ERROR : OTF2_CALLBACK_SUCCESS;
}

/* What nobody calls: each process reads by itself. */
static OTF2_CallbackCode never(void)
{
    note('!');
    return OTF2_CALLBACK_ERROR;
}

static OTF2_CollectiveCallbacks collectives(void)
{
    union {
        OTF2_CollectiveCallbacks callbacks;
        OTF2_CallbackCode (*all[11])(void);
    } c = {0};
    for (unsigned i = 1; i < 11; i++)
        c.all[i] = never;
    c.callbacks.otf2_get_rank = rank_of;
    return c.callbacks;
}

Test(reader_open, the_root_is_primary, .init = build_begin, .fini = build_end)
{
    OTF2_CollectiveCallbacks c = collectives();
    bool is_primary = false;
    build_archive(1, OTF2_COMPRESSION_NONE);
    for (my_rank = 0; my_rank < 2; my_rank++) {
        OTF2_Reader *r = OTF2_Reader_Open(build_path("traces.otf2"));
        cr_expect_eq(OTF2_Reader_IsPrimary(r, &is_primary), OTF2_ERROR_INVALID_CALL);
        OTF2_CollectiveCallbacks some = c;
        some.otf2_bcast = NULL;
        cr_expect_eq(OTF2_Reader_SetCollectiveCallbacks(r, &some, NULL, NULL, NULL),
                     OTF2_ERROR_INVALID_ARGUMENT);
        cr_expect_eq(OTF2_Reader_SetCollectiveCallbacks(r, &c, NULL, NULL, NULL), OTF2_SUCCESS);
        cr_expect_eq(OTF2_Reader_SetSerialCollectiveCallbacks(r), OTF2_ERROR_INVALID_CALL);
        cr_expect_eq(OTF2_Reader_IsPrimary(r, &is_primary), OTF2_SUCCESS);
        cr_expect_eq(is_primary, my_rank == 0);
        cr_expect_eq(OTF2_Reader_IsMaster(r, &is_primary), OTF2_SUCCESS);
        cr_expect_eq(is_primary, my_rank == 0);
        cr_expect_eq(OTF2_Reader_GetMarkerWriter(r) != NULL, my_rank == 0);
        cr_expect_eq(OTF2_Reader_OpenEvtFiles(r), OTF2_SUCCESS);
        read_all(r, 1);
        cr_expect_eq(OTF2_Reader_CloseEvtFiles(r), OTF2_SUCCESS);
        OTF2_Reader_Close(r);
    }
    cr_expect_str_empty(called);
    my_rank = 9;
    OTF2_Reader *r = OTF2_Reader_Open(build_path("traces.otf2"));
    OTF2_Reader_SetCollectiveCallbacks(r, &c, NULL, NULL, NULL);
    cr_expect_eq(OTF2_Reader_IsPrimary(r, &is_primary), OTF2_ERROR_COLLECTIVE_CALLBACK);
    OTF2_Reader_Close(r);
}

Test(reader_open, a_hint_is_given_once, .init = build_begin, .fini = build_end)
{
    OTF2_Boolean yes = OTF2_TRUE;
    OTF2_Boolean odd = 7;
    build_archive(1, OTF2_COMPRESSION_NONE);
    OTF2_Reader *r = build_open();
    cr_expect_eq(OTF2_Reader_SetHint(r, OTF2_HINT_GLOBAL_READER, NULL),
                 OTF2_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(OTF2_Reader_SetHint(r, 99, &yes), OTF2_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(OTF2_Reader_SetHint(r, OTF2_HINT_GLOBAL_READER, &yes), OTF2_SUCCESS);
    cr_expect_eq(OTF2_Reader_SetHint(r, OTF2_HINT_GLOBAL_READER, &yes), OTF2_ERROR_HINT_LOCKED);
    OTF2_Reader_Close(r);
    r = build_open();
    cr_expect_eq(OTF2_Reader_SetHint(r, OTF2_HINT_GLOBAL_READER, &odd),
                 OTF2_ERROR_HINT_INVALID_VALUE);
    OTF2_Reader_Close(r);
}
