/* SPDX-License-Identifier: BSD-3-Clause */
/* What is said of a lock that threads wait for. */
#include "tools/report/report_findings.h"
#include "tools/report/report_words.h"
#include "tools/report/topics/report.h"

const char *findings_lock_name(const struct report *r, const struct lock *lock)
{
    const char *name = defs_lock_name(&r->defs, lock->process, lock->id);
    if (*name)
        return name;
    return lock->site == NIL ? make_text("%u", lock->id)
                             : make_text("%u (first taken at %s)", lock->id,
                                         defs_site_name(&r->defs, lock->site));
}

/* Only acquisitions that had to wait are recorded. */
static bool are_some_missing(const struct report *r, const struct lock *lock)
{
    return lock->model == OTF2_PARADIGM_PTHREAD && r->defs.processes.at[lock->process].is_of_waits;
}

const char *findings_lock_taken(const struct report *r, const struct lock *lock)
{
    if (are_some_missing(r, lock))
        return make_text("%s.", words_plural(lock->contended, "acquisition"));
    const char *average = lock->holds && !lock->counted
                              ? make_text(" A thread holds it %s on average.",
                                          words_time(r, (double)lock->held / (double)lock->holds))
                              : "";
    return make_text("%s of its %s.%s", words_count(lock->contended),
                     words_plural(lock->acquisitions + lock->counted, "acquisition"), average);
}

/* The regions of constructs have their places in their names. */
static const char *taken_at(const struct report *r, const struct lock_holder *holder)
{
    if (holder->site != NIL)
        return make_text(" (taken at %s)", defs_site_name(&r->defs, holder->site));
    bool is_construct = holder->region >= REGIONS_OWN &&
                        r->defs.regions.at[holder->region].paradigm == OTF2_PARADIGM_OPENMP;
    return is_construct ? make_text(" (taken in %s)", defs_region_name(&r->defs, holder->region))
                        : "";
}

const char *findings_lock_holder(const struct report *r, const struct lock *lock)
{
    const struct lock_holder *holder = &lock->holder;
    if (!holder->blocked)
        return 2 * lock->divided < lock->waited
                   ? " Who holds it meanwhile is not recorded (SPUR_PTHREAD=all)."
                   : "";
    const char *blocked = words_time(r, (double)holder->blocked);
    const char *held = words_time(r, (double)holder->held);
    if (holder->location == NIL)
        return make_text(" Of this, %s are for threads that hold it %s%s.", blocked, held,
                         taken_at(r, holder));
    const char *call = holders_call(r, holder);
    const char *in =
        *call ? make_text(", of which %s in %s", words_time(r, (double)holder->in), call) : "";
    return make_text(" Of this, %s are for %s, which holds it %s%s%s.", blocked,
                     holders_name(r, lock), held, taken_at(r, holder), in);
}
