/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How processes ended, and when. Sources: the process's own statement (in the segment), and the
 * observation of the waiting parent (the note beside the segment) or of the launcher. An unknown
 * end is not guessed at.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/procfs.h"
#include "base/raw_file.h"
#include "base/system_words.h"
#include "finish/find/finish_find.h"
#include "finish/state/finish_trouble.h"

static bool is_here(const struct finish *f, const struct finish_process *p)
{
    return f->boot_id[0] && strcmp(p->head.boot_id, f->boot_id) == 0;
}

static uint64_t ticks_of(const struct finish_process *p, const struct spur_stamp *stamp)
{
    return spur_stamp_ticks(stamp, p->head.clock);
}

/* The process went on unseen, and may have told nobody how the process ended. */
static bool has_gone_on(const struct finish_process *p)
{
    return p->state == FINISH_ENDED && p->head.ended != SPUR_ENDED;
}

static bool has_closed(const struct finish_process *p)
{
    return p->state == FINISH_ENDED && !has_gone_on(p);
}

/* ---- the known facts ---- */

enum { SIGNAL_MASK = 0x7f }; /* of a status, in the form of wait(2) */

static bool is_launchers_child(const struct finish *f, const struct finish_process *p)
{
    uint64_t space = spur_procfs_pid_space();
    return f->options.child && p->head.pid == (uint32_t)f->options.child && is_here(f, p) &&
           p->head.ppid == (uint32_t)getppid() && (!space || p->head.pid_space == space);
}

bool finish_has_crashed(const struct finish_process *p)
{
    const struct spur_crash *crash = &p->head.crash;
    if (p->state != FINISH_DEAD || p->is_snapshot || crash->state < SPUR_CRASH_MAYBE)
        return false;
    if (p->end.is_seen)
        return WIFSIGNALED(p->end.status) && WTERMSIG(p->end.status) == (int)crash->signal;
    return crash->state == SPUR_CRASH_SURE;
}

void finish_end_read(struct finish *f, struct finish_process *p)
{
    char path[SPUR_FILE_PATH_BYTES];
    void *text = NULL;
    uint64_t bytes, room = 0;
    struct spur_death death;
    p->end = (struct finish_end){.status = 0};
    if (p->state != FINISH_DEAD && !has_gone_on(p))
        return;
    int err = spur_file_load(finish_path(f, p, SPUR_DEATH_FILE, path), SPUR_DEATH_BYTES, &text,
                             &bytes, &room);
    finish_note_unread(f, err, path);
    if (!err && spur_death_parse(text, &death))
        p->end = (struct finish_end){.is_seen = true,
                                     .status = death.status,
                                     .ticks = ticks_of(p, &death.at),
                                     .realtime = death.at.realtime};
    else if (is_launchers_child(f, p))
        p->end = (struct finish_end){.is_seen = true,
                                     .status = f->options.child_status,
                                     .ticks = ticks_of(p, &f->start),
                                     .realtime = f->start.realtime};
    else if (finish_has_crashed(p))
        p->end = (struct finish_end){.is_seen = true,
                                     .is_own = true,
                                     .status = (int)p->head.crash.signal & SIGNAL_MASK,
                                     .ticks = p->head.crash.ticks};
    spur_mem_free(text, room);
}

/* The time of the thread's last record, by the slot of the thread. */
static uint64_t last_of(struct finish *f, const char *path, int segment,
                        const struct finish_thread *t)
{
    struct spur_slot slot;
    if (!t->is_live ||
        finish_try_read(f, path, segment, t->slot_at, &slot, sizeof slot) != sizeof slot)
        return 0;
    return slot.cursor.time;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ---- observations of parents ---- */

static int compare_words(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* 0: both segments belong to one parent, with times of one clock. */
static int compare_parents(const struct spur_segment *a, const struct spur_segment *b)
{
    int order = compare_words(a->ppid, b->ppid);
    order = order ? order : compare_words(a->clock_id, b->clock_id);
    order = order ? order : compare_words(a->clock, b->clock);
    order = order ? order : compare_words(a->pid_space, b->pid_space);
    return order ? order : strcmp(a->boot_id, b->boot_id);
}

static bool dies_before(const void *context, uint64_t a, uint64_t b)
{
    struct finish_process *const *process = context;
    int order = compare_parents(&process[a]->head, &process[b]->head);
    return order ? order < 0 : process[a]->end.ticks < process[b]->end.ticks;
}

/*
 * List, for each parent, the children seen dead by the parent, by time. Called once. Without memory
 * the list is empty.
 */
static void list_seen(struct finish *f)
{
    f->has_seen = true;
    for (uint64_t i = 0; i < f->n_processes; i++) {
        const struct finish_process *p = f->process[i];
        bool is_of_parent = p->state == FINISH_DEAD && p->end.is_seen && !p->end.is_own;
        uint64_t *at = is_of_parent ? spur_words_add(&f->seen, 1) : NULL;
        if (at)
            *at = i;
    }
    finish_sort(f->seen.at, f->seen.n, dies_before, f->process);
}

/*
 * The last time at which the parent of this process saw a sibling die. If the parent has not seen
 * this process die, the process was alive then: launchers of MPI end as soon as they have sent the
 * other ranks a signal, and see no more of the ranks.
 */
static uint64_t last_seen_by_parent(struct finish *f, const struct finish_process *p)
{
    if (p->end.is_seen)
        return 0;
    if (!f->has_seen)
        list_seen(f);
    size_t low = 0, high = f->seen.n; /* the first process of a later parent */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_parents(&f->process[f->seen.at[middle]]->head, &p->head) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct finish_process *last = low ? f->process[f->seen.at[low - 1]] : NULL;
    return last && compare_parents(&last->head, &p->head) == 0 ? last->end.ticks : 0;
}

void finish_end_alive(struct finish *f, struct finish_process *p)
{
    bool is_sought = p->state == FINISH_DEAD && !p->is_snapshot && !p->end.is_own;
    p->seen_ticks = is_sought ? last_seen_by_parent(f, p) : 0;
}

uint64_t finish_end_recorded(struct finish *f, const struct finish_process *p)
{
    char path[SPUR_FILE_PATH_BYTES];
    uint64_t size, last = 0, limit = is_here(f, p) ? ticks_of(p, &f->now) : 0;
    int segment = finish_try_open(f, finish_path(f, p, "segment", path), &size);
    for (uint64_t i = 0; segment >= 0 && i < p->n_threads; i++) {
        uint64_t time = last_of(f, path, segment, &p->threads[i]);
        last = time <= limit || !limit ? later(time, last) : last;
    }
    if (segment >= 0)
        spur_file_close(segment);
    return last;
}

void finish_end_date(struct finish *f, struct finish_process *p)
{
    if (p->state != FINISH_DEAD && p->state != FINISH_EXECED)
        return;
    if (p->is_running) /* it was there when the snapshot was taken, in whatever call */
        p->end.ticks = ticks_of(p, &f->options.taken);
    uint64_t last = later(later(p->head.last.ticks, p->seen_ticks), finish_end_recorded(f, p));
    p->end.ticks = later(p->end.ticks, last);
}

/* ---- in words ---- */

static const char *signal_name(int number, char *text, size_t size)
{
    const char *brief = spur_signal_name(number);
    if (brief)
        snprintf(text, size, "SIG%s", brief);
    else if (number >= SIGRTMIN && number <= SIGRTMAX)
        snprintf(text, size, number > SIGRTMIN ? "SIGRTMIN+%d" : "SIGRTMIN", number - SIGRTMIN);
    else
        snprintf(text, size, "signal %d", number);
    return text;
}

enum { WORDS_BYTES = 128, NAME_BYTES = 32, STATUS_MASK = 0xff };

/* The observed status, or else the process's own statement; "": neither is known. */
static void tell_status(const struct finish_process *p, char *text, size_t size)
{
    char name[NAME_BYTES];
    const struct finish_end *end = &p->end;
    text[0] = '\0';
    if (end->is_seen && WIFSIGNALED(end->status))
        snprintf(text, size, "killed by %s%s",
                 signal_name(WTERMSIG(end->status), name, sizeof name),
                 WCOREDUMP(end->status) ? ", core dumped" : "");
    else if (end->is_seen)
        snprintf(text, size, "exit status %d", WEXITSTATUS(end->status));
    else if (has_closed(p))
        snprintf(text, size, "exit status %d", p->head.exit_status & STATUS_MASK);
    else if (p->head.ending == SPUR_ENDING_EXIT)
        snprintf(text, size, "exit status %d", p->head.ending_code & STATUS_MASK);
}

static void tell_dead(const struct finish_process *p, char *text, size_t size)
{
    char status[WORDS_BYTES];
    const char *then;
    tell_status(p, status, sizeof status);
    then = status[0] ? ", " : "";
    if (p->head.ending == SPUR_ENDING_MPI_ABORT)
        snprintf(text, size, "MPI_Abort(%d)%s%s", p->head.ending_code, then, status);
    else if (p->head.ending == SPUR_ENDING_ABORT && p->state == FINISH_DEAD &&
             (!p->end.is_seen ||
              (WIFSIGNALED(p->end.status) && WTERMSIG(p->end.status) == SIGABRT)))
        snprintf(text, size, "abort%s%s", then, status);
    else
        snprintf(text, size, "%s", status[0] ? status : "died, cause unknown");
}

/* The recording was cut off. A cut says nothing of the end of the process. */
static bool is_cut_off(const struct finish_process *p)
{
    return p->head.stopped == FINISH_STOP_CUT;
}

static void tell(const struct finish_process *p, char *text, size_t size)
{
    if (p->is_snapshot)
        snprintf(text, size, "still recording when the snapshot was made");
    else if (p->state == FINISH_EXECED)
        snprintf(text, size, "exec");
    else if (p->state == FINISH_DEAD && finish_lost_why(p) && !is_cut_off(p))
        snprintf(text, size, "recording stopped: %s", finish_lost_why(p));
    else if (has_gone_on(p))
        snprintf(text, size, "recording ended %s",
                 p->head.ended == SPUR_ENDED_DETACHED
                     ? "by 'spur detach'"
                     : "when system calls were forbidden (seccomp)");
    else if (p->state == FINISH_DEAD || p->state == FINISH_ENDED)
        tell_dead(p, text, size);
    else
        snprintf(text, size, "nothing was recorded");
}

/* ---- properties ---- */

static void add(struct finish *f, struct finish_process *p, const char *name, const char *value)
{
    if (p->n_properties < FINISH_PROPERTIES)
        p->property[p->n_properties++] =
            (struct finish_property){spur_unify_string(f->unify, name),
                                     spur_unify_string(f->unify, value)};
}

static void add_number(struct finish *f, struct finish_process *p, const char *name, int64_t value)
{
    char text[NAME_BYTES];
    snprintf(text, sizeof text, "%lld", (long long)value);
    add(f, p, name, text);
}

static void add_status(struct finish *f, struct finish_process *p)
{
    char name[NAME_BYTES];
    const struct finish_end *end = &p->end;
    if (end->is_seen && WIFSIGNALED(end->status)) {
        add(f, p, "SIGNAL", signal_name(WTERMSIG(end->status), name, sizeof name));
        if (WCOREDUMP(end->status))
            add(f, p, "CORE_DUMPED", "true");
    } else if (end->is_seen) {
        add_number(f, p, "EXIT_STATUS", WEXITSTATUS(end->status));
    } else if (has_closed(p)) {
        add_number(f, p, "EXIT_STATUS", p->head.exit_status & STATUS_MASK);
    } else if (p->head.ending == SPUR_ENDING_EXIT) {
        add_number(f, p, "EXIT_STATUS", p->head.ending_code & STATUS_MASK);
    }
    if (p->head.ending == SPUR_ENDING_MPI_ABORT)
        add_number(f, p, "MPI_ABORT", p->head.ending_code);
}

/* The calendar time of a moment of the process, by the clock of the archive. */
static uint64_t calendar(const struct finish *f, const struct finish_process *p, uint64_t ticks)
{
    const struct finish_time *time = &f->time;
    uint64_t at = spur_clock_line_at(&p->line, ticks);
    if (time->realtime == OTF2_UNDEFINED_TIMESTAMP || at < time->begin)
        return p->head.last.realtime;
    return time->realtime +
           (uint64_t)((double)(at - time->begin) * 1e9 / (double)time->ticks_per_second);
}

static void complete(const struct finish *f, struct finish_process *p)
{
    for (uint64_t t = 0; t < p->n_threads && p->state != FINISH_ENDED; t++)
        if (p->threads[t].last > p->end.ticks)
            p->end.ticks = p->threads[t].last;
    if (p->state == FINISH_ENDED && !p->end.is_seen) {
        p->end.ticks = p->head.end_ticks;
        p->end.realtime = p->head.last.realtime;
    } else if (!p->end.realtime && p->end.ticks) {
        p->end.realtime = calendar(f, p, p->end.ticks);
    }
}

/* ---- messages for the user ---- */

static bool is_aborter(const struct finish_process *p)
{
    return p->head.ending == SPUR_ENDING_MPI_ABORT ||
           (p->head.ending == SPUR_ENDING_ABORT && p->state == FINISH_DEAD);
}

/* Programs end by their own will, with an exit status, even without the exit() of the C library. */
static bool has_left(const struct finish_process *p)
{
    return p->end.is_seen ? WIFEXITED(p->end.status) : p->head.ending == SPUR_ENDING_EXIT;
}

uint64_t finish_end_dead(const struct finish *f)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < f->n_processes; i++)
        n += f->process[i]->state == FINISH_DEAD && !has_left(f->process[i]);
    return n;
}

static bool is_casualty(const struct finish_process *p)
{
    bool has_stopped = !p->end.is_seen && p->head.stopped && !is_cut_off(p);
    if (p->is_snapshot)
        return false;
    return p->head.ending == SPUR_ENDING_MPI_ABORT ||
           (p->state == FINISH_DEAD && !has_left(p) && !has_stopped);
}

/* A launcher kills the other ranks by SIGKILL or SIGTERM. */
static bool is_killed(const struct finish_process *p)
{
    int number = WIFSIGNALED(p->end.status) ? WTERMSIG(p->end.status) : 0;
    return number == SIGKILL || number == SIGTERM;
}

/*
 * Is process `a` more to blame than `b`? First comes a process that aborts all ranks, then a
 * process that died of itself, then the process that died first. Often nobody knows the end of
 * ranks that were killed in consequence, and their last records are older than those of the
 * culprit.
 */
static bool is_worse(const struct finish_process *a, const struct finish_process *b)
{
    if (is_aborter(a) != is_aborter(b))
        return is_aborter(a);
    if (a->end.is_seen != b->end.is_seen)
        return a->end.is_seen;
    if (is_killed(a) != is_killed(b))
        return is_killed(b);
    return a->end.realtime < b->end.realtime;
}

/* The process that caused the deaths, and the number of dead processes; NULL: no process died. */
static struct finish_process *find_worst(const struct finish *f, uint64_t *n)
{
    struct finish_process *worst = NULL;
    *n = 0;
    for (uint64_t i = 0; i < f->n_processes; i++) {
        struct finish_process *p = f->process[i];
        if (!is_casualty(p))
            continue;
        ++*n;
        if (!worst || is_worse(p, worst))
            worst = p;
    }
    return worst;
}

void finish_end_properties(struct finish *f)
{
    char text[WORDS_BYTES];
    uint64_t n;
    for (uint64_t i = 0; i < f->n_processes; i++) {
        struct finish_process *p = f->process[i];
        tell(p, text, sizeof text);
        add(f, p, "END", text);
        if (p->state == FINISH_MISSING)
            continue;
        complete(f, p);
        add_status(f, p);
        add_number(f, p, "END_TIME", (int64_t)p->end.realtime);
        add(f, p, "END_SEEN_BY",
            p->end.is_seen && !p->end.is_own                   ? "parent"
            : p->end.is_own || has_closed(p) || p->head.ending ? "itself"
                                                               : "nobody");
    }
    struct finish_process *worst = find_worst(f, &n);
    if (worst)
        add(f, worst, "DIED_FIRST", "true");
}

static const char *label_of(const struct finish *f, const struct finish_process *p)
{
    const char *label = finish_text(f, p->label);
    return label[0] ? label : "a process";
}

void finish_end_say(struct finish *f, char *text, size_t size)
{
    char how[WORDS_BYTES], pid[NAME_BYTES] = "", more[2 * NAME_BYTES] = "";
    uint64_t n, events = 0;
    const struct finish_process *worst = find_worst(f, &n);
    text[0] = '\0';
    if (!worst)
        return;
    tell_dead(worst, how, sizeof how);
    for (uint64_t t = 0; t < worst->n_threads; t++)
        events += worst->threads[t].events;
    if (worst->head.rank >= 0) /* else the rank is in the name */
        snprintf(pid, sizeof pid, " (pid %u)", worst->head.pid);
    if (n > 1)
        snprintf(more, sizeof more, ", and %llu more died", (unsigned long long)n - 1);
    const char *place = finish_text(f, worst->crashed_in);
    snprintf(text, size, "; %s%s: %s, %s%sits %llu events are kept%s", label_of(f, worst), pid, how,
             place, place[0] ? ", " : "", (unsigned long long)events, more);
}
