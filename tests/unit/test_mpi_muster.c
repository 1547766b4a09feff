/* SPDX-License-Identifier: BSD-3-Clause */
/* links: wrappers-mpi */
/* Whether all processes of a job are traced, as their notes say. Each test is a process. */
#include "tests/unit/mpi_fake.h"

#include "wrappers/mpi/mpi_muster.h"

static void clear(void)
{
    static const char *const names[] = {"PMIX_NAMESPACE",       "PMIX_RANK",    "PMI_SIZE",
                                        "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS", "PMI_RANK",
                                        "OMPI_COMM_WORLD_RANK", "SLURM_PROCID", "PALS_RANKID",
                                        "MV2_COMM_WORLD_RANK",  "PMI_SPAWNED"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unsetenv(names[i]);
    fake_start();
}

static void be_rank(const char *rank, const char *size)
{
    clear();
    setenv("PMI_RANK", rank, 1);
    setenv("PMI_SIZE", size, 1);
}

static bool answers(const char *job, const char *text)
{
    char name[64];
    size_t room;
    snprintf(name, sizeof name, "whole-%s", job);
    char *answer = spur_note_get(name, &room);
    bool is_right = text ? answer && strcmp(answer, text) == 0 : !answer;
    if (answer)
        spur_mem_free(answer, room);
    return is_right;
}

Test(mpi_muster, all_are_here)
{
    be_rank("1", "3");
    spur_note_put("here-world-3.0", "");
    mpi_muster_begin();
    cr_assert(spur_note_is_there("here-world-3.1"));
    spur_note_put("here-world-3.2", "");
    cr_assert(!mpi_muster_is_complete());
    mpi_muster_end(3);
    cr_assert(mpi_muster_is_complete());
    cr_assert(answers("world-3", "yes"));
}

Test(mpi_muster, one_is_missing)
{
    be_rank("0", "3");
    mpi_muster_begin();
    spur_note_put("here-world-3.1", "");
    spur_note_put("here-world-3.7", "");
    spur_note_put("here-world-3.2x", "");
    mpi_muster_end(3);
    cr_assert(!mpi_muster_is_complete());
    cr_assert(answers("world-3", "no"));
    /* What was answered once stays. */
    spur_note_put("here-world-3.2", "");
    cr_assert(!mpi_muster_of("world-3", 3));
}

Test(mpi_muster, alone)
{
    clear();
    mpi_muster_begin();
    mpi_muster_end(1);
    cr_assert(mpi_muster_is_complete());
    cr_assert(answers("world-", NULL));
}

Test(mpi_muster, the_answer_of_the_first_one_of_the_host_counts)
{
    char host[256];
    be_rank("1", "2");
    setenv("PMIX_NAMESPACE", "job", 1);
    gethostname(host, sizeof host);
    char first[512];
    snprintf(first, sizeof first, "first-job.%.64s", host);
    spur_note_put(first, "");
    mpi_muster_begin();
    cr_assert(spur_note_is_there("here-job.1"));
    spur_note_put("whole-job", "yes");
    mpi_muster_end(2);
    cr_assert(mpi_muster_is_complete(), "without looking for here-job.0 itself");
}

/* The rank 1 of 4 begins on a host with 2 ranks; is the note of the host there then? */
static bool begin_on_host(bool is_other_here, bool is_said)
{
    char host[256], note[512];
    gethostname(host, sizeof host);
    be_rank("1", "4");
    setenv("MPI_LOCALNRANKS", "2", 1);
    agent_notes_are_apart = true;
    snprintf(note, sizeof note, "host-all-world-4.%.64s", host);
    if (is_said)
        spur_note_put(note, "");
    if (is_other_here)
        spur_note_put("host-here-world-4.0", "");
    mpi_muster_begin();
    cr_assert(spur_note_is_there("host-here-world-4.1"));
    return spur_note_is_there(note + sizeof "host-" - 1);
}

Test(mpi_muster, the_last_one_of_the_host_speaks_for_all)
{
    cr_assert(begin_on_host(true, false));
}

Test(mpi_muster, one_of_the_host_is_missing)
{
    cr_assert(!begin_on_host(false, false));
}

/* Two of them may see at the same time that they are all. */
Test(mpi_muster, another_one_of_the_host_speaks_for_all)
{
    cr_assert(!begin_on_host(true, true));
}

/* A program that a rank's script has run before, or the job before this one. */
Test(mpi_muster, a_place_that_is_taken)
{
    be_rank("1", "2");
    spur_note_put("here-world-2.0", "");
    spur_note_put("here-world-2.1", "");
    mpi_muster_begin();
    cr_assert(answers("world-2", "no"), "before the others ask");
    mpi_muster_end(2);
    cr_assert(!mpi_muster_is_complete());
}

Test(mpi_muster, no_place)
{
    static const char *const ranks[] = {"", "x", "-1", "1x"};
    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
        be_rank(ranks[i], "2");
        mpi_muster_begin();
        mpi_muster_end(2);
        cr_assert(!mpi_muster_is_complete(), "rank '%s'", ranks[i]);
        cr_assert(answers("world-2", NULL));
    }
    be_rank("0", "2");
    setenv("PMI_SPAWNED", "1", 1);
    mpi_muster_begin();
    cr_assert(!spur_note_is_there("here-world-2.0"), "spawned, and nobody knows by whom");
    clear();
    mpi_muster_begin();
    mpi_muster_end(2);
    cr_assert(!mpi_muster_is_complete());
}

Test(mpi_muster, another_job)
{
    clear();
    spur_note_put("here-child.0", "");
    spur_note_put("here-child.1", "");
    spur_note_put("here-childish.2", "");
    cr_assert(mpi_muster_of("child", 2));
    cr_assert(answers("child", "yes"));
    cr_assert(!mpi_muster_of("other", 1));
    cr_assert(!mpi_muster_of("none", 0));
}
