/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of omp_zoo.c that is about cancellation, leagues of teams and target regions. */
#ifndef TESTS_OMP_ZOO_TEAMS_H
#define TESTS_OMP_ZOO_TEAMS_H

/* ---- cancellation ---- */

static void cancel_loops(int *seen)
{
    did_joined(DID_for_dynamic);
#pragma omp for schedule(dynamic)
    for (int i = 0; i < N; i++) {
#pragma omp cancel for if (i == 0)
        __atomic_fetch_add(seen, 1, __ATOMIC_RELAXED);
#pragma omp cancellation point for
    }
    did_joined(DID_sections);
#pragma omp sections
    {
#pragma omp section
        {
#pragma omp cancel sections
            __atomic_fetch_add(seen, N, __ATOMIC_RELAXED);
        }
    }
}

static void cancels(void)
{
    int seen = 0, beyond = 0;
    did(DID_parallel);
#pragma omp parallel
    {
        member();
        cancel_loops(&seen);
    }
    EXPECT(seen < N);
    did(DID_parallel);
#pragma omp parallel
    {
        member();
        did(DID_member_cancelled);
#pragma omp cancel parallel
        beyond = 1;
    }
    EXPECT(beyond == 0);
}

/* ---- teams and target ---- */

static void leagues(void)
{
    int members = 0, sum = 0;
    did(DID_teams);
#pragma omp teams num_teams(2)
    {
        did(DID_team_member);
        __atomic_fetch_add(&members, omp_get_num_teams(), __ATOMIC_RELAXED);
        did(DID_distribute);
#pragma omp distribute
        for (int i = 0; i < N; i++)
            __atomic_fetch_add(&sum, i, __ATOMIC_RELAXED);
        did(DID_parallel);
#pragma omp parallel num_threads(1)
        member();
    }
    EXPECT(members == 4 && sum == sum_to(N));
}

static void targets(void)
{
    int data[N], sum = 0;
    for (int i = 0; i < N; i++)
        data[i] = i;
    did(DID_target);
#pragma omp target map(tofrom : data)
    for (int i = 0; i < N; i++)
        data[i]++;
    did(DID_target_data);
#pragma omp target data map(tofrom : data)
    {
        did(DID_target);
#pragma omp target map(tofrom : sum)
        for (int i = 0; i < N; i++)
            sum += data[i];
#pragma omp target update from(data)
    }
#pragma omp target enter data map(to : sum)
#pragma omp target exit data map(from : sum)
    EXPECT(sum == sum_to(N) + N);
}

#endif
