# SPDX-License-Identifier: BSD-3-Clause
"""
Every function returns what it returns without the agent, whatever SPUR_PTHREAD is, and it decides
what is recorded: all calls, those that waited, or the threads' lives.
"""

of = "wrappers/pthread"
NEVER_WAIT = ("pthread_mutex_init", "pthread_mutex_trylock", "pthread_spin_lock", "sem_post",
              "pthread_rwlock_trywrlock", "pthread_cond_signal", "pthread_once", "mtx_trylock")
LIFE = {"pthread_create", "pthread_join", "pthread_detach", "pthread_tryjoin_np", "thrd_create",
        "pthread_timedjoin_np", "pthread_clockjoin_np", "thrd_join"}


def main(run):
    words = run.command(["{programs}/thread_codes"])
    plain = run.execute(words, "plain")
    for mode in ("all", "auto", "contended", "lifetime", "sometimes"):
        print(f"{mode}:")
        traced, archive = run.record(mode, words, {"SPUR_PTHREAD": mode}, plain)
        warnings = [line for line in traced.spur if "SPUR_PTHREAD" in line]
        run.equal(len(warnings), 1 if mode == "sometimes" else 0, "warnings")
        trace = run.judge(archive)
        CHECKS[mode](trace, run)


def check_life(trace, run):
    kinds = trace.kinds()
    for kind in ("ThreadCreate", "ThreadBegin", "ThreadEnd"):
        run.equal(kinds[kind], 24, kind)
    run.equal(kinds["ThreadWait"], 23, "ThreadWait")


def check_all(trace, run):
    check_life(trace, run)
    regions = trace.regions()
    for region in NEVER_WAIT + ("sem_open", "sem_unlink", "call_once", "mtx_destroy",
                                "pthread_barrier_destroy", "pthread_mutex_consistent"):
        run.expect(region in regions, f"{region} among the regions")
    # Two mutexes are held by threads that end, and all but those are released by who holds them.
    kinds = trace.kinds()
    run.equal(regions["exit_robust_list"], 3, "ends of owners")
    run.equal(kinds["ThreadAcquireLock"], kinds["ThreadReleaseLock"], "releases")


def check_contended(trace, run):
    check_life(trace, run)
    regions = trace.regions()
    for region in NEVER_WAIT:
        run.equal(regions.get(region, 0), 0, region)
    # The last thread waits for a mutex, has it, and gives it back.
    last = trace.streams[-1]
    run.equal(trace.region_counts(last), {"pthread_barrier_wait": 1, "pthread_mutex_lock": 1,
                                          "pthread_mutex_unlock": 1}, "calls of who waits")
    run.equal(last.kinds["ThreadAcquireLock"], 1, "ThreadAcquireLock")
    run.equal(last.kinds["ThreadReleaseLock"], 1, "ThreadReleaseLock")
    run.equal(regions["pthread_cond_timedwait"], 2, "pthread_cond_timedwait")


def check_lifetime(trace, run):
    check_life(trace, run)
    run.equal(set(trace.regions()), LIFE, "regions")


CHECKS = {"all": check_all, "auto": check_all, "contended": check_contended, "lifetime": check_lifetime,
          "sometimes": check_all}
