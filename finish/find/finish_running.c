/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/raw_file.h"
#include "finish/find/finish_find.h"
#include "session/stamp.h"

static bool may_still_record(const struct finish_process *p)
{
    return p->state == FINISH_ALIVE || p->state == FINISH_UNKNOWN;
}

void finish_list_running(const struct finish *f, char *text, size_t size)
{
    enum { NAMED = 5 };
    uint64_t n = 0;
    size_t at = 0;
    text[0] = '\0';
    for (uint64_t i = 0; i < f->n_processes; i++) {
        const struct finish_process *p = f->process[i];
        if (!may_still_record(p) || n++ >= NAMED || at >= size)
            continue;
        bool is_elsewhere = p->state == FINISH_UNKNOWN || p->is_elsewhere;
        at += (size_t)snprintf(text + at, size - at, "%spid %u%s%.64s", n > 1 ? ", " : "",
                               p->head.pid, is_elsewhere ? " on " : "",
                               is_elsewhere ? p->head.host : "");
    }
    if (n > NAMED && at < size)
        snprintf(text + at, size - at, " and %llu more", (unsigned long long)(n - NAMED));
}

bool finish_is_running(const struct finish *f)
{
    for (uint64_t i = 0; i < f->n_processes; i++)
        if (may_still_record(f->process[i]))
            return true;
    return false;
}

/*
 * Is data on other hosts missing? The processes of these hosts end with the job, and move their
 * data.
 */
static bool lacks_hosts(const struct finish *f)
{
    return f->hosts.away && !f->options.recover;
}

static int check_hosts(const struct finish *f)
{
    if (!lacks_hosts(f))
        return 0;
    if (!f->options.unasked) /* the last process of the host finishes */
        spur_log("%s is not finished: %llu host%s not moved what was recorded there: %s; run 'spur "
                 "recover %s' there, or, if that is lost, 'spur recover --recover %s' here",
                 f->dir, (unsigned long long)f->hosts.away, f->hosts.away == 1 ? " has" : "s have",
                 f->hosts.names, f->dir, f->dir);
    return -EBUSY;
}

/*
 * When the session is finished on another host, nobody on the other host can see the death of these
 * processes.
 */
static void note_gone(const struct finish *f)
{
    char path[SPUR_FILE_PATH_BYTES];
    for (uint64_t i = 0; i < f->n_processes && !f->options.recover; i++)
        if (f->process[i]->state == FINISH_DEAD)
            (void)spur_file_create(finish_path(f, f->process[i], SPUR_GONE_FILE, path), "", 0);
}

int finish_check_running(const struct finish *f)
{
    char list[512];
    bool is_unknown = false;
    finish_list_running(f, list, sizeof list);
    for (uint64_t i = 0; i < f->n_processes; i++)
        is_unknown |= f->process[i]->state == FINISH_UNKNOWN;
    if (is_unknown || lacks_hosts(f))
        note_gone(f);
    if (!list[0])
        return check_hosts(f);
    if (!f->options.unasked) /* the last process finishes */
        spur_log(
            "%s is not finished: still recorded by %s; when they have ended, run 'spur recover "
            "%s'%s",
            f->dir, list, f->dir,
            is_unknown ? " (with --recover, processes of other hosts count as dead)" : "");
    return -EBUSY;
}

void finish_nap(void)
{
    const struct timespec time = {0, FINISH_NAP_MS * 1000000L};
    syscall(SYS_nanosleep, &time, NULL);
}

/*
 * The time to wait for processes. Launchers return while the killed ranks are still dying, and the
 * last writes of ranks of other hosts arrive through the file system a little later. Processes
 * outside of MPI jobs that still run were hardly meant to be waited for.
 */
static int patience_ms(const struct finish *f)
{
    enum { NAPS_FOR_SINGLE = 10 };
    bool has_ranks = !f->options.leaves || f->hosts.away;
    for (uint64_t i = 0; i < f->n_processes; i++)
        has_ranks |= f->process[i]->head.rank >= 0 || f->process[i]->state == FINISH_UNKNOWN;
    int ms = f->options.wait_ms;
    return has_ranks || ms < NAPS_FOR_SINGLE * FINISH_NAP_MS ? ms : NAPS_FOR_SINGLE * FINISH_NAP_MS;
}

int finish_scan_patiently(struct finish *f)
{
    int err = finish_scan(f);
    for (int ms = 0; !err && (finish_is_running(f) || lacks_hosts(f)) && ms < patience_ms(f);
         ms += FINISH_NAP_MS) {
        finish_nap();
        finish_forget(f);
        err = finish_scan(f);
    }
    return err;
}

/*
 * All ranks of each MPI job must be there: a rank may still be on the way to its first event. After
 * MPI_Finalize no rank is on the way, and missing ranks run without spur.
 */
static bool all_ranks_are_there(const struct finish *f)
{
    uint64_t ranks = 0, least = 0;
    for (uint64_t i = 0; i < f->n_processes; i++) {
        const struct spur_segment *head = &f->process[i]->head;
        ranks += head->rank >= 0;
        if (head->rank >= 0 && !head->finalized && head->size > least)
            least = head->size;
    }
    return ranks >= least;
}

bool finish_has_ended(struct finish *f)
{
    bool has_ended = finish_scan(f) == 0 && all_ranks_are_there(f);
    for (uint64_t i = 0; i < f->n_processes && has_ended; i++)
        has_ended = !may_still_record(f->process[i]);
    return has_ended && !f->hosts.away;
}
