/* SPDX-License-Identifier: BSD-3-Clause */
/* links: tools-engine */
/* What the variables of launchers say about the job that a command is a rank of. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "tools/engine/job.h"

static const struct {
    const char *variables[6][2];
    struct job job;
} cases[] = {
    {{{0}}, {0}},
    {{{"PMI_RANK", "3"}, {"PMI_SIZE", "8"}}, {true, 3, 8, MPI_FAMILY_MPICH, "", 0, false, false}},
    {{{"PMIX_RANK", "1"}, {"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}},
     {true, 1, 2, MPI_FAMILY_OMPI, "", 0, false, false}},
    /* MPICH that was built for PMIx, started by a launcher that sets both. */
    {{{"PMIX_RANK", "1"}, {"PMI_RANK", "1"}, {"PMI_SIZE", "2"}},
     {true, 1, 2, MPI_FAMILY_MPICH, "", 0, false, false}},
    {{{"PMIX_RANK", "5"}}, {true, 5, 0, MPI_FAMILY_OMPI, "", 0, false, false}},
    {{{"MV2_COMM_WORLD_RANK", "0"}, {"MV2_COMM_WORLD_SIZE", "4"}},
     {true, 0, 4, MPI_FAMILY_MPICH, "", 0, false, false}},
    {{{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}, {"MPI_LOCALNRANKS", "4"}},
     {true, 1, 4, MPI_FAMILY_MPICH, "", 0, true, false}},
    {{{"OMPI_COMM_WORLD_RANK", "1"},
      {"OMPI_COMM_WORLD_SIZE", "4"},
      {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}},
     {true, 1, 4, MPI_FAMILY_OMPI, "", 0, false, false}},
    {{{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}}, {false, 0, 1, MPI_FAMILY_MPICH, "", 0, false, false}},
    {{{"PMI_RANK", "no number"}}, {0}},
    /* The script of a batch job is no rank, a step of it is one. */
    {{{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "64"}}, {0}},
    {{{"SLURM_PROCID", "2"}, {"SLURM_STEP_NUM_TASKS", "64"}},
     {true, 2, 64, MPI_FAMILY_MPICH, "", 0, false, false}},
    /* Open MPI by srun --mpi=pmix, MPICH by srun --mpi=pmi2. */
    {{{"PMIX_RANK", "2"}, {"SLURM_PROCID", "2"}, {"SLURM_STEP_NUM_TASKS", "4"}},
     {true, 2, 4, MPI_FAMILY_OMPI, "", 0, false, false}},
    {{{"PMI_RANK", "2"}, {"PMI_SIZE", "4"}, {"SLURM_PROCID", "2"}, {"SLURM_STEP_NUM_TASKS", "4"}},
     {true, 2, 4, MPI_FAMILY_MPICH, "", 0, false, false}},
};

Test(engine_job, variables_tell_rank_and_size)
{
    static const char *const all[] = {
#define RANK_VARIABLE(name, size, family) name, size,
#include "session/rank_variables.def"
#undef RANK_VARIABLE
        "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "MV2_COMM_WORLD_LOCAL_SIZE"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct job job;
        for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
            if (*all[k])
                unsetenv(all[k]);
        for (size_t k = 0; k < 6 && cases[i].variables[k][0]; k++)
            setenv(cases[i].variables[k][0], cases[i].variables[k][1], 1);
        job_ask_variables(&job);
        cr_expect_eq(job.is_one, cases[i].job.is_one, "case %zu", i);
        cr_expect_eq(job.rank, cases[i].job.rank, "case %zu", i);
        cr_expect_eq(job.size, cases[i].job.size, "case %zu", i);
        cr_expect_eq(job.is_on_one_host, cases[i].job.is_on_one_host, "case %zu", i);
        cr_expect(!job.is_one || job.family == cases[i].job.family, "case %zu", i);
    }
}
