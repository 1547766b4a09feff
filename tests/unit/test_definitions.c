/* SPDX-License-Identifier: BSD-3-Clause */
/* links: agent finish format writer */
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "agent/definitions/definitions.h"
#include "agent/stacks/context.h"
#include "base/said_to.h"
#include "session/journal.h"

static char dir[] = "/tmp/spur-test-XXXXXX";

static int open_journal(void)
{
    return spur_defs_open(dir);
}

static void setup(void)
{
    cr_assert(mkdtemp(dir) && open_journal() == 0);
}

static void teardown(void)
{
    char command[64];
    spur_defs_close();
    snprintf(command, sizeof command, "rm -rf %s", dir);
    cr_assert(system(command) == 0);
}

TestSuite(definitions, .init = setup, .fini = teardown);

/* The records of a kind in the file, as another process finds them. */
static int count_in_file(uint32_t kind)
{
    static uint64_t bytes[1 << 18];
    char path[64];
    struct spur_counts counts = {{0}};
    struct spur_record record;
    struct spur_cell cells[SPUR_CELLS_MAX];
    uint64_t at = 0;
    int n = 0;
    snprintf(path, sizeof path, "%s/journal", dir);
    FILE *file = fopen(path, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    while (spur_journal_next(bytes, size, &at, &record)) {
        cr_assert(spur_record_unpack(&record, &counts, cells));
        if (spur_definitions[record.kind].space < SPUR_SPACES)
            counts.of[spur_definitions[record.kind].space]++;
        n += record.kind == kind;
    }
    return n;
}

Test(definitions, equal_content_has_one_id)
{
    static struct spur_call send = {.name = "MPI_Send",
                                    .group = "p2p",
                                    .role = OTF2_REGION_ROLE_POINT2POINT,
                                    SPUR_CALL_OF(MPI)};
    static const uint64_t ranks[] = {0, 1, 5};
    errno = 77;
    cr_assert(spur_def_string("a") == 0 && spur_def_string("b") == 1 && spur_def_string("a") == 0);
    cr_assert(spur_def_string(NULL) == OTF2_UNDEFINED_STRING);
    cr_assert(spur_def_region(&send) == 0 && spur_def_region(&send) == 0);
    OTF2_GroupRef group = spur_def_group("g", OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                         OTF2_GROUP_FLAG_NONE, 3, ranks);
    cr_assert(group == spur_def_group("g", OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                      OTF2_GROUP_FLAG_NONE, 3, ranks));
    cr_assert(group != spur_def_group("g", OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                      OTF2_GROUP_FLAG_NONE, 2, ranks));
    cr_assert(spur_def_comm(NULL, group, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE) == 0);
    cr_assert(spur_def_comm(NULL, group, 0, OTF2_COMM_FLAG_NONE) == 1, "always a new one");
    cr_assert(spur_def_intercomm("i", group, group + 1, 0, OTF2_COMM_FLAG_NONE) == 2);
    spur_def_comm_name(1, "name");
    spur_def_location(3, "thread", OTF2_LOCATION_TYPE_CPU_THREAD, 9);
    spur_def_property("COMMAND_LINE", "x");
    cr_assert(errno == 77);
    cr_assert(count_in_file(SPUR_DEFINITION_Comm) == 2);
    cr_assert(count_in_file(SPUR_DEFINITION_Region) == 1);
    cr_assert(count_in_file(SPUR_DEFINITION_ProcessProperty) == 1);
}

/* Whoever reads the journal of a killed process takes other bytes for damage. */
Test(definitions, zeros_follow_the_last_record)
{
    static uint64_t words[1 << 18];
    static const uint64_t ranks[] = {0, 2, 4, 6, 8, 10};
    char path[64];
    for (int i = 0; i < 2; i++)
        spur_def_group("a group that is known the second time", OTF2_GROUP_TYPE_COMM_GROUP,
                       OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 6, ranks);
    snprintf(path, sizeof path, "%s/journal", dir);
    FILE *file = fopen(path, "rb");
    size_t n = fread(words, 1, sizeof words, file);
    fclose(file);
    for (uint64_t at = spur_journal_length(words, n); at < n; at++)
        cr_assert(((const char *)words)[at] == 0, "byte %zu", (size_t)at);
}

Test(definitions, a_file_is_its_path)
{
    char path[8192];
    cr_assert(getcwd(path, sizeof path / 2));
    strcat(path, "/data");
    errno = 77;
    OTF2_IoFileRef file = spur_def_io_file("data");
    cr_assert(file == spur_def_io_file("./data") && file == spur_def_io_file(path));
    cr_assert(file != spur_def_io_file("/data") && file != spur_def_io_file("../data"));
    OTF2_IoHandleRef handle =
        spur_def_io_handle("data", file, SPUR_IO_MPI, OTF2_IO_HANDLE_FLAG_NONE, OTF2_UNDEFINED_COMM,
                           OTF2_UNDEFINED_IO_HANDLE);
    cr_assert(handle == 0);
    cr_assert(spur_def_io_handle("data", file, SPUR_IO_MPI, OTF2_IO_HANDLE_FLAG_NONE,
                                 OTF2_UNDEFINED_COMM, OTF2_UNDEFINED_IO_HANDLE) == 1,
              "always a new one");
    cr_assert(errno == 77);
    cr_assert(count_in_file(SPUR_DEFINITION_IoRegularFile) == 3);
    cr_assert(count_in_file(SPUR_DEFINITION_IoHandle) == 2);
}

Test(definitions, a_file_without_a_working_directory)
{
    char folder[] = "/tmp/spur-gone-XXXXXX";
    cr_assert(mkdtemp(folder) && chdir(folder) == 0 && rmdir(folder) == 0);
    OTF2_IoFileRef file = spur_def_io_file("data");
    cr_assert(chdir("/") == 0);
    cr_assert(file != spur_def_io_file("data"));
    cr_assert(spur_def_io_file("data") == spur_def_io_file("/data"));
}

Test(definitions, the_journal_grows)
{
    char text[64];
    for (unsigned i = 0; i < 20000; i++) {
        snprintf(text, sizeof text, "a string that is not short %u", i);
        cr_assert(spur_def_string(text) == i);
    }
    for (unsigned i = 0; i < 20000; i += 7) {
        snprintf(text, sizeof text, "a string that is not short %u", i);
        cr_assert(spur_def_string(text) == i);
    }
    cr_assert(count_in_file(SPUR_DEFINITION_String) == 20000);
}

static void *hammer(void *ids)
{
    char text[32];
    for (unsigned i = 0; i < 3000; i++) {
        snprintf(text, sizeof text, "%u", i);
        ((uint32_t *)ids)[i] = spur_def_string(text);
    }
    return NULL;
}

Test(definitions, threads_agree)
{
    enum { THREADS = 4 };
    static uint32_t ids[THREADS][3000];
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, hammer, ids[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 1; i < THREADS; i++)
        cr_assert(memcmp(ids[0], ids[i], sizeof ids[0]) == 0);
    cr_assert(count_in_file(SPUR_DEFINITION_String) == 3000);
}

Test(definitions, nothing_is_recorded_without_a_journal)
{
    cr_assert(open_journal() == -EEXIST, "a journal is never overwritten");
    cr_assert(spur_def_string("a") == OTF2_UNDEFINED_STRING);
    spur_defs_forget();
    char path[64];
    snprintf(path, sizeof path, "%s/journal", dir);
    unlink(path);
    cr_assert(open_journal() == 0 && spur_def_string("a") == 0);
}

/* A short record fits where a long one does not: a region must not be defined without its name. */
Test(definitions, nothing_new_after_one_that_found_no_place)
{
    enum { JOURNAL = 64 << 10, LONG = 48 << 10 };
    static char text[LONG];
    const struct rlimit limit = {JOURNAL, JOURNAL};
    memset(text, 'x', sizeof text - 1);
    signal(SIGXFSZ, SIG_IGN);
    cr_assert(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    cr_assert(spur_def_string("name") == 0 && spur_def_string(text) == 1);
    text[0] = 'y';
    cr_expect_eq(spur_def_string(text), OTF2_UNDEFINED_STRING);
    cr_expect_eq(spur_def_attribute("name", "name", OTF2_TYPE_UINT8), OTF2_UNDEFINED_ATTRIBUTE);
    cr_expect_eq(spur_def_string("new"), OTF2_UNDEFINED_STRING);
    cr_expect_eq(spur_def_string("name"), 0, "what is known is");
    spur_def_property("name", "name");
    spur_def_property("name", "new");
    cr_expect_eq(count_in_file(SPUR_DEFINITION_String), 2);
    cr_expect_eq(count_in_file(SPUR_DEFINITION_Attribute), 0);
    cr_expect_eq(count_in_file(SPUR_DEFINITION_ProcessProperty), 1);
    spur_defs_close();
    spur_defs_forget();
    char path[64];
    snprintf(path, sizeof path, "%s/journal", dir);
    unlink(path);
    cr_expect(open_journal() == 0 && spur_def_string("new") == 0, "another journal has place");
}

/* New call paths end in what is known, and their regions are recorded still. */
Test(definitions, more_than_an_archive_holds)
{
    const uint32_t none = OTF2_UNDEFINED_UINT32;
    uint32_t parent = none, last = none;
    char text[512] = "", none_said[64];
    cr_redirect_stderr();
    spur_said_to_start(NULL, false, none_said, sizeof none_said); /* that is where it may speak */
    for (uint32_t i = 0; i < SPUR_IDS_MAX && parent == (i ? i - 1 : none); i++) {
        last = parent;
        parent = spur_context_region(parent, 7, NULL);
    }
    cr_assert(last > 1000000 && last < SPUR_IDS_MAX, "up to %u", last);
    cr_expect_eq(parent, 0, "the region's own path");
    cr_expect_eq(spur_context_frame(last, (const char *)(uintptr_t)setup + 1), last);
    cr_expect_eq(spur_context_region(3, 7, NULL), 4, "what is known is");
    uint32_t alone = spur_context_region(last, 8, NULL);
    cr_expect_eq(alone, last + 1);
    cr_expect_eq(spur_context_region(2, 8, NULL), alone);
    for (uint32_t i = alone + 1; i < SPUR_IDS_MAX; i++)
        cr_assert(spur_context_region(2, 8 + i, NULL) == i);
    cr_expect_eq(spur_context_region(2, 9, NULL), none);
    cr_expect_eq(spur_def_context(none, 9, none), none);
    cr_expect_eq(spur_def_context(none, 8, none), alone);
    cr_expect_eq(spur_def_string("of another kind"), OTF2_UNDEFINED_STRING, "it has stopped");
    FILE *said = cr_get_redirected_stderr();
    size_t n = fread(text, 1, sizeof text - 1, said);
    cr_expect(strstr(text, "spur: a process has had 3000000 different call paths, "), "%s", text);
    cr_expect_eq(last, 2999999);
    cr_expect(n > 0 && strchr(text, '\n') == text + n - 1, "it is said once: %s", text);
}
