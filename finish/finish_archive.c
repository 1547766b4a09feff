/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/finish_archive.h"

#include <stdio.h>

#include "base/archive_files.h"
#include "finish/define/finish_define.h"
#include "finish/events/finish_events.h"
#include "finish/events/finish_out.h"
#include "finish/find/finish_find.h"
#include "finish/find/finish_settled.h"
#include "finish/finish_pack.h"
#include "finish/state/finish_each.h"
#include "finish/state/finish_store.h"
#include "finish/state/finish_trouble.h"
#include "session/properties.h"

#ifndef SPUR_VERSION
#define SPUR_VERSION "unknown"
#endif

enum {
    COMMON_CHUNK_BYTES = OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT,
    LARGE_JOURNAL_BYTES = 12 << 20, /* tables may be more: 5 bytes for a record of 16 or more */
};

void finish_place_archive(struct finish *f)
{
    snprintf(f->place, sizeof f->place, "%s%s", f->dir, f->container ? "/.spur/" FINISH_PLAIN : "");
}

static OTF2_FlushType before_flush(void *user, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool final)
{
    (void)user, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static OTF2_ErrorCode set_property(const struct finish *f, const char *name, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    return OTF2_Archive_SetProperty(f->archive, name, text, true);
}

uint64_t finish_count(const struct finish *f, enum finish_state state)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < f->n_processes; i++)
        n += f->process[i]->state == state;
    return n;
}

static OTF2_ErrorCode describe(const struct finish *f)
{
    OTF2_ErrorCode error = OTF2_Archive_SetCreator(f->archive, "spur " SPUR_VERSION);
    if (!error)
        error = OTF2_Archive_SetMachineName(f->archive, "Machine");
    if (!error)
        error = OTF2_Archive_SetProperty(f->archive, SPUR_SAYS_VERSION, SPUR_VERSION, true);
    if (!error)
        error = set_property(f, SPUR_SAYS_STOPPED_PROCESSES, f->stopped);
    if (!error)
        error = set_property(f, SPUR_SAYS_SYNTHESISED_EVENTS, f->repaired);
    if (!error && f->options.snapshot)
        error = set_property(f, SPUR_SAYS_SNAPSHOT, finish_count(f, FINISH_DEAD));
    if (!error && f->dropped)
        error = set_property(f, SPUR_SAYS_DROPPED_EVENTS, f->dropped);
    if (!error && f->cut_off)
        error = set_property(f, SPUR_SAYS_CUT_OFF_LOCATIONS, f->cut_off);
    if (!error)
        error = finish_control_properties(f);
    if (!error)
        error =
            set_property(f, SPUR_SAYS_DEAD_PROCESSES, f->options.snapshot ? 0 : finish_end_dead(f));
    if (!error)
        error = set_property(f, SPUR_SAYS_MISSING_RANKS, finish_count(f, FINISH_MISSING));
    if (!error && f->spawned > 0)
        error = set_property(f, SPUR_SAYS_MISSING_SPAWNED, (uint64_t)f->spawned);
    if (!error)
        error = set_property(f, SPUR_SAYS_UNTRACED_PROGRAMS, f->untraced);
    if (!error && f->left_out)
        error = set_property(f, SPUR_SAYS_LEFT_OUT_PROGRAMS, f->left_out);
    return error;
}

/* What goes wrong in the library is said once, with the file, when finishing ends. */
static OTF2_ErrorCode be_silent(void *user, const char *file, uint64_t line, const char *function,
                                OTF2_ErrorCode code, const char *format, va_list args)
{
    (void)user, (void)file, (void)line, (void)function, (void)format, (void)args;
    return code;
}

/*
 * A table of a process's ids is one record in one chunk. libotf2 touches a whole chunk for each
 * location that libotf2 reads, so chunks are larger only where they must be. Processes and helpers
 * may write files with another size of chunks, since each file is one chunk then.
 */
static uint64_t definition_chunk_bytes(const struct finish *f)
{
    uint64_t most = 0;
    for (uint64_t i = 0; i < f->n_processes; i++) {
        const struct finish_process *p = f->process[i];
        uint64_t said = p->head.journal_bytes;
        most = p->journal_bytes > most ? p->journal_bytes : most;
        most = said > most ? said : most;
    }
    return most > LARGE_JOURNAL_BYTES ? OTF2_CHUNK_SIZE_MAX : COMMON_CHUNK_BYTES;
}

OTF2_ErrorCode finish_open_archive(struct finish *f)
{
    static const OTF2_FlushCallbacks flush = {before_flush, NULL};
    OTF2_Error_RegisterCallback(be_silent, NULL);
    if (f->container && !f->store)
        f->store = finish_store_new();
    if (f->container && !f->store)
        return OTF2_ERROR_MEM_ALLOC_FAILED;
    f->archive =
        OTF2_Archive_Open(f->place, "traces", OTF2_FILEMODE_WRITE, f->block_bytes,
                          definition_chunk_bytes(f), OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!f->archive)
        return OTF2_ERROR_EACCES;
    /* Readers of OTF2 3.0 know all records of a recording. */
    (void)OTF2X_Archive_SetVersion(f->archive, 3, 0, 2);
    bool is_there = f->is_settling || f->is_adopted || f->is_helping;
    OTF2_ErrorCode error =
        OTF2X_Archive_SetFileCallbacks(f->archive, f->container ? &finish_out_files
                                                   : is_there   ? &spur_archive_files_shared
                                                                : &spur_archive_files);
    if (!error)
        error = finish_each_lock(f);
    if (!error)
        error = OTF2_Archive_SetFlushCallbacks(f->archive, &flush, NULL);
    if (!error)
        error = OTF2_Archive_SetSerialCollectiveCallbacks(f->archive);
    return error ? error : OTF2_Archive_OpenEvtFiles(f->archive);
}

static int take_events(struct finish *f, struct finish_process *p)
{
    finish_end_date(f, p);
    return finish_events(f, p);
}

const struct finish_step finish_events_step = {.number = FINISH_STEP_EVENTS,
                                               .one = take_events,
                                               .is_far = finish_settled_is_seen,
                                               .gives = FINISH_COLUMN(THREADS) |
                                                        FINISH_COLUMN(MAP) | FINISH_COLUMN(TOLD) |
                                                        FINISH_COLUMN(ARGUMENTS) |
                                                        FINISH_COLUMN(ADOPTED_EVT) |
                                                        FINISH_COLUMN(CONTEXTS),
                                               .takes = FINISH_COLUMN(THREADS),
                                               .writes = true};

int finish_write_archive(struct finish *f)
{
    int err = f->container ? finish_pack_begin(f) : 0;
    if (!err && !f->container)
        err = finish_settled_adopt(f);
    if (!err)
        err = finish_check(f, finish_open_archive(f), "traces.otf2");
    for (uint64_t i = 0; i < f->n_processes && !err; i++) {
        f->stopped += f->process[i]->head.stopped != 0;
        f->untraced += f->process[i]->head.untraced;
        f->spawned += (int64_t)f->process[i]->head.spawned - (f->process[i]->head.is_spawned != 0);
        f->left_out += f->process[i]->head.left_out;
        finish_end_alive(f, f->process[i]);
    }
    if (!err)
        err = finish_each(f, &finish_events_step);
    if (!err)
        err = finish_check(f, OTF2_Archive_CloseEvtFiles(f->archive), "events");
    if (!err)
        err = finish_clock(f);
    if (!err)
        err = finish_definitions(f);
    if (!err)
        err = finish_check(f, describe(f), "traces.otf2");
    if (f->archive) {
        /* The anchor file makes the archive, and is not written after a failure. */
        OTF2_ErrorCode closed = err ? OTF2_SUCCESS : OTF2_Archive_Close(f->archive);
        if (!err)
            err = finish_check(f, closed, "traces.otf2");
    }
    if (!err && f->container)
        err = finish_pack(f);
    return err;
}
