/* SPDX-License-Identifier: BSD-3-Clause */
/* links: wrappers-openmp */
/* What the records of OpenMP look like, told by a runtime that is played here. */
#include <pthread.h>

#include "tests/unit/openmp_agent.h"
#include "wrappers/openmp/openmp_records.h"

static const void *at(uintptr_t address)
{
    return (const void *)address;
}

static struct openmp_parallel region;

/* Run `play` as another thread, which ends as threads of the program do. */
static void *in_thread(void *play)
{
    ((void (*)(void))(uintptr_t)play)();
    cr_expect_eq(agent_depth, 0);
    agent_at_end();
    return NULL;
}

static void elsewhere(void (*play)(void))
{
    pthread_t thread;
    pthread_create(&thread, NULL, in_thread, (void *)(uintptr_t)play);
    pthread_join(thread, NULL);
}

static void be_worker(void)
{
    struct openmp_task implicit;
    openmp_member_begin(&implicit, &region, 1);
    openmp_enter(OPENMP_FOR, at(2));
    openmp_member_end(&implicit);
    agent_expect("*0:1 [0 +parallel@1 +for@2 -for@2 -parallel@1 ]0 ");
    cr_expect_str_eq(agent_loc.name, "OMP thread 1");
}

Test(openmp, region)
{
    struct openmp_task implicit;
    for (int round = 0; round < 2; round++) {
        openmp_parallel_begin(&region, at(1), 2);
        openmp_member_begin(&implicit, &region, 0);
        if (round == 0)
            elsewhere(be_worker);
        openmp_enter(OPENMP_CRITICAL, at(3));
        openmp_acquired(OPENMP_CRITICAL, at(9));
        openmp_leave(OPENMP_CRITICAL);
        openmp_enter(OPENMP_FOR, at(2)); /* is not left: it was cancelled, say */
        openmp_member_waits();
        openmp_member_end(&implicit);
        openmp_parallel_end(&region);
        agent_expect(round == 0
                         ? "+parallel@1 <2 *0:0 [0 +critical@3 lock1 unlock1 -critical@3 +for@2 "
                           "-for@2 +implicit barrier@1 -implicit barrier@1 ]0 > -parallel@1 "
                         : "+parallel@1 <2 [0 +critical@3 lock2 unlock2 -critical@3 +for@2 "
                           "-for@2 +implicit barrier@1 -implicit barrier@1 ]0 > -parallel@1 ");
    }
}

Test(openmp, nested_teams_are_others)
{
    struct openmp_parallel inner;
    struct openmp_task outer_task, inner_task;
    openmp_parallel_begin(&region, at(1), 2);
    openmp_member_begin(&outer_task, &region, 0);
    openmp_parallel_begin(&inner, at(2), 2);
    openmp_member_begin(&inner_task, &inner, 0);
    openmp_member_end(&inner_task);
    openmp_parallel_end(&inner);
    openmp_member_end(&outer_task);
    openmp_parallel_end(&region);
    agent_expect("+parallel@1 <2 *0:0 [0 +parallel@2 <2 *1:0 [1 ]1 > -parallel@2 ]0 > "
                 "-parallel@1 ");
    openmp_parallel_begin(&region, at(1), 3);
    openmp_parallel_end(&region);
    cr_expect_eq(agent_teams, 3, "the size makes another team");
}

/* ---- tasks ---- */

static struct openmp_task first, second;

Test(openmp, tasks_nest)
{
    openmp_enter(OPENMP_TASK_CREATE, at(1));
    openmp_task_created(&first, OPENMP_TASK, at(1));
    openmp_leave(OPENMP_TASK_CREATE);
    openmp_task_created(&second, OPENMP_TASK_UNTIED, at(2));
    agent_expect("+create task@1 *0:0 new 0:0.1 -create task@1 "
                 "+create task@2 new 0:0.2 -create task@2 ");

    struct openmp_task *own = openmp_task_switch(&first, false);
    openmp_enter(OPENMP_TASKWAIT, at(3));
    struct openmp_task *was = openmp_task_switch(&second, false);
    cr_expect_eq(was, &first);
    openmp_enter(OPENMP_CRITICAL, at(4)); /* left by its end */
    openmp_task_switch(was, true);
    openmp_leave(OPENMP_TASKWAIT);
    openmp_task_switch(own, true);
    agent_expect("on 0:0.1 +task@1 +taskwait@3 on 0:0.2 +task untied@2 +critical@4 -critical@4 "
                 "-task untied@2 done 0:0.2 on 0:0.1 -taskwait@3 -task@1 done 0:0.1 on 0:0.0 ");
}

static void resume(void)
{
    struct openmp_task implicit;
    openmp_member_begin(&implicit, &region, 1);
    openmp_task_switch(&first, false);
    openmp_leave(OPENMP_TASKGROUP);
    openmp_task_switch(&implicit, true);
    openmp_member_end(&implicit);
    agent_expect("*0:1 [0 +parallel@1 on 0:0.1 +task untied@2 +taskgroup@3 -taskgroup@3 "
                 "-task untied@2 done 0:0.1 on 0:1.0 -parallel@1 ]0 ");
}

Test(openmp, a_task_goes_on_elsewhere)
{
    struct openmp_task implicit;
    openmp_parallel_begin(&region, at(1), 2);
    openmp_member_begin(&implicit, &region, 0);
    openmp_task_created(&first, OPENMP_TASK_UNTIED, at(2));
    struct openmp_task *was = openmp_task_switch(&first, false);
    openmp_enter(OPENMP_TASKGROUP, at(3));
    openmp_task_switch(was, false);
    agent_expect("+parallel@1 <2 *0:0 [0 +create task@2 new 0:0.1 -create task@2 on 0:0.1 "
                 "+task untied@2 +taskgroup@3 -taskgroup@3 -task untied@2 on 0:0.0 ");
    elsewhere(resume);
    openmp_member_end(&implicit);
    openmp_parallel_end(&region);
    agent_expect("]0 > -parallel@1 ");
}

static void work_late(void)
{
    struct openmp_task implicit;
    openmp_member_begin(&implicit, &region, 1);
    openmp_member_end(&implicit);
    struct openmp_task *was = openmp_task_switch(&first, false);
    openmp_task_switch(was, true);
    was = openmp_task_switch(&second, false);
    openmp_task_switch(was, true);
    agent_expect("*0:1 [0 +parallel@1 -parallel@1 ]0 "
                 "[0 +implicit barrier@1 on 0:0.1 +task@2 -task@2 done 0:0.1 on 0:1.0 "
                 "-implicit barrier@1 ]0 "
                 "[0 +implicit barrier@1 +create task@3 new 0:1.1 -create task@3 on 0:1.1 "
                 "+task@3 -task@3 done 0:1.1 on 0:1.0 -implicit barrier@1 ]0 ");
}

Test(openmp, a_worker_takes_tasks_in_its_last_barrier)
{
    struct openmp_task implicit;
    openmp_parallel_begin(&region, at(1), 2);
    openmp_member_begin(&implicit, &region, 0);
    openmp_task_created(&first, OPENMP_TASK, at(2));
    openmp_task_planned(&second, OPENMP_TASK, at(3));
    elsewhere(work_late);
    openmp_member_end(&implicit);
    openmp_parallel_end(&region);
}

Test(openmp, detached)
{
    openmp_task_created(&first, OPENMP_TASK, at(1));
    struct openmp_task *own = openmp_task_switch(&first, false);
    openmp_task_detach(own);
    openmp_task_complete(&first);
    agent_expect("*0:0 +create task@1 new 0:0.1 -create task@1 on 0:0.1 +task@1 -task@1 on 0:0.0 "
                 "done 0:0.1 ");
}

/* ---- what is not recorded ---- */

Test(openmp, what_began_unrecorded_ends_so)
{
    openmp_enter(OPENMP_CRITICAL, at(1));
    agent_is_paused = true;
    openmp_enter(OPENMP_CRITICAL, at(2));
    openmp_acquired(OPENMP_CRITICAL, at(9));
    agent_is_paused = false;
    openmp_leave(OPENMP_CRITICAL);
    agent_expect("+critical@1 ");
    agent_is_paused = true;
    openmp_leave(OPENMP_CRITICAL);
    agent_expect("-critical@1 ");
    openmp_leave(OPENMP_CRITICAL);
    agent_expect("");
}

static void be_hidden(void)
{
    struct openmp_task implicit;
    openmp_member_begin(&implicit, &region, 1);
    openmp_enter(OPENMP_FOR, at(1));
    openmp_member_end(&implicit);
    agent_expect("");
}

Test(openmp, nothing_inside_of_a_wrapped_call)
{
    spur_inside_begin();
    openmp_parallel_begin(&region, at(1), 2);
    elsewhere(be_hidden);
    openmp_parallel_end(&region);
    spur_inside_end();
    agent_expect("");
}

Test(openmp, a_child_of_fork_has_no_teams)
{
    struct openmp_task implicit;
    openmp_parallel_begin(&region, at(1), 1);
    openmp_member_begin(&implicit, &region, 0);
    agent_expect("+parallel@1 <1 *0:0 [0 ");
    agent_generation++;
    agent_loc.depth = 0;
    openmp_member_end(&implicit);
    openmp_parallel_end(&region);
    agent_expect("");
    openmp_parallel_begin(&region, at(1), 1);
    openmp_member_begin(&implicit, &region, 0);
    agent_expect("+parallel@1 <1 *1:0 [1 ");
}

static void have_team(void)
{
    struct openmp_parallel parallel;
    struct openmp_task implicit;
    openmp_parallel_begin(&parallel, at(1), 1);
    openmp_member_begin(&implicit, &parallel, 0);
    openmp_member_end(&implicit);
    openmp_parallel_end(&parallel);
}

Test(openmp, ended_threads_leave_no_memory_behind)
{
    elsewhere(have_team);
    long bytes = agent_bytes;
    for (int i = 0; i < 100; i++)
        elsewhere(have_team);
    cr_expect_eq(agent_bytes, bytes);
}
