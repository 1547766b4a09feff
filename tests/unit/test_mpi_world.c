/* SPDX-License-Identifier: BSD-3-Clause */
/* links: wrappers-mpi */
/* Which process is which, in the own job and in others that were met. */
#include "tests/unit/mpi_fake.h"

#include "wrappers/mpi/mpi_world.h"

/* The members of a group, or NULL if one is a stranger. */
static const uint64_t *members_of(mpi_word group, int n)
{
    static uint64_t members[32];
    int room[64];
    return mpi_world_members(mpi_library(), group, n, room, members) ? members : NULL;
}

Test(mpi_world, rosters)
{
    char text[128];
    fake_start();
    mpi_world_own_roster(4, text, sizeof text);
    cr_assert_str_eq(text, "me 0 4\n");
    cr_assert_eq(mpi_world_count(text), 4);
    cr_assert_eq(mpi_world_count("a 0 4\nb 2 1\n"), 5);
    cr_assert_eq(mpi_world_count(""), 0);
    static const char *const broken[] = {
        "a",      "a 0",      "a 0 1",       "a x 1\n",        "a 0 0\n",       "a 0 -1\n",
        " 0 1\n", "a 0 1x\n", "a 0 1\nrest", "a 0 99999999\n", "a 99999999 1\n"};
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++)
        cr_assert_eq(mpi_world_count(broken[i]), -1, "'%s'", broken[i]);
}

Test(mpi_world, own_members)
{
    fake_start();
    const uint64_t *members = members_of(fake_group(3, 5), 3);
    cr_assert(members && members[0] == 5 && members[2] == 7);
    cr_assert(mpi_world_knows(mpi_library(), fake_group(2, 14), 2, true));
    cr_assert(!mpi_world_knows(mpi_library(), fake_group(2, 15), 2, true), "15 is the last");
    cr_assert_null(members_of(fake_group(2, 15), 2));
    cr_assert(!mpi_world_knows(mpi_library(), fake_group(2, 14), 0, false));
}

Test(mpi_world, those_that_were_met)
{
    fake_start();
    cr_assert_null(members_of(fake_group(4, 20), 4));
    cr_assert(!mpi_world_met(fake_group(4, 20), 4, "a 0 3\n"), "one too few");
    cr_assert(!mpi_world_met(fake_group(4, 20), 4, "a 0 broken\n"));
    /* Two of one job, and two of another one; the second list is as MPI orders them. */
    cr_assert(mpi_world_met(fake_group(4, 20), 4, "a 6 2\nb 0 2\n"));
    const uint64_t *members = members_of(fake_group(4, 20), 4);
    cr_assert(members && members[0] >> 32 == 1 && (uint32_t)members[0] == 6);
    cr_assert(members[1] >> 32 == 1 && (uint32_t)members[1] == 7);
    cr_assert(members[2] >> 32 == 2 && (uint32_t)members[2] == 0);
    cr_assert_not_null(strstr(agent_log, "world 1 of a\n"));
    cr_assert_not_null(strstr(agent_log, "world 2 of b\n"));
    cr_assert(mpi_world_knows(mpi_library(), fake_group(2, 21), 2, false));
    cr_assert(!mpi_world_knows(mpi_library(), fake_group(2, 21), 2, true), "not of the own job");
    cr_assert(!mpi_world_knows(mpi_library(), fake_group(2, 23), 2, false), "24 was not met");
}

Test(mpi_world, a_job_keeps_its_number)
{
    fake_start();
    cr_assert(mpi_world_met(fake_group(1, 20), 1, "a 0 1\n"));
    cr_assert(mpi_world_met(fake_group(1, 21), 1, "b 0 1\n"));
    cr_assert(mpi_world_met(fake_group(1, 22), 1, "a 3 1\n"));
    const uint64_t *members = members_of(fake_group(1, 22), 1);
    cr_assert(members && members[0] == ((uint64_t)1 << 32 | 3));
    /* Those of the own job may be told of by others. */
    cr_assert(mpi_world_met(fake_group(1, 23), 1, "me 9 1\n"));
    members = members_of(fake_group(1, 23), 1);
    cr_assert(members && members[0] == 9);
}

Test(mpi_world, what_is_told_to_others)
{
    size_t room;
    fake_start();
    cr_assert(mpi_world_met(fake_group(3, 16), 3, "a 4 2\nb 0 1\n"));
    char *roster = mpi_world_roster(mpi_library(), fake_group(5, 14), 5, &room);
    cr_assert_str_eq(roster, "me 14 2\na 4 2\nb 0 1\n");
    spur_mem_free(roster, room);
    cr_assert_null(mpi_world_roster(mpi_library(), fake_group(6, 14), 6, &room), "a stranger");
    long before = agent_bytes;
    mpi_world_finalize();
    cr_assert_lt(agent_bytes, before);
    cr_assert_null(members_of(fake_group(1, 16), 1), "nobody is known any more");
}
