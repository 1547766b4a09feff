/* SPDX-License-Identifier: BSD-3-Clause */
/* links: wrappers-mpi */
/* Sizes are remembered of predefined datatypes only, and of statuses once that is seen to be right.
 */
#include "tests/unit/mpi_fake.h"

#include "wrappers/mpi/library/mpi_size.h"

static int questions;
static int derived_size = 24;

static int type_size(mpi_word datatype, int *size)
{
    questions++;
    *size = (datatype & 0xff000000) == 0x4c000000 ? (int)(datatype >> 8 & 0xff) : derived_size;
    return 0;
}

static int get_count(const void *status, mpi_word datatype, int *count)
{
    (void)datatype;
    questions++;
    memcpy(count, status, sizeof *count);
    return 0;
}

static int get_count_elsewhere(const void *status, mpi_word datatype, int *count)
{
    (void)datatype;
    questions++;
    memcpy(count, (const char *)status + 8, sizeof *count);
    return 0;
}

static struct mpi_library library(int (*count)(const void *, mpi_word, int *))
{
    struct mpi_library lib = {.Type_size = type_size, .Get_count = count};
    mpi_layout_fill(&lib.layout, MPI_FAMILY_MPICH, NULL, NULL);
    lib.sizes = mpi_sizes_new(&lib.layout);
    questions = 0;
    return lib;
}

Test(mpi_size, predefined_types_are_asked_for_once)
{
    struct mpi_library lib = library(get_count);
    for (int turn = 0; turn < 3; turn++)
        for (mpi_word type = 0x4c000100; type < 0x4c000110; type++)
            cr_assert_eq(mpi_bytes(&lib, 10, type | 0xffffffff00000000), 10);
    cr_assert_eq(mpi_bytes(&lib, 3, 0x4c000831), 24);
    cr_assert_eq(questions, 17);
    cr_assert_eq(mpi_bytes(&lib, 0, 0x4c000831), 0);
    cr_assert_eq(mpi_bytes(&lib, 3, lib.layout.datatype_null), 0);
    mpi_sizes_free(lib.sizes);
}

Test(mpi_size, others_may_be_freed_and_come_back_and_are_asked_for_each_time)
{
    static const mpi_word others[] = {0x8c000003, 0xcc000000, 0x0c000001};
    struct mpi_library lib = library(get_count);
    for (int i = 0; i < 3; i++) {
        derived_size = 24;
        cr_assert_eq(mpi_bytes(&lib, 2, others[i]), 48);
        derived_size = 32;
        cr_assert_eq(mpi_bytes(&lib, 2, others[i]), 64);
    }
    mpi_sizes_free(lib.sizes);
}

Test(mpi_size, without_memory_all_are_asked_for)
{
    struct mpi_library lib = library(get_count);
    mpi_sizes_free(lib.sizes);
    lib.sizes = NULL;
    const uint32_t status[5] = {77, 0};
    cr_assert(mpi_bytes(&lib, 3, 0x4c000831) == 24 && mpi_bytes(&lib, 3, 0x4c000831) == 24);
    cr_assert(mpi_status_bytes(&lib, status) == 77 && mpi_status_bytes(&lib, status) == 77);
    cr_assert_eq(questions, 4);
}

Test(mpi_size, a_status_is_read_once_it_was_seen_to_be_right)
{
    struct mpi_library lib = library(get_count);
    const uint32_t empty[5] = {0}, status[5] = {77, 0}, cancelled[5] = {5, 1},
                   large[5] = {1, 2 << 1};
    cr_assert_eq(mpi_status_bytes(&lib, empty), 0);
    cr_assert_eq(mpi_status_bytes(&lib, status), 77);
    cr_assert_eq(questions, 2, "zero bytes say nothing");
    cr_assert_eq(mpi_status_bytes(&lib, status), 77);
    cr_assert_eq(mpi_status_bytes(&lib, cancelled), 5);
    cr_assert_eq(mpi_status_bytes(&lib, large), (UINT64_C(2) << 32) + 1);
    cr_assert_eq(questions, 2);
    mpi_sizes_free(lib.sizes);
}

Test(mpi_size, a_status_that_is_laid_out_otherwise_is_asked_for_each_time)
{
    struct mpi_library lib = library(get_count_elsewhere);
    const uint32_t status[5] = {77, 0, 12}, other[5] = {13, 0, 13};
    cr_assert_eq(mpi_status_bytes(&lib, status), 12);
    cr_assert_eq(mpi_status_bytes(&lib, other), 13);
    cr_assert_eq(mpi_status_bytes(&lib, status), 12);
    cr_assert_eq(questions, 3);
    mpi_sizes_free(lib.sizes);
}
