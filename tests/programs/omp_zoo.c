/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every construct of OpenMP known to the compilers of both runtimes, each with a checked result,
 * and counted as the standard says (omp_zoo.h). Needs OMP_CANCELLATION=true. Arguments: names of
 * functions below to be called, or "-NAME" of functions to be left out.
 */
#include <omp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "omp_zoo.h"

enum { N = 64 };

static int n_threads; /* of a parallel region without num_threads */

/* Each thread of a team. */
static void member(void)
{
    did(DID_member);
    if (omp_get_num_threads() > 1)
        did(DID_member_joined);
}

static int sum_to(int n)
{
    return n * (n - 1) / 2;
}

/* ---- parallel ---- */

static int private_to_thread;
#pragma omp threadprivate(private_to_thread)

static void parallel_plain(void)
{
    int members = 0, sum = 0, copied = 0, fallback = 0;
    private_to_thread = 7;
    did(DID_parallel);
#pragma omp parallel copyin(private_to_thread) reduction(+ : sum)
    {
        member();
        did(DID_member_copies);
        if (omp_get_num_threads() > 4)
            did(DID_member_reduces);
        __atomic_fetch_add(&members, 1, __ATOMIC_RELAXED);
        __atomic_fetch_add(&copied, private_to_thread, __ATOMIC_RELAXED);
        sum += omp_get_thread_num();
    }
    EXPECT(members == n_threads && copied == 7 * n_threads && sum == sum_to(n_threads));
    did(DID_parallel);
#pragma omp parallel if (0)
    {
        member();
        fallback += omp_get_num_threads();
    }
    did(DID_parallel);
#pragma omp parallel num_threads(1)
    {
        member();
        fallback += omp_get_num_threads();
    }
    EXPECT(fallback == 2);
}

static void parallel_nested(void)
{
    int inner = 0, innermost = 0;
    omp_set_max_active_levels(2);
    did(DID_parallel);
#pragma omp parallel num_threads(2)
    {
        member();
        did(DID_parallel);
#pragma omp parallel num_threads(2)
        {
            member();
            __atomic_fetch_add(&inner, omp_get_level(), __ATOMIC_RELAXED);
            did(DID_parallel);
#pragma omp parallel num_threads(2)
            { /* a level too many: a team of one */
                member();
                __atomic_fetch_add(&innermost, omp_get_num_threads(), __ATOMIC_RELAXED);
            }
        }
    }
    omp_set_max_active_levels(1);
    EXPECT(inner == 8 && innermost == 4);
}

static void parallel_combined(void)
{
    int sum = 0, done = 0;
    did(DID_parallel);
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
    for (int i = 0; i < N; i++)
        sum += i;
    did(DID_parallel);
#pragma omp parallel for schedule(guided, 2) reduction(+ : sum)
    for (int i = 0; i < N; i++)
        sum += i;
    did(DID_parallel);
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int i = 0; i < N; i++)
        sum += i;
    did(DID_parallel);
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < N; i++)
        sum += i;
    did(DID_parallel);
#pragma omp parallel sections
    {
#pragma omp section
        __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
#pragma omp section
        __atomic_fetch_add(&done, 2, __ATOMIC_RELAXED);
    }
    EXPECT(sum == 4 * sum_to(N) && done == 3);
    for (int i = 0; i < n_threads; i++) { /* uncountable within the constructs above */
        for (int k = 0; k < 5; k++) {
            did(DID_member);
            if (n_threads > 1)
                did(DID_member_joined);
        }
        for (int k = 0; k < 4 && n_threads > 4; k++)
            did(DID_member_reduces);
        for (int k = 0; k < 3; k++)
            did(DID_for_dynamic);
        did(DID_for_static);
        did(DID_sections);
    }
}

/* ---- work-sharing ---- */

static void loops_dealt_out(int *sum)
{
    did_joined(DID_for_static);
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
        __atomic_fetch_add(sum, i, __ATOMIC_RELAXED);
    did(DID_for_static);
#pragma omp for schedule(static, 4) nowait
    for (int i = 0; i < N; i++)
        __atomic_fetch_add(sum, i, __ATOMIC_RELAXED);
    did_joined(DID_for_dynamic);
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < N; i++)
        __atomic_fetch_add(sum, i, __ATOMIC_RELAXED);
    did(DID_for_dynamic);
#pragma omp for schedule(monotonic : dynamic) nowait
    for (int i = 0; i < N; i++)
        __atomic_fetch_add(sum, i, __ATOMIC_RELAXED);
    did_joined(DID_for_dynamic);
#pragma omp for schedule(guided) collapse(2)
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 8; k++)
            __atomic_fetch_add(sum, i * 8 + k, __ATOMIC_RELAXED);
    did_joined(DID_for_dynamic);
#pragma omp for schedule(runtime)
    for (unsigned long long i = 0; i < N; i++)
        __atomic_fetch_add(sum, (int)i, __ATOMIC_RELAXED);
    did_joined(DID_for_dynamic);
#pragma omp for schedule(nonmonotonic : dynamic)
    for (unsigned long long i = UINT64_MAX - N; i < UINT64_MAX; i++)
        __atomic_fetch_add(sum, (int)(i - (UINT64_MAX - N)), __ATOMIC_RELAXED);
}

static void loops(void)
{
    int sum = 0, last = 0, order = 0;
    did(DID_parallel);
#pragma omp parallel
    {
        member();
        loops_dealt_out(&sum);
        did_joined(DID_for_dynamic);
#pragma omp for schedule(monotonic : dynamic) lastprivate(last)
        for (int i = 0; i < N; i++)
            last = i;
        did_joined(DID_for_dynamic);
#pragma omp for ordered schedule(dynamic)
        for (int i = 0; i < N; i++) {
#pragma omp ordered
            {
                did(DID_ordered);
                order = order == i ? i + 1 : -N;
            }
        }
    }
    EXPECT(sum == 7 * sum_to(N));
    EXPECT(last == N - 1);
    EXPECT(order == N);

    sum = 0;
    did(DID_for_serial);
#pragma omp for schedule(dynamic)
    for (int i = 0; i < N; i++)
        sum += i;
    EXPECT(sum == sum_to(N));
}

static void doacross(void)
{
    int chain[N + 1] = {0};
    did(DID_parallel);
#pragma omp parallel
    {
        member();
        did_joined(DID_for_dynamic);
#pragma omp for ordered(1) schedule(dynamic)
        for (int i = 1; i <= N; i++) {
#pragma omp ordered depend(sink : i - 1)
            chain[i] = chain[i - 1] + 1;
#pragma omp ordered depend(source)
        }
    }
    EXPECT(chain[N] == N);
}

static void sections(void)
{
    int done = 0;
    did(DID_parallel);
#pragma omp parallel
    {
        member();
        for (int times = 0; times < 2; times++) {
            did_joined(DID_sections);
#pragma omp sections
            {
#pragma omp section
                __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
#pragma omp section
                __atomic_fetch_add(&done, 10, __ATOMIC_RELAXED);
#pragma omp section
                __atomic_fetch_add(&done, 100, __ATOMIC_RELAXED);
            }
        }
        did(DID_sections);
#pragma omp sections nowait
        {
#pragma omp section
            __atomic_fetch_add(&done, 1000, __ATOMIC_RELAXED);
        }
    }
    EXPECT(done == 1222);
}

static void singles(void)
{
    int done = 0, copies = 0;
    did(DID_parallel);
#pragma omp parallel
    {
        int mine = 0;
        member();
        did_joined(DID_single);
#pragma omp single
        done++;
        did(DID_single);
#pragma omp single nowait
        __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
        did(DID_single);
        did(DID_single_copied);
#pragma omp single copyprivate(mine)
        {
            did(DID_single_copier);
            mine = 5;
        }
        __atomic_fetch_add(&copies, mine, __ATOMIC_RELAXED);
#ifdef ZOO_HAS_SCOPE
        did(DID_scope);
#pragma omp scope reduction(+ : done)
        done++;
#endif
    }
#ifdef ZOO_HAS_SCOPE
    done -= n_threads;
#endif
    EXPECT(done == 2 && copies == 5 * n_threads);
}

static void masks(void)
{
    int done = 0;
    did(DID_parallel);
#pragma omp parallel
    {
        member();
#pragma omp master
        {
            did(DID_masked);
            __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
        }
#pragma omp masked
        {
            did(DID_masked);
            __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
        }
#pragma omp masked filter(omp_get_num_threads() - 1)
        {
            did(DID_masked);
            __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
        }
    }
    EXPECT(done == 3);
}

/* ---- synchronisation ---- */

static void barriers(void)
{
    int arrived = 0;
    did(DID_parallel);
#pragma omp parallel
    {
        member();
        for (int i = 1; i <= 3; i++) {
            __atomic_fetch_add(&arrived, 1, __ATOMIC_RELAXED);
            did(DID_barrier);
#pragma omp barrier
            EXPECT(__atomic_load_n(&arrived, __ATOMIC_RELAXED) == i * n_threads);
            did(DID_barrier);
#pragma omp barrier
        }
#pragma omp flush
    }
    did(DID_barrier);
#pragma omp barrier
}

static void exclusions(void)
{
    int plain = 0, named = 0;
    long double wide = 0;
    did(DID_parallel);
#pragma omp parallel
    {
        member();
        for (int i = 0; i < N; i++) {
            did(DID_critical);
#pragma omp critical
            plain++;
            did(DID_critical);
#pragma omp critical(zoo)
            named++;
            did(DID_atomic_wide);
#pragma omp atomic
            wide += 1;
        }
    }
    did(DID_critical);
#pragma omp critical(hinted) hint(omp_sync_hint_uncontended)
    named++;
    EXPECT(plain == N * n_threads && named == N * n_threads + 1);
    EXPECT(wide == N * n_threads);
}

static void nested_locks(omp_nest_lock_t *lock, int *sum)
{
    omp_set_nest_lock(lock);
    did(DID_nest_lock);
    omp_set_nest_lock(lock);
    did(DID_nest_lock);
    EXPECT(omp_test_nest_lock(lock) == 3);
    did(DID_nest_lock);
    ++*sum;
    omp_unset_nest_lock(lock);
    omp_unset_nest_lock(lock);
    omp_unset_nest_lock(lock);
    for (int i = 0; i < 6; i++)
        did(DID_lock_call);
}

static void locks(void)
{
    omp_lock_t lock, second, taken;
    omp_nest_lock_t nest;
    int sum = 0, other = 0, nested = 0;
    omp_init_lock(&lock);
    omp_init_lock(&second);
    omp_init_lock(&taken);
    omp_init_nest_lock(&nest);
    omp_set_lock(&taken);
    did(DID_lock);
    did(DID_parallel);
#pragma omp parallel
    {
        member();
        for (int i = 0; i < N; i++) {
            omp_set_lock(&lock);
            did(DID_lock);
            sum++;
            omp_unset_lock(&lock);
            omp_set_lock(&second);
            did(DID_lock);
            other++;
            omp_unset_lock(&second);
            EXPECT(!omp_test_lock(&taken));
            for (int k = 0; k < 5; k++)
                did(DID_lock_call);
        }
        nested_locks(&nest, &nested);
    }
    omp_unset_lock(&taken);
    EXPECT(omp_test_lock(&taken));
    did(DID_lock);
    omp_unset_lock(&taken);
    for (int i = 0; i < 12; i++) /* four more calls for `taken`, each lock's first and last call */
        did(DID_lock_call);
    omp_destroy_nest_lock(&nest);
    omp_destroy_lock(&taken);
    omp_destroy_lock(&second);
    omp_destroy_lock(&lock);
    EXPECT(sum == N * n_threads && other == N * n_threads && nested == n_threads);
}

#include "omp_zoo_tasks.h"
#include "omp_zoo_teams.h"

static const struct {
    const char *name;
    void (*run)(void);
} zoo[] = {
    {"parallel_plain", parallel_plain},
    {"parallel_nested", parallel_nested},
    {"parallel_combined", parallel_combined},
    {"loops", loops},
    {"doacross", doacross},
    {"sections", sections},
    {"singles", singles},
    {"masks", masks},
    {"barriers", barriers},
    {"exclusions", exclusions},
    {"locks", locks},
    {"tasks", tasks},
    {"dependences", dependences},
    {"groups", groups},
    {"taskloops", taskloops},
    {"detached", detached},
    {"cancels", cancels},
    {"cancel_group", cancel_group},
    {"leagues", leagues},
    {"targets", targets},
};

/* Asked for by name, or not left out by "-name". */
static bool is_wanted(const char *name, int argc, char **argv)
{
    bool is_named = false, names_some = false;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-' && strcmp(argv[i] + 1, name) == 0)
            return false;
        names_some |= argv[i][0] != '-';
        is_named |= strcmp(argv[i], name) == 0;
    }
    return is_named || !names_some;
}

int main(int argc, char **argv)
{
    omp_set_dynamic(0);
    omp_set_max_active_levels(1);
    n_threads = omp_get_max_threads();
    EXPECT(omp_get_cancellation());
    for (size_t i = 0; i < sizeof zoo / sizeof zoo[0]; i++)
        if (is_wanted(zoo[i].name, argc, argv))
            zoo[i].run();
    zoo_print();
    return unexpected;
}
