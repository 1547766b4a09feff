/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sessions made by hand: DIR/.spur/<process>/ with segment, journal and event files as the agent
 * leaves the files, for every state in which a process can die. Paths are relative to a directory
 * of the test's own.
 */
#ifndef TESTS_SESSION_BUILD_H
#define TESTS_SESSION_BUILD_H

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <otf2/otf2.h>

#include "base/procfs.h"
#include "finish/finish.h"
#include "finish/state/finish_chunk.h"
#include "session/segment.h"
#include "tests/unit/journal_build.h"

enum { BLOCK = 256 << 10, START = 1000 };

struct fake {
    char dir[128]; /* of the process */
    struct spur_segment head;
    struct spur_words journal;
    OTF2_Archive *archive;
};

static inline const char *in(const char *dir, const char *file)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", dir, file);
    return path;
}

static inline void put_file(const char *path, const void *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");
    cr_assert(file && (n == 0 || fwrite(bytes, 1, n, file) == n) && fclose(file) == 0, "%s", path);
}

static inline size_t get_file(const char *path, void *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");
    cr_assert(file, "%s", path);
    size_t n = fread(bytes, 1, room, file);
    fclose(file);
    return n;
}

/* Makes a fresh directory, and enters the directory. */
static inline void enter_fresh_dir(void)
{
    char dir[] = "/tmp/spur-test-XXXXXX";
    cr_assert(mkdtemp(dir) && chdir(dir) == 0);
}

static inline void leave_fresh_dir(void)
{
    char dir[128], command[160];
    cr_assert(getcwd(dir, sizeof dir) && strncmp(dir, "/tmp/spur-test-", 15) == 0);
    snprintf(command, sizeof command, "rm -rf %s", dir);
    cr_assert(chdir("/") == 0 && system(command) == 0);
}

static inline OTF2_FlushType flush_events(void *user, OTF2_FileType type, OTF2_LocationRef location,
                                          void *caller, bool final)
{
    (void)user, (void)location, (void)caller, (void) final;
    return type == OTF2_FILETYPE_EVENTS ? OTF2_FLUSH : OTF2_NO_FLUSH;
}

static inline void boot_id(char *text, size_t size)
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    cr_assert(file && fgets(text, (int)size, file));
    text[strcspn(text, "\n")] = '\0';
    fclose(file);
}

/* A process without threads yet; `pid` is the number of no running process. */
static inline void fake_open(struct fake *p, const char *session, uint32_t pid, int rank, int size)
{
    static const OTF2_FlushCallbacks flush = {flush_events, NULL};
    memset(p, 0, sizeof *p);
    mkdir(session, 0700);
    mkdir(in(session, ".spur"), 0700);
    snprintf(p->dir, sizeof p->dir, "%s/.spur/host.%u.%u", session, pid, START);
    cr_assert(mkdir(p->dir, 0700) == 0);
    memcpy(p->head.magic, SPUR_SEGMENT_MAGIC, sizeof SPUR_SEGMENT_MAGIC);
    p->head.version = SPUR_SEGMENT_VERSION;
    p->head.slot_bytes = sizeof(struct spur_slot);
    p->head.block_bytes = BLOCK;
    p->head.pid = pid;
    p->head.kernel_start = 1;
    strcpy(p->head.host, "host");
    boot_id(p->head.boot_id, sizeof p->head.boot_id);
    p->head.rank = rank;
    p->head.size = (uint32_t)size;
    p->head.identity = spur_segment_identity(&p->head, p->head.pid);
    p->head.first = (struct spur_moment){START, START, START + pid};
    p->head.last = (struct spur_moment){START + 100000000, START + 100000000, 9};
    p->archive = OTF2_Archive_Open(p->dir, "traces", OTF2_FILEMODE_WRITE, BLOCK, 4 << 20,
                                   OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    cr_assert(OTF2_Archive_SetFlushCallbacks(p->archive, &flush, NULL) == OTF2_SUCCESS);
    cr_assert(OTF2_Archive_SetSerialCollectiveCallbacks(p->archive) == OTF2_SUCCESS);
    cr_assert(OTF2_Archive_OpenEvtFiles(p->archive) == OTF2_SUCCESS);
}

/* Writes a living process into the session: the parent of the test. */
static inline void fake_parent(struct fake *p, const char *session)
{
    struct spur_procfs_stat stat;
    fake_open(p, session, (uint32_t)getppid(), -1, 0);
    cr_assert(spur_procfs_stat(getppid(), &stat));
    p->head.kernel_start = stat.start;
    p->head.identity = spur_segment_identity(&p->head, p->head.pid);
}

/* The journal of a program with one region, and the world's group and communicator. */
static inline void fake_define(struct fake *p, const char *region)
{
    build_string(&p->journal, "");
    build_string(&p->journal, region);
    build_string(&p->journal, "COMMAND_LINE");
    build_string(&p->journal, "/bin/program -x");
    BUILD(&p->journal, Region, {1}, {1}, {0}, {1}, {OTF2_PARADIGM_MPI}, {0}, {0}, {0}, {0});
    BUILD(&p->journal, ProcessProperty, {2}, {3});
    if (p->head.rank >= 0) {
        uint64_t ranks[64];
        for (uint64_t i = 0; i < p->head.size; i++)
            ranks[i] = i;
        BUILD(&p->journal, Group, {0}, {OTF2_GROUP_TYPE_COMM_GROUP}, {OTF2_PARADIGM_MPI}, {0},
              {p->head.size, ranks});
        BUILD(&p->journal, Comm, {OTF2_UNDEFINED_UINT32}, {0}, {OTF2_UNDEFINED_UINT32}, {0});
    }
    BUILD(&p->journal, Location, {0}, {1}, {1}, {0});
}

/* An event file of `pairs` Enter and Leave, closed. */
static inline void fake_events(struct fake *p, uint32_t thread, uint64_t pairs)
{
    OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(p->archive, thread);
    for (uint64_t i = 0; i < pairs; i++) {
        cr_assert(OTF2_EvtWriter_Enter(writer, NULL, START + 20 * i, 0) == OTF2_SUCCESS);
        cr_assert(OTF2_EvtWriter_Leave(writer, NULL, START + 20 * i + 10, 0) == OTF2_SUCCESS);
    }
    cr_assert(OTF2_Archive_CloseEvtWriter(p->archive, writer) == OTF2_SUCCESS);
}

/* Write the files; `segment` (may be NULL) is block 0 and the blocks behind. */
static inline void fake_close(struct fake *p, char *segment, size_t bytes, bool has_ended)
{
    static char block[BLOCK];
    char *at = segment ? segment : block;
    if (has_ended)
        p->head.ended = SPUR_ENDED;
    memcpy(at, &p->head, sizeof p->head);
    put_file(in(p->dir, "segment"), at, segment ? bytes : BLOCK);
    cr_assert(spur_words_add(&p->journal, 1)); /* zeros: the end */
    put_file(in(p->dir, "journal"), p->journal.at, p->journal.n * sizeof *p->journal.at);
    spur_words_free(&p->journal);
}

static inline void fake_process(const char *session, uint32_t pid, int rank, int size,
                                const char *region, uint64_t pairs)
{
    struct fake p;
    fake_open(&p, session, pid, rank, size);
    fake_define(&p, region);
    fake_events(&p, 0, pairs);
    fake_close(&p, NULL, 0, true);
}

#define PRINTER "LD_PRELOAD=" SMALL_TABLES " otf2-print" /* see reference/small_tables.c */

/*
 * The print-out of otf2-print for the archive, complaints included, in `out`. Returns the exit
 * status.
 */
static inline int print_archive(const char *session, char *out, size_t room)
{
    char command[256];
    snprintf(command, sizeof command, PRINTER " -A -Werror %s/traces.otf2 2>&1", session);
    FILE *pipe = popen(command, "r");
    size_t n = fread(out, 1, room - 1, pipe);
    out[n] = '\0';
    while (fgetc(pipe) != EOF)
        continue;
    return pclose(pipe);
}

/*
 * A thread without an end, in a segment of zeros. The closed file has `n` bytes. The chunks from
 * `filed` on lie in the segment from block `first` on; the last chunk is open. Enters and Leaves
 * take turns. Returns the thread's slot; *whole: number of chunks before the last chunk.
 */
static inline struct spur_slot *fake_slot(char *segment, uint32_t first, const uint8_t *events,
                                          size_t n, uint64_t filed, uint64_t *whole)
{
    struct finish_chunk last;
    *whole = (n - 2) / BLOCK;
    cr_assert(finish_chunk_scan(events + *whole * BLOCK, n - *whole * BLOCK, &last) &&
              last.is_closed);
    struct spur_slot *slot = (struct spur_slot *)(void *)(segment + SPUR_SLOTS_OFFSET);
    *slot = (struct spur_slot){.state = SPUR_SLOT_LIVE, .is_main = 1};
    for (uint64_t i = filed; i <= *whole; i++) {
        uint64_t begun;
        memcpy(&begun, events + i * BLOCK + 2, sizeof begun);
        slot->chunk_depth[slot->chunks] = (begun - 1) % 2;
        slot->chunk[slot->chunks] = first + slot->chunks;
        memcpy(segment + (size_t)(first + slot->chunks++) * BLOCK, events + i * BLOCK,
               i < *whole ? BLOCK : last.used);
    }
    slot->cursor.chunk = (uint8_t *)(uintptr_t)4096;
    slot->cursor.pos = slot->cursor.chunk + last.used;
    slot->cursor.events = last.first + last.events - 1;
    return slot;
}

#endif
