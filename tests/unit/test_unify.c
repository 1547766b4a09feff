/* SPDX-License-Identifier: BSD-3-Clause */
/* links: finish format writer */
#include <criterion/criterion.h>
#include <stdio.h>
#include <time.h>

#include "finish/unify/unify.h"
#include "tests/unit/journal_build.h"

enum { MPI = OTF2_PARADIGM_MPI, PTHREAD = OTF2_PARADIGM_PTHREAD, PROCESSES = 7 };
#define NONE OTF2_UNDEFINED_UINT32

static void group(struct spur_words *journal, uint64_t type, uint64_t paradigm, uint64_t n,
                  const uint64_t *list)
{
    BUILD(journal, Group, {0}, {type}, {paradigm}, {0}, {n, list});
}

/* The process defines "", its number, a region of each name, and its communicators. */
static void process(struct spur_words *journal, uint64_t number)
{
    static const uint64_t world[] = {0, 1, 2, 3, 4, 5, 6};
    const uint64_t odd[] = {1, 3, 5};
    char name[16];
    snprintf(name, sizeof name, "only %d", (int)number);
    build_string(journal, "");
    build_string(journal, name);
    build_string(journal, number % 2 ? "odd" : "even");
    for (uint64_t i = 0; i < 3; i++) {
        uint64_t id = number % 2 ? i : 2 - i; /* in another order */
        BUILD(journal, Region, {id}, {id}, {0}, {1}, {MPI}, {0}, {NONE}, {0}, {0});
    }
    group(journal, OTF2_GROUP_TYPE_COMM_GROUP, PTHREAD, 0, NULL);
    group(journal, OTF2_GROUP_TYPE_COMM_GROUP, MPI, PROCESSES, world);
    group(journal, OTF2_GROUP_TYPE_COMM_SELF, MPI, 0, NULL);
    BUILD(journal, Comm, {NONE}, {0}, {NONE}, {0});
    BUILD(journal, Comm, {NONE}, {1}, {NONE}, {1});
    BUILD(journal, Comm, {NONE}, {2}, {NONE}, {1});
    if (number % 2) {
        group(journal, OTF2_GROUP_TYPE_COMM_GROUP, MPI, 3, odd);
        BUILD(journal, Comm, {2}, {3}, {1}, {1});
    }
    BUILD(journal, Comm, {NONE}, {1}, {1}, {1}); /* the second over the world */
    BUILD(journal, InterComm, {NONE}, {1}, {2}, {1}, {1});
    /*
     * Two windows over the world; between the two, the even processes have a window over
     * themselves.
     */
    BUILD(journal, RmaWin, {NONE}, {1}, {1});
    if (number % 2 == 0)
        BUILD(journal, RmaWin, {NONE}, {2}, {1});
    BUILD(journal, RmaWin, {NONE}, {1}, {1});
    if (number % 2 == 0) /* the order of the next two definitions differs in odd processes */
        BUILD(journal, CartDimension, {2}, {3}, {0});
    BUILD(journal, CartDimension, {0}, {PROCESSES}, {1});
    if (number % 2)
        BUILD(journal, CartDimension, {2}, {3}, {0});
    BUILD(journal, CartTopology, {0}, {1}, {1, (const uint64_t[]){number % 2 ? 0 : 1}});
    BUILD(journal, CartCoordinate, {0}, {number}, {1, &number});
    BUILD(journal, RmaWinName, {number % 2 ? 1 : 2}, {2});
    /*
     * A file of all and a file of the process; two handles over the world, a handle of the process.
     */
    BUILD(journal, IoRegularFile, {0}, {NONE});
    BUILD(journal, IoRegularFile, {1}, {NONE});
    BUILD(journal, IoHandle, {2}, {0}, {0}, {0}, {1}, {NONE});
    BUILD(journal, IoHandle, {NONE}, {1}, {0}, {0}, {2}, {NONE});
    BUILD(journal, IoHandle, {NONE}, {0}, {0}, {0}, {1}, {NONE});
    BUILD(journal, CommName, {1}, {0});
    BUILD(journal, CommName, {1}, {2});
    BUILD(journal, Location, {0}, {1}, {1}, {99});
}

static void add(struct spur_unify *unify, const struct spur_words *journal, uint64_t number,
                struct spur_map *map)
{
    const struct spur_unify_input input = {journal->at, journal_bytes(journal), number, 0};
    cr_assert(spur_unify_add(unify, &input, map) == 0);
}

static void flat(uint64_t from, uint64_t to, struct spur_words *result, struct spur_map *maps)
{
    struct spur_unify *unify = spur_unify_new();
    for (uint64_t i = from; i < to; i++) {
        struct spur_words journal = {0};
        process(&journal, i);
        add(unify, &journal, i, maps ? &maps[i] : NULL);
        spur_words_free(&journal);
    }
    cr_assert(spur_unify_journal(unify, result) == 0);
    spur_unify_free(unify);
}

Test(unify, parts_of_any_size_give_the_same_bytes)
{
    struct spur_words whole = {0};
    flat(0, PROCESSES, &whole, NULL);
    for (uint64_t cut = 1; cut < PROCESSES; cut++) {
        struct spur_words left = {0}, right = {0}, joined = {0};
        flat(0, cut, &left, NULL);
        flat(cut, PROCESSES, &right, NULL);
        struct spur_unify *unify = spur_unify_new();
        add(unify, &left, 0, NULL);
        add(unify, &right, 0, NULL);
        cr_assert(spur_unify_journal(unify, &joined) == 0);
        cr_assert(joined.n == whole.n && memcmp(joined.at, whole.at, 8 * whole.n) == 0);
        spur_unify_free(unify);
        spur_words_free(&left);
        spur_words_free(&right);
        spur_words_free(&joined);
    }
    spur_words_free(&whole);
}

Test(unify, equal_content_is_one_definition)
{
    struct spur_map maps[PROCESSES] = {0};
    struct spur_words whole = {0};
    flat(0, PROCESSES, &whole, maps);
    for (int i = 1; i < PROCESSES; i++) {
        cr_assert(spur_map_get(&maps[i], SPUR_SPACE_STRING, 0) == 0);
        cr_assert(spur_map_get(&maps[i], SPUR_SPACE_STRING, 2) ==
                  spur_map_get(&maps[i % 2], SPUR_SPACE_STRING, 2));
        cr_assert(spur_map_get(&maps[i], SPUR_SPACE_STRING, 1) !=
                  spur_map_get(&maps[i - 1], SPUR_SPACE_STRING, 1));
        cr_assert(spur_map_get(&maps[i], SPUR_SPACE_STRING, 3) == NONE);
    }
    for (int i = 0; i < PROCESSES; i++)
        spur_map_free(&maps[i]);
    spur_words_free(&whole);
}

Test(unify, communicators_meet_by_group_and_order)
{
    struct spur_map maps[PROCESSES] = {0};
    struct spur_words whole = {0};
    flat(0, PROCESSES, &whole, maps);
    for (int i = 0; i < PROCESSES; i++) {
        uint32_t shift = i % 2 ? 1 : 0; /* odd processes have one more */
        cr_assert(spur_map_get(&maps[i], SPUR_SPACE_COMM, 1) == 1, "the world");
        cr_assert(spur_map_get(&maps[i], SPUR_SPACE_COMM, 2) == 2, "self");
        cr_assert(spur_map_get(&maps[i], SPUR_SPACE_COMM, 3 + shift) == 3, "the second world");
        cr_assert(spur_map_get(&maps[i], SPUR_SPACE_COMM, 4 + shift) == 4, "the intercomm");
        if (i > 0)
            cr_assert(spur_map_get(&maps[i], SPUR_SPACE_COMM, 0) !=
                          spur_map_get(&maps[i - 1], SPUR_SPACE_COMM, 0),
                      "threads are the process's own");
    }
    cr_assert(spur_map_get(&maps[1], SPUR_SPACE_COMM, 3) ==
              spur_map_get(&maps[5], SPUR_SPACE_COMM, 3));
    for (int i = 0; i < PROCESSES; i++)
        spur_map_free(&maps[i]);
    spur_words_free(&whole);
}

Test(unify, a_grid_is_one_and_each_process_has_its_place)
{
    struct spur_unify *unify = spur_unify_new();
    struct spur_record record;
    struct spur_cell cell[SPUR_CELLS_MAX];
    for (uint64_t i = 0; i < PROCESSES; i++) {
        struct spur_words journal = {0};
        process(&journal, i);
        add(unify, &journal, i, NULL);
        spur_words_free(&journal);
    }
    cr_assert(spur_unify_count(unify, SPUR_SPACE_CART_TOPOLOGY) == 1);
    spur_unify_get(unify, SPUR_SPACE_CART_TOPOLOGY, 0, &record, cell);
    const struct spur_cell *dimensions = &cell[SPUR_AT_CartTopology_cartDimensions];
    cr_assert(dimensions->number == 1);
    spur_unify_get(unify, SPUR_SPACE_CART_DIMENSION, (uint32_t) * (const uint64_t *)dimensions->at,
                   &record, cell);
    cr_assert(cell[SPUR_AT_CartDimension_size].number == PROCESSES);
    cr_assert(spur_unify_count(unify, SPUR_SPACE_CART_COORDINATE) == PROCESSES);
    for (uint32_t i = 0; i < PROCESSES; i++) {
        spur_unify_get(unify, SPUR_SPACE_CART_COORDINATE, i, &record, cell);
        cr_assert(cell[SPUR_AT_CartCoordinate_rank].number == i);
        cr_assert(*(const uint64_t *)cell[SPUR_AT_CartCoordinate_coordinates].at == i);
    }
    spur_unify_free(unify);
}

/* Two jobs of two processes. The processes of the first job call the second job number 1. */
Test(unify, members_of_other_jobs_find_their_places)
{
    static const uint64_t bases[] = {UINT64_MAX, 2}, back[] = {UINT64_MAX, 0};
    static const uint64_t own[] = {0, 1}, other[] = {1ull << 32, (1ull << 32) + 1};
    static const uint64_t parents_first[] = {0, 1, 1ull << 32, (1ull << 32) + 1};
    static const uint64_t children_last[] = {1ull << 32, (1ull << 32) + 1, 0, 1};
    struct spur_unify *unify = spur_unify_new();
    struct spur_map maps[2] = {{{{0}}}, {{{0}}}};
    struct spur_record record;
    struct spur_cell cell[SPUR_CELLS_MAX];
    for (uint64_t job = 0; job < 2; job++) {
        struct spur_words journal = {0};
        build_string(&journal, "");
        BUILD(&journal, World, {1}, {7, "process"});
        group(&journal, OTF2_GROUP_TYPE_COMM_GROUP, MPI, 2, own);
        group(&journal, OTF2_GROUP_TYPE_COMM_GROUP, MPI, 2, other);
        group(&journal, OTF2_GROUP_TYPE_COMM_GROUP, MPI, 4, job ? children_last : parents_first);
        BUILD(&journal, InterComm, {NONE}, {0}, {1}, {NONE}, {0});
        BUILD(&journal, Comm, {NONE}, {2}, {0}, {0});
        const struct spur_unify_input input = {journal.at, journal_bytes(&journal), 2 * job,
                                               2 * job,    job ? back : bases,      2};
        cr_assert(spur_unify_add(unify, &input, &maps[job]) == 0);
        spur_words_free(&journal);
    }
    cr_assert(spur_unify_count(unify, SPUR_SPACE_COMM) == 2);
    cr_assert(spur_unify_count(unify, SPUR_SPACE_GROUP) == 4, "with that of locations");
    for (uint32_t i = 0; i < 2; i++)
        cr_assert(spur_map_get(&maps[1], SPUR_SPACE_COMM, i) ==
                  spur_map_get(&maps[0], SPUR_SPACE_COMM, i));
    spur_unify_get(unify, SPUR_SPACE_GROUP, 3, &record, cell);
    const uint64_t *runs = cell[SPUR_AT_Group_members].at;
    cr_assert(runs[0] == 1 && runs[1] == 0 && runs[2] == 4, "one run of four");
    spur_map_free(&maps[0]);
    spur_map_free(&maps[1]);
    spur_unify_free(unify);
}

static const char *text(const struct spur_unify *unify, uint32_t id)
{
    struct spur_record record;
    struct spur_cell cell[SPUR_CELLS_MAX];
    spur_unify_get(unify, SPUR_SPACE_STRING, id, &record, cell);
    return cell[0].at;
}

Test(unify, windows_meet_by_communicator_and_order)
{
    struct spur_words result = {0};
    struct spur_map maps[PROCESSES] = {0};
    flat(0, PROCESSES, &result, maps);
    for (int i = 0; i < PROCESSES; i++) {
        cr_assert_eq(spur_map_get(&maps[i], SPUR_SPACE_RMA_WIN, 0), 0);
        cr_assert_eq(spur_map_get(&maps[i], SPUR_SPACE_RMA_WIN, i % 2 ? 1 : 2), 2);
    }
    struct spur_map again = {0};
    struct spur_unify *unify = spur_unify_new();
    add(unify, &result, 0, &again);
    cr_assert_eq(spur_unify_count(unify, SPUR_SPACE_RMA_WIN), 3);
    cr_assert_str_eq(text(unify, spur_unify_name(unify, SPUR_SPACE_RMA_WIN, 2)), "even");
    cr_assert(spur_unify_name(unify, SPUR_SPACE_RMA_WIN, 0) == NONE);
    spur_unify_free(unify);
    spur_map_free(&again);
    for (int i = 0; i < PROCESSES; i++)
        spur_map_free(&maps[i]);
    spur_words_free(&result);
}

Test(unify, handles_meet_by_file_communicator_and_order)
{
    struct spur_words result = {0};
    struct spur_map maps[PROCESSES] = {0};
    flat(0, PROCESSES, &result, maps);
    for (uint32_t i = 0; i < PROCESSES; i++) {
        cr_assert_eq(spur_map_get(&maps[i], SPUR_SPACE_IO_FILE, 0), 0);
        cr_assert_eq(spur_map_get(&maps[i], SPUR_SPACE_IO_FILE, 1), 1 + i);
        cr_assert_eq(spur_map_get(&maps[i], SPUR_SPACE_IO_HANDLE, 0), 0);
        cr_assert_eq(spur_map_get(&maps[i], SPUR_SPACE_IO_HANDLE, 1), i == 0 ? 1 : 2 + i);
        cr_assert_eq(spur_map_get(&maps[i], SPUR_SPACE_IO_HANDLE, 2), 2);
    }
    struct spur_unify *unify = spur_unify_new();
    add(unify, &result, 0, NULL);
    cr_assert_eq(spur_unify_count(unify, SPUR_SPACE_IO_HANDLE), 2 + PROCESSES);
    cr_assert_str_eq(text(unify, spur_unify_name(unify, SPUR_SPACE_IO_HANDLE, 0)), "even");
    spur_unify_free(unify);
    for (int i = 0; i < PROCESSES; i++)
        spur_map_free(&maps[i]);
    spur_words_free(&result);
}

Test(unify, the_first_process_names_a_communicator_and_its_last_name_counts)
{
    struct spur_unify *unify = spur_unify_new();
    for (uint64_t i = 0; i < PROCESSES; i++) {
        struct spur_words journal = {0};
        process(&journal, i);
        add(unify, &journal, i, NULL);
        spur_words_free(&journal);
    }
    cr_assert_str_eq(text(unify, spur_unify_name(unify, SPUR_SPACE_COMM, 1)), "even");
    cr_assert(spur_unify_name(unify, SPUR_SPACE_COMM, 2) == NONE);
    spur_unify_free(unify);
}

Test(unify, groups_are_placed_and_preceded_by_their_locations)
{
    static const uint64_t ranks[] = {0, 1};
    struct spur_unify *unify = spur_unify_new();
    struct spur_words journal = {0};
    struct spur_record record;
    struct spur_cell cell[SPUR_CELLS_MAX];
    struct spur_map map = {{{0}}};
    uint64_t list[4];
    build_string(&journal, "");
    group(&journal, OTF2_GROUP_TYPE_COMM_GROUP, PTHREAD, 0, NULL);
    group(&journal, OTF2_GROUP_TYPE_COMM_GROUP, MPI, 2, ranks);
    const struct spur_unify_input input = {journal.at, journal_bytes(&journal), 41, 10};
    cr_assert(spur_unify_add(unify, &input, &map) == 0);
    spur_unify_get(unify, SPUR_SPACE_GROUP, 0, &record, cell);
    cr_assert(cell[SPUR_AT_Group_groupType].number == OTF2_GROUP_TYPE_COMM_LOCATIONS);
    cr_assert(cell[SPUR_AT_Group_paradigm].number == PTHREAD);
    spur_unify_get(unify, SPUR_SPACE_GROUP, spur_map_get(&map, SPUR_SPACE_GROUP, 0), &record, cell);
    cr_assert(spur_members_expand(&cell[SPUR_AT_Group_members], 0, list, 4) == 1 && list[0] == 41);
    spur_unify_get(unify, SPUR_SPACE_GROUP, spur_map_get(&map, SPUR_SPACE_GROUP, 1), &record, cell);
    cr_assert(spur_members_expand(&cell[SPUR_AT_Group_members], 0, list, 4) == 2);
    cr_assert(list[0] == 10 && list[1] == 11);
    spur_map_free(&map);
    spur_words_free(&journal);
    spur_unify_free(unify);
}

Test(unify, broken_journals_count_up_to_the_fault)
{
    struct spur_words journal = {0};
    static uint64_t copy[4096];
    process(&journal, 3);
    uint64_t bytes = journal_bytes(&journal);
    cr_assert(bytes <= sizeof copy);
    for (uint64_t i = 0; i < 2 * bytes; i++) {
        struct spur_unify *unify = spur_unify_new();
        struct spur_map map = {{{0}}};
        struct spur_words result = {0};
        const struct spur_unify_input input = {copy, i < bytes ? i : bytes, 3, 7};
        memcpy(copy, journal.at, bytes);
        if (i >= bytes)
            ((unsigned char *)copy)[i - bytes] ^= (unsigned char)(1u << i % 8);
        cr_assert(spur_unify_add(unify, &input, &map) == 0);
        cr_assert(spur_unify_journal(unify, &result) == 0);
        spur_map_free(&map);
        spur_words_free(&result);
        spur_unify_free(unify);
    }
    spur_words_free(&journal);
}

static double seconds_for(int processes, int strings)
{
    struct spur_words journal = {0};
    struct timespec from, to;
    struct spur_unify *unify = spur_unify_new();
    char name[32];
    for (int i = 0; i < strings; i++) {
        snprintf(name, sizeof name, "string %d", i);
        build_string(&journal, name);
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    for (int i = 0; i < processes; i++)
        add(unify, &journal, (uint64_t)i, NULL);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    cr_assert(spur_unify_count(unify, SPUR_SPACE_STRING) == (uint32_t)strings);
    spur_unify_free(unify);
    spur_words_free(&journal);
    return (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

/* A square law would take 64 times as long; the margin is for a busy machine and sanitizers. */
Test(unify, cost_is_linear)
{
    double small = seconds_for(100, 100);
    double large = seconds_for(800, 800);
    cr_assert(large < 0.05 + 64 * 4 * small, "%f s and %f s", small, large);
}
