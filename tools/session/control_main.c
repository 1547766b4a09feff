/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spur-control: switch recording on or off in a running process, or in all running processes of a
 * session. See agent/record/control.h for the way in which the processes learn of the switch.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/raw_file.h"
#include "finish/find/finish_find.h"
#include "tools/base/options.h"
#include "tools/session/mapped.h"

/* ---- a single process ---- */

static bool put_word(int fd, uint64_t at, uint32_t word)
{
    return pwrite(fd, &word, sizeof word, (off_t)at) == sizeof word;
}

/* The file is not mapped here: somebody may cut the file meanwhile. */
static bool wake_slots(int fd, uint64_t first, uint64_t end)
{
    for (uint64_t at = first; at + sizeof(struct spur_slot) <= end;
         at += sizeof(struct spur_slot)) {
        uint32_t state;
        uint64_t state_at = at + offsetof(struct spur_slot, state);
        if (pread(fd, &state, sizeof state, (off_t)state_at) != sizeof state)
            return false;
        if (state == SPUR_SLOT_LIVE && !put_word(fd, at + offsetof(struct spur_slot, room), 0))
            return false;
    }
    return true;
}

/* Leaves the time of the switch for threads without further calls, and for finishing. */
static bool put_time(int fd, const struct spur_segment *head, bool on)
{
    const struct spur_stamp now = spur_stamp_now();
    const uint64_t ticks = spur_stamp_ticks(&now, head->clock);
    const size_t at =
        on ? offsetof(struct spur_segment, on_at) : offsetof(struct spur_segment, off_at);
    return pwrite(fd, &ticks, sizeof ticks, (off_t)at) == sizeof ticks;
}

static bool ask(int fd, const struct spur_segment *head, bool on)
{
    uint32_t blocks = head->slot_blocks < SPUR_SLOT_BLOCKS ? head->slot_blocks : SPUR_SLOT_BLOCKS;
    bool is_asked =
        put_time(fd, head, on) &&
        put_word(fd, offsetof(struct spur_segment, asked), on ? SPUR_ASK_ON : SPUR_ASK_OFF) &&
        wake_slots(fd, SPUR_SLOTS_OFFSET, head->block_bytes);
    for (uint32_t i = 0; i < blocks && is_asked; i++) {
        uint64_t first = head->slot_block[i] * head->block_bytes;
        is_asked = wake_slots(fd, first, first + head->block_bytes);
    }
    return is_asked;
}

/* 0, or -errno; -EPROTO: a segment of another version. */
static int switch_segment(const char *path, bool on)
{
    struct spur_segment head;
    int fd = spur_beneath_open(path, O_RDWR | O_NONBLOCK, 0);
    if (fd < 0)
        return fd;
    int err = 0;
    if (pread(fd, &head, sizeof head, 0) != sizeof head ||
        memcmp(head.magic, SPUR_SEGMENT_MAGIC, sizeof head.magic) != 0 ||
        head.version != SPUR_SEGMENT_VERSION || head.slot_bytes != sizeof(struct spur_slot))
        err = -EPROTO;
    else if (!ask(fd, &head, on))
        err = -EIO;
    close(fd);
    return err;
}

static const char *reason(int err)
{
    return err == -EPROTO ? "it records with another version of spur" : spur_beneath_reason(-err);
}

/* ---- a process by number ---- */

static int switch_process(unsigned long pid, bool on)
{
    char path[SPUR_FILE_PATH_BYTES];
    if (!mapped_segment(pid, path, sizeof path))
        return 1;
    int err = switch_segment(path, on);
    if (err) {
        spur_log("process %lu cannot be switched: %s: %s", pid, path, reason(err));
        return 1;
    }
    printf("recording %s in process %lu\n", on ? "on" : "off", pid);
    return 0;
}

/* ---- a session ---- */

/*
 * Leaves a word for processes that open their files later. The file is replaced as a whole: a
 * process may be reading the file.
 */
static int leave_word(const char *session, bool on)
{
    char path[SPUR_FILE_PATH_BYTES], made[SPUR_FILE_PATH_BYTES];
    const char *word = on ? "on" : "off";
    snprintf(path, sizeof path, "%s/.spur/" SPUR_CONTROL_FILE, session);
    snprintf(made, sizeof made, "%s/.spur/" SPUR_CONTROL_FILE "-%d", session, (int)getpid());
    int err = spur_file_create(made, word, strlen(word));
    if (err)
        return err;
    err = spur_beneath_rename(made, path);
    if (err)
        (void)spur_beneath_unlink(made);
    return err;
}

/*
 * Leaves the same word on the present host (SPUR_LOCAL), in the places where later processes of the
 * session look.
 */
static int leave_words_here(const struct finish *f, bool on)
{
    const char *last = NULL;
    int err = 0;
    for (uint64_t i = 0; i < f->n_processes && !err; i++) {
        const char *place = f->process[i]->local;
        if (place && (!last || strcmp(place, last) != 0))
            err = leave_word(place, on);
        last = place ? place : last;
    }
    return err;
}

struct tally {
    uint64_t switched, distant, failed;
};

static void switch_one(const struct finish *f, const struct finish_process *p, bool on,
                       struct tally *tally)
{
    char path[SPUR_FILE_PATH_BYTES];
    if (p->state == FINISH_UNKNOWN)
        tally->distant++;
    if (p->state != FINISH_ALIVE || !p->head.version)
        return; /* over; or its files are just being made: the process will read the word */
    int err = switch_segment(finish_path(f, p, "segment", path), on);
    if (err && err != -ENOENT) {
        spur_log("process %u cannot be switched: %s", p->head.pid, reason(err));
        tally->failed++;
    }
    tally->switched += !err;
}

static int switch_session(struct finish *f, bool on)
{
    struct tally tally = {0};
    struct stat info;
    char path[SPUR_FILE_PATH_BYTES];
    if (lstat(finish_path(f, NULL, NULL, path), &info) < 0 || !S_ISDIR(info.st_mode)) {
        spur_log("%s is not the directory of a running recording: there is no .spur in it", f->dir);
        return 1;
    }
    int err = leave_word(f->dir, on);
    if (!err)
        err = finish_scan(f);
    if (!err)
        err = leave_words_here(f, on);
    if (err) {
        spur_log("%s cannot be switched: %s", f->dir, spur_beneath_reason(-err));
        return 1;
    }
    for (uint64_t i = 0; i < f->n_processes; i++)
        switch_one(f, f->process[i], on, &tally);
    printf("recording %s in %" PRIu64 " process%s of %s, and in later ones\n", on ? "on" : "off",
           tally.switched, tally.switched == 1 ? "" : "es", f->dir);
    if (tally.distant)
        spur_log("%" PRIu64 " processes of other hosts are not reached: run the command there",
                 tally.distant);
    return tally.failed ? 1 : 0;
}

static const struct command_line command = {
    .name = "spur on",
    .form = "PID|DIR\n       spur off PID|DIR",
    .about = "Resumes (on) or pauses (off) recording while the program runs.",
    .more = "  PID   the process in which to switch recording\n"
            "  DIR   the directory of a session: switches recording in all of its processes",
    .least = 1,
    .most = 1,
    .needs = "'spur on' and 'spur off' need the number of a process or the directory of a session",
};

int main(int argc, char **argv)
{
    char *end;
    bool is_off = argc > 1 && strcmp(argv[1], "off") == 0;
    bool is_named = is_off || (argc > 1 && strcmp(argv[1], "on") == 0);
    const char *what = options_read(&command, argv + (is_named ? 2 : 1))[0];
    if (!is_named || !*what)
        options_wrong("%s", command.needs);
    unsigned long pid = strtoul(what, &end, 10);
    if (!*end && what[0] >= '0' && what[0] <= '9')
        return switch_process(pid, !is_off);
    struct finish *f = spur_mem_new(sizeof *f);
    if (!f)
        return 1;
    f->dir = what;
    int status = switch_session(f, !is_off);
    finish_free(f);
    return status;
}
