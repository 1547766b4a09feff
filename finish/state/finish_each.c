/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/state/finish_each.h"

#include <string.h>

#include "base/lock.h"
#include "base/mem.h"
#include "finish/state/finish_team.h"

/* ---- the archive ---- */

static OTF2_CallbackCode make_lock(void *archive_lock, OTF2_Lock *lock)
{
    *lock = archive_lock;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode drop_lock(void *archive_lock, OTF2_Lock lock)
{
    (void)archive_lock, (void)lock;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_lock(void *archive_lock, OTF2_Lock lock)
{
    (void)lock;
    spur_lock_take(archive_lock);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode give_lock(void *archive_lock, OTF2_Lock lock)
{
    (void)lock;
    spur_lock_give(archive_lock);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_ErrorCode finish_each_lock(struct finish *f)
{
    static const OTF2_LockingCallbacks callbacks = {.otf2_create = make_lock,
                                                    .otf2_destroy = drop_lock,
                                                    .otf2_lock = take_lock,
                                                    .otf2_unlock = give_lock};
    return OTF2_Archive_SetLockingCallbacks(f->archive, &callbacks, &f->lock);
}

/* ---- workers ---- */

void finish_each_begin(const struct finish *f, struct finish *part)
{
    *part = *f;
#define X(counter) part->counter = 0;
    FINISH_COUNTERS(X)
#undef X
}

void finish_each_add(struct finish *f, const struct finish *part)
{
#define X(counter) f->counter += part->counter;
    FINISH_COUNTERS(X)
#undef X
    if (!f->unread)
        f->unread = part->unread;
    if (!f->unremoved)
        f->unremoved = part->unremoved;
    if (!f->culprit[0])
        memcpy(f->culprit, part->culprit, sizeof f->culprit);
}

/* What a worker has of the session. */
struct share {
    struct finish f;
    int err;
    uint64_t at; /* the process that it stopped at */
};

struct sharing {
    struct share *shares;
    unsigned n;
    finish_one *one;
};

/* Neighbours are alike: every n-th process, so that nobody gets all the large ones. */
static void work(void *data, unsigned worker)
{
    const struct sharing *s = data;
    struct share *share = &s->shares[worker];
    for (uint64_t i = worker; i < share->f.n_processes && !share->err; i += s->n) {
        share->err = s->one(&share->f, share->f.process[i]);
        share->at = i;
    }
}

/* The one that one worker alone would have come to first; NULL: nothing has failed. */
static const struct share *first_failed(const struct sharing *s)
{
    const struct share *first = NULL;
    for (unsigned i = 0; i < s->n; i++)
        if (s->shares[i].err && (!first || s->shares[i].at < first->at))
            first = &s->shares[i];
    return first;
}

static int each_alone(struct finish *f, const struct finish_step *step, uint64_t *at)
{
    int err = 0;
    for (uint64_t i = 0; i < f->n_processes && !err; i++) {
        err = step->one(f, f->process[i]);
        *at = i;
    }
    return err;
}

int finish_each_here(struct finish *f, const struct finish_step *step, uint64_t *at)
{
    const struct spur_finish_crew *crew = &f->options.crew;
    uint64_t most = crew->least && !step->is_alone ? f->n_processes / crew->least : 0;
    struct sharing s = {.one = step->one};
    s.n = crew->n < most ? crew->n : (unsigned)most;
    s.shares = s.n > 1 ? spur_mem_new(s.n * sizeof *s.shares) : NULL;
    if (!s.shares)
        return each_alone(f, step, at);
    for (unsigned i = 0; i < s.n; i++)
        finish_each_begin(f, &s.shares[i].f);
    crew->run(s.n, work, &s);
    const struct share *failed = first_failed(&s);
    int err = failed ? failed->err : 0;
    *at = failed ? failed->at : 0;
    if (failed && !f->culprit[0])
        memcpy(f->culprit, failed->f.culprit, sizeof f->culprit);
    for (unsigned i = 0; i < s.n; i++)
        finish_each_add(f, &s.shares[i].f);
    spur_mem_free(s.shares, s.n * sizeof *s.shares);
    return err;
}

int finish_each(struct finish *f, const struct finish_step *step)
{
    uint64_t at;
    return finish_team_may(f) ? finish_team_each(f, step) : finish_each_here(f, step, &at);
}
