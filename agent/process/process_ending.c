/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of a process, and the note of the end in the segment: everything is closed, and the last
 * process of the session finishes the session.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/definitions/definitions.h"
#include "agent/definitions/filter_load.h"
#include "agent/metrics/metrics.h"
#include "agent/process/crash.h"
#include "agent/process/death.h"
#include "agent/process/follow.h"
#include "agent/process/process.h"
#include "agent/process/unify_over.h"
#include "agent/record/location.h"
#include "agent/sampling/sample.h"
#include "agent/segment/buffer.h"
#include "agent/segment/look.h"
#include "agent/segment/moved.h"
#include "agent/spur_agent.h"
#include "agent/state/event_clock.h"
#include "agent/state/identity.h"
#include "agent/state/place.h"
#include "agent/state/session.h"
#include "agent/state/settings.h"
#include "agent/state/state.h"
#include "base/apart.h"
#include "base/beneath.h"
#include "base/log.h"
#include "base/now.h"
#include "base/own_stack.h"
#include "base/quiet.h"
#include "base/raw_file.h"
#include "finish/finish.h"
#include "finish/finish_settle.h"

static _Atomic int has_ended;    /* the end has begun */
static _Atomic pthread_t ender;  /* the thread that ends the process */
static _Atomic bool is_done;     /* the end: only exit() is left */
static bool is_sealed;           /* no system calls from now on; children inherit the seal */
static _Atomic bool is_detached; /* the process goes on, and nobody will know its end */
static bool is_settled;          /* the folder is gone: see finish/finish_settle.h */

void spur_process_end_after_fork(void)
{
    has_ended = 0;
    ender = 0;
    is_done = false;
    is_settled = false;
}

void spur_process_begins_to_end(void)
{
    atomic_store(&ender, pthread_self());
}

bool spur_process_ends_elsewhere(void)
{
    pthread_t by = atomic_load(&ender);
    return by && by != pthread_self();
}

bool spur_process_is_done(void)
{
    return atomic_load(&is_done);
}

/* A later statement replaces an earlier statement: exit() may be called by a handler of SIGABRT. */
static void say_ending(enum spur_ending ending, int64_t code)
{
    struct spur_segment *segment = spur_buffer_segment();
    if (segment->ending == SPUR_ENDING_MPI_ABORT && ending != SPUR_ENDING_NONE)
        return; /* later endings are a consequence of the abort */
    segment->ending_code = (int32_t)code;
    segment->ending_thread = (int32_t)syscall(SYS_gettid);
    atomic_store_explicit(&segment->ending, ending, memory_order_release);
}

/*
 * A child that shares its parent's memory says nothing for the parent. After the end nothing is
 * said either.
 */
bool spur_process_may_say(void)
{
    return spur_state_now() != SPUR_CHILD && spur_process.archive && !atomic_load(&has_ended) &&
           getpid() == spur_process.pid;
}

/*
 * If spur is around no part of the job, nobody is left to make the archive when all ranks are
 * killed. The outcome is unknown beforehand, so the line is true in both cases. One line for all
 * ranks.
 */
static void tell_of_recovery_here(enum spur_ending ending)
{
    const struct spur_process *p = &spur_process;
    if (!spur_settings.verbose || spur_session_is_supervised(&spur_settings))
        return;
    int saved = errno;
    spur_inside_begin();
    if (spur_note_put("killed", "") == 0)
        spur_log("%s: if %s is not finished after the job, 'spur recover %s' makes the archive",
                 ending == SPUR_ENDING_MPI_ABORT ? "MPI_Abort" : "abort", p->dir, p->dir);
    spur_inside_end();
    errno = saved;
}
static void tell_of_recovery(enum spur_ending ending);
SPUR_DOOR_VOID(tell_of_recovery, (enum spur_ending, ending))

static void say_abort(enum spur_ending ending, int code)
{
    if (!spur_process_may_say())
        return;
    say_ending(ending, code);
    if (spur_buffer_segment()->rank >= 0 && !spur_locks_held)
        tell_of_recovery(ending);
}

void spur_process_aborts(void)
{
    say_abort(SPUR_ENDING_ABORT, 0);
}

void spur_process_mpi_aborts(int code)
{
    say_abort(SPUR_ENDING_MPI_ABORT, code);
}

void spur_process_goes_on(void)
{
    const struct spur_segment *segment = spur_buffer_segment();
    if (spur_is_open() && segment && segment->ending && spur_process_may_say() &&
        segment->ending_thread == (int32_t)syscall(SYS_gettid))
        say_ending(SPUR_ENDING_NONE, 0);
}

bool spur_process_is_sealed(void)
{
    return is_sealed;
}

bool spur_process_is_over(void)
{
    return is_sealed || is_detached;
}

static void mark_ended(int64_t status)
{
    struct spur_segment *segment = spur_buffer_segment();
    enum spur_ended ended = is_sealed     ? SPUR_ENDED_SEALED
                            : is_detached ? SPUR_ENDED_DETACHED
                                          : SPUR_ENDED;
    segment->exit_status = ended == SPUR_ENDED ? (int32_t)status : 0;
    atomic_store_explicit(&segment->ended, ended, memory_order_release);
}

enum { MARK_BYTES = SPUR_PATH_BYTES + 32 };

/*
 * The mark for processes that live on without a waiting launcher: the launcher is gone, or the
 * first process goes.
 */
static const char *mark_of_left(const char *dir, char path[MARK_BYTES])
{
    snprintf(path, MARK_BYTES, "%s/.spur/left", dir);
    return path;
}

static bool is_left(const char *dir)
{
    char path[MARK_BYTES];
    return access(mark_of_left(dir, path), F_OK) == 0;
}

/*
 * The first process ends, but is not the last: from now on the other processes look. A process that
 * ended just before the mark has not looked, so the first process itself looks once more.
 */
static bool leave(const char *dir)
{
    char path[MARK_BYTES];
    if (!spur_follow_is_awaited())
        return false;
    int err = spur_file_create(mark_of_left(dir, path), "", 0);
    return (!err || err == -EEXIST) && spur_finish_is_last(dir);
}

/*
 * Finishes the session. Without a launcher the first process of the session finishes the session,
 * or the last of the processes that outlive the first. The other processes, maybe thousands, need
 * not look. False: the work is left to another process.
 */
static int finish_apart(void *data)
{
    const char *dir = data;
    const struct spur_process *p = &spur_process;
    bool is_ours = spur_settings.session
                       ? is_left(dir) || !spur_session_is_supervised(&spur_settings)
                       : is_left(dir) || !spur_follow_first_runs();
    const struct spur_finish_options options = {.quiet = spur_settings.verbose == 0,
                                                .unasked = true};
    bool is_last = is_ours && (spur_finish_is_last(dir) || leave(dir));
    if (is_last && p->archive && strcmp(dir, p->dir) != 0 && !options.quiet)
        spur_log("%s was renamed to %s while the program ran", p->dir, dir);
    /* Busy: another process has begun to record meanwhile, and may have ended since. */
    if (is_last && spur_finish(dir, &options) == -EBUSY && leave(dir))
        (void)spur_finish(dir, &options);
    return is_last;
}

static bool finish_if_last(const char *dir)
{
    return spur_apart_long(finish_apart, (void *)(uintptr_t)dir);
}

/*
 * For a process without any records: the process may be the last of a session in which other
 * processes have recorded.
 */
static void finish_for_others(void)
{
    const struct spur_process *p = &spur_process;
    char path[SPUR_PATH_BYTES + 32];
    bool may_be_last = spur_settings.session || (spur_settings.root && spur_follow_is_first());
    if (!spur_settings.dir || p->is_launcher || !may_be_last)
        return;
    snprintf(path, sizeof path, "%s/.spur%s", spur_settings.dir,
             spur_settings.session ? "/left" : "");
    if (access(path, F_OK) == 0)
        (void)finish_if_last(spur_settings.dir);
}

/* Processes begun after the renaming may have made another directory of the old name. */
static void finish_old_name(enum spur_moved moved)
{
    char path[SPUR_PATH_BYTES + 32];
    snprintf(path, sizeof path, "%s/.spur", spur_process.dir);
    if (moved == SPUR_MOVED && access(path, F_OK) == 0)
        (void)finish_if_last(spur_process.dir);
}

static int gather_apart(void *data)
{
    const struct spur_process *p = data;
    return spur_finish_gather(p->dir, p->place, is_settled ? NULL : p->name);
}

/*
 * The session directory gets the data recorded on the host. False: other processes of the host
 * still record.
 */
static bool leave_host(void)
{
    const struct spur_process *p = &spur_process;
    int err = spur_apart_long(gather_apart, (void *)(uintptr_t)p);
    if (err == -ENOENT)
        spur_say("%s was removed or renamed while the program ran; run 'spur recover %s' for what "
                 "was recorded on this host",
                 p->dir, p->place);
    else if (err < 0)
        spur_say("what was recorded in %s cannot be moved to %s: %s; run 'spur recover %s' on this "
                 "host when that can be written to",
                 p->place, p->dir, spur_beneath_reason(-err), p->dir);
    return err == 0;
}

/* Everything is closed if `all`. */
static void finish_process(bool all, enum spur_moved moved, const char *dir)
{
    struct spur_hold_signal hold;
    spur_file_signal_hold(&hold);
    bool is_left_over = !all && spur_loc_others_write();
    bool goes_on = all && spur_place_is_local() && !leave_host();
    bool is_finished = !is_left_over && !goes_on && moved != SPUR_REMOVED && finish_if_last(dir);
    if (is_finished)
        finish_old_name(moved);
    spur_file_signal_release(&hold);
    if (moved == SPUR_REMOVED)
        spur_moved_say_removed();
    else if (is_left_over && !spur_settings.session)
        spur_say("%s is not finished: a thread was still writing to it; run 'spur recover %s'", dir,
                 dir);
    if (!is_finished && all && !is_sealed)
        spur_death_withdraw(spur_place_is_local() ? spur_process.place : dir);
}

static int settle_apart(void *data)
{
    return spur_finish_settle(data);
}

/*
 * A rank with unified definitions makes its files now, as all ranks do at the same time, and only
 * then reports its end. After the report the rank may be the last process, and finish the session.
 */
static bool settle(enum spur_moved moved, int64_t status)
{
    const struct spur_segment *segment = spur_buffer_segment();
    const struct spur_process *p = &spur_process;
    struct spur_settling settling = {p->dir, p->place, p->name, segment, (int32_t)status, NULL, 0};
    struct spur_hold_signal hold;
    if (!segment->world || segment->rank < 0 || spur_process_is_over() || segment->has_kept ||
        segment->stopped || segment->flush == SPUR_FLUSH_RING || moved != SPUR_STAYED)
        return false;
    settling.map = spur_unify_over_map(&settling.map_bytes);
    spur_file_signal_hold(&hold);
    is_settled = spur_apart_long(settle_apart, &settling) == 0;
    spur_file_signal_release(&hold);
    return is_settled;
}

struct parting {
    int64_t status;
    bool all; /* everything is closed */
    enum spur_moved moved;
    const char *dir;
};

static int part(void *data)
{
    const struct parting *parting = data;
    if (parting->all) {
        bool has_folder = !settle(parting->moved, parting->status);
        if (has_folder)
            spur_unify_over_save();
        mark_ended(parting->status);
        if (!spur_buffer_segment()->has_kept && has_folder)
            spur_buffer_release();
    }
    finish_process(parting->all, parting->moved, parting->dir);
    return 0;
}

/* An ended process may be gone the next moment: another process finishes the session. */
static void close_process(int64_t status)
{
    struct spur_segment *segment = spur_buffer_segment();
    char dir[SPUR_PATH_BYTES];
    struct parting parting = {.status = status, .dir = dir};
    if (!spur_process_is_over())
        say_ending(SPUR_ENDING_EXIT, status);
    spur_metric_end();
    parting.all = spur_loc_close_all(status);
    spur_filter_tell();
    spur_clock_look(0, 0);
    spur_clock_tell();
    segment->last = spur_clock_moment();
    segment->end_ticks = segment->last.ticks;
    spur_usage_end(segment->last.monotonic - segment->first.monotonic, parting.all);
    segment->threads = atomic_load(&spur_locations.threads);
    spur_sample_tell_end();
    spur_defs_close();
    parting.moved = spur_moved_to(dir);
    if (parting.all && !spur_is_alone())
        spur_buffer_leave();
    (void)spur_apart_long(part, &parting); /* once for all work on files */
}

/*
 * A signal that could not be held back has called a handler while the thread holds a lock.
 * Finishing closes everything, as after a kill, and finds the end of the process.
 */
static void end_unclosed(int64_t status)
{
    if (spur_process.archive && !is_sealed)
        say_ending(SPUR_ENDING_EXIT, status);
}

/* ---- calls before the end ---- */

enum { PARTINGS = 4 };
static void (*_Atomic partings[PARTINGS])(bool goes_on);

void spur_before_end(void (*call)(bool goes_on))
{
    for (int i = 0; i < PARTINGS; i++) {
        void (*other)(bool) = NULL;
        if (atomic_compare_exchange_strong(&partings[i], &other, call) || other == call)
            return;
    }
}

void spur_process_parts(bool goes_on)
{
    for (int i = 0; i < PARTINGS; i++) {
        void (*call)(bool) = atomic_load(&partings[i]);
        if (call && spur_process.archive)
            call(goes_on);
    }
}

/* ---- the end ---- */

static void end_here(void *arg)
{
    const int64_t status = *(const int64_t *)arg;
    if (spur_state_now() == SPUR_CHILD && !spur_process_is_over() && !spur_locks_held)
        spur_process_show();
    uint32_t state = spur_state_now();
    if (state == SPUR_CHILD || state == SPUR_UNBORN || atomic_load(&has_ended))
        return; /* without a system call: a sealed process would be killed */
    if (getpid() != spur_process.pid || atomic_exchange(&has_ended, 1))
        return;
    if (spur_locks_held) {
        end_unclosed(status);
        return;
    }
    int saved = errno;
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    spur_process_begins_to_end();
    spur_inside_begin();
    spur_sample_catch_up();
    spur_process_parts(false);
    spur_state_set(SPUR_OFF);
    if (spur_process.archive)
        close_process(status);
    else
        finish_for_others();
    spur_inside_end();
    atomic_store(&is_done, true);
    pthread_setcancelstate(cancel, NULL);
    errno = saved;
}

static void end_process(int64_t status)
{
    if (spur_state_now() != SPUR_UNBORN && !atomic_load(&has_ended))
        spur_on_own_stack_for_long(end_here, &status);
}

/*
 * The process ends while the thread started by `spur detach` makes the archive: nobody else would
 * make the archive. The wait has a limit: an exit in a signal handler may hold up something the
 * thread waits for.
 */
static void await_detach(void)
{
    enum { PATIENCE_MS = 60000 };
    const struct timespec nap = {.tv_nsec = 1000000};
    if (!is_detached || spur_state_now() == SPUR_CHILD || getpid() != spur_process.pid ||
        !spur_process_ends_elsewhere() || spur_locks_held)
        return;
    const uint64_t until = spur_now_ms() + PATIENCE_MS;
    while (!atomic_load(&is_done) && spur_now_ms() < until)
        syscall(SYS_nanosleep, &nap, NULL);
}

void spur_process_end(int status)
{
    end_process(status);
    await_detach();
}

/* A child of vfork() works in its parent's memory. */
static void seal(void *unused)
{
    (void)unused;
    if (spur_state_now() == SPUR_CHILD)
        spur_process_show();
    bool is_child = spur_state_now() == SPUR_CHILD;
    if (!is_child && getpid() != spur_process.pid)
        return;
    int saved = errno;
    is_sealed = true;
    spur_crash_disarm();
    if (spur_is_open())
        spur_off("recording of %s stops: it makes the kernel forbid system calls (seccomp)",
                 spur_session_program());
    end_process(OTF2_UNDEFINED_INT64);
    spur_state_set(SPUR_OFF);
    spur_quiet_seal();
    errno = saved;
}

void spur_process_seal(void)
{
    if (spur_is_sharer()) {
        spur_sharers_seal();
        return;
    }
    spur_on_own_stack_for_long(seal, NULL);
    if (is_sealed)
        spur_own_stack_seal();
}

void spur_process_detach(void)
{
    is_detached = true;
    end_process(OTF2_UNDEFINED_INT64);
}
