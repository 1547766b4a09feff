/* SPDX-License-Identifier: BSD-3-Clause */
/* links: wrappers-mpi */
/*
 * Records of calls whose group is switched off, or during a pause of recording. The calls leave no
 * records. Later calls that depend on such a call leave the records that they would leave anyway.
 */
#include "tests/unit/mpi_fake.h"

#include "wrappers/mpi/mpi_comm.h"
#include "wrappers/mpi/mpi_groups.h"
#include "wrappers/mpi/mpi_init.h"

enum { INT_TYPE = 4, DUPLICATE = 0x24000001 };

/* ---- the wrapped functions, as defined by the wrappers ---- */

int MPI_Send(mpi_word buf, mpi_word count, mpi_word type, mpi_word dest, mpi_word tag,
             mpi_word comm);
int MPI_Isend(mpi_word buf, mpi_word count, mpi_word type, mpi_word dest, mpi_word tag,
              mpi_word comm, mpi_word request);
int MPI_Send_init(mpi_word buf, mpi_word count, mpi_word type, mpi_word dest, mpi_word tag,
                  mpi_word comm, mpi_word request);
int MPI_Start(mpi_word request);
int MPI_Wait(mpi_word request, mpi_word status);
int MPI_Test(mpi_word request, mpi_word flag, mpi_word status);
int MPI_Barrier(mpi_word comm);
int MPI_Ibarrier(mpi_word comm, mpi_word request);
int MPI_Comm_dup(mpi_word comm, mpi_word made);
int MPI_Comm_idup(mpi_word comm, mpi_word made, mpi_word request);
int MPI_Comm_free(mpi_word comm);
int MPI_Type_commit(mpi_word type);
int MPI_Win_create(mpi_word base, mpi_word size, mpi_word unit, mpi_word info, mpi_word comm,
                   mpi_word win);
int MPI_Rput(mpi_word from, mpi_word n, mpi_word type, mpi_word rank, mpi_word at, mpi_word m,
             mpi_word to, mpi_word win, mpi_word request);
int MPI_Win_flush(mpi_word rank, mpi_word win);
int MPI_Win_free(mpi_word win);
int MPI_Pcontrol(int level, ...);

/* ---- the library behind the wrappers ---- */

/* The arguments behind the level: a letter for each argument; the n-th argument has the value n. */
struct told {
    double number;
    mpi_word word;
    int odd;
};
static const char *pcontrol_kinds = "";
#define W(n) ((mpi_word)(n))
#define D(n) ((n) + 0.5)

static void put_handle(mpi_word at, uint32_t handle)
{
    memcpy(mpi_address(at), &handle, sizeof handle);
}
static int real_nothing(void)
{
    cr_assert(spur_inside(), "what MPI does itself is not recorded");
    return 0;
}
static int real_request_2(mpi_word a, mpi_word request)
{
    (void)a;
    put_handle(request, 77);
    return 0;
}
static int real_request_3(mpi_word a, mpi_word made, mpi_word request)
{
    (void)a;
    put_handle(made, DUPLICATE);
    put_handle(request, 78);
    return 0;
}
static int real_request_7(mpi_word a, mpi_word b, mpi_word c, mpi_word d, mpi_word e, mpi_word f,
                          mpi_word request)
{
    (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
    put_handle(request, 79);
    return 0;
}
static int real_request_9(mpi_word a, mpi_word b, mpi_word c, mpi_word d, mpi_word e, mpi_word f,
                          mpi_word g, mpi_word h, mpi_word request)
{
    (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h;
    put_handle(request, 80);
    return 0;
}
static int real_comm(mpi_word comm, mpi_word made)
{
    (void)comm;
    put_handle(made, DUPLICATE);
    return 0;
}
static int real_win(mpi_word a, mpi_word b, mpi_word c, mpi_word d, mpi_word e, mpi_word win)
{
    (void)a, (void)b, (void)c, (void)d, (void)e;
    put_handle(win, 0xa0000001);
    return 0;
}
static int real_test(mpi_word request, mpi_word flag, mpi_word status)
{
    (void)request, (void)status;
    put_handle(flag, 0);
    return 0;
}
static int real_pcontrol(int level, ...)
{
    /* In the order of the call: processors differ in the arguments that share registers. */
    va_list rest;
    va_start(rest, level);
    for (int i = 0; pcontrol_kinds[i]; i++) {
        int n = i + 1;
        struct told told;
        switch (pcontrol_kinds[i]) {
        case 'i':
            cr_assert_eq(va_arg(rest, int), -n);
            break;
        case 'w':
            cr_assert_eq(va_arg(rest, mpi_word), W(n));
            break;
        case 'p':
            cr_assert_eq(va_arg(rest, const char *), &pcontrol_kinds[i], "pointer %d", n);
            break;
        case 'd':
            cr_assert(va_arg(rest, double) == D(n), "number %d", n);
            break;
        case 'L':
            cr_assert(va_arg(rest, long double) == n + 0.25L, "long double %d", n);
            break;
        default:
            told = va_arg(rest, struct told);
            cr_assert(told.number == n + 0.125 && told.word == W(n) && told.odd == -n, "struct %d",
                      n);
        }
    }
    va_end(rest);
    return level == 9 ? 5 : 0;
}

static void *find_real(const char *name)
{
    static const struct {
        const char *name;
        mpi_function function;
    } known[] = {
        {"MPI_Isend", (mpi_function)real_request_7},
        {"MPI_Send_init", (mpi_function)real_request_7},
        {"MPI_Ibarrier", (mpi_function)real_request_2},
        {"MPI_Comm_dup", (mpi_function)real_comm},
        {"MPI_Comm_idup", (mpi_function)real_request_3},
        {"MPI_Win_create", (mpi_function)real_win},
        {"MPI_Rput", (mpi_function)real_request_9},
        {"MPI_Test", (mpi_function)real_test},
        {"MPI_Pcontrol", (mpi_function)real_pcontrol},
    };
    mpi_function function = (mpi_function)real_nothing;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].name, name) == 0)
            function = known[i].function;
    void *address;
    memcpy(&address, &function, sizeof address);
    return address;
}

static mpi_word at(void *object)
{
    return (mpi_word)object;
}

static void start(const char *groups)
{
    fake_start();
    fake.size = 2;
    agent_real = find_real;
    agent_records = true;
    cr_assert(mpi_groups_select(groups));
    (void)mpi_comm_of(HANDLE_WORLD);
    agent_log_clear();
}

static void send_and_wait(void)
{
    uint32_t request;
    (void)MPI_Isend(0, 2, INT_TYPE, 1, 5, HANDLE_WORLD, at(&request));
    (void)MPI_Wait(at(&request), 1);
}

/* ---- the list ---- */

Test(mpi_groups, list)
{
    cr_assert(mpi_group_is_off[MPI_GROUP_type] && !mpi_group_is_off[MPI_GROUP_p2p]);
    cr_assert(mpi_groups_select("all") && !mpi_group_is_off[MPI_GROUP_type]);
    cr_assert(mpi_groups_select("p2p,rma") && !mpi_group_is_off[MPI_GROUP_p2p] &&
              !mpi_group_is_off[MPI_GROUP_rma] && mpi_group_is_off[MPI_GROUP_coll]);
    cr_assert(mpi_groups_select("default,err") && !mpi_group_is_off[MPI_GROUP_err] &&
              !mpi_group_is_off[MPI_GROUP_coll] && mpi_group_is_off[MPI_GROUP_tool]);
    cr_assert_not(mpi_groups_select("none"));
    cr_assert(mpi_groups_select("default") && mpi_groups_select(NULL));
    cr_assert(!mpi_group_is_off[MPI_GROUP_io] && mpi_group_is_off[MPI_GROUP_type]);
    cr_assert_str_eq(agent_log, "");
}

Test(mpi_groups, unknown_names_are_complained_of)
{
    cr_assert(mpi_groups_select("collective"));
    cr_assert(!mpi_group_is_off[MPI_GROUP_p2p], "as if it were not set");
    cr_assert(strstr(agent_log, "\"collective\", only env, p2p, req, coll, cg, "));
    cr_assert(strstr(agent_log, ", default, all, none\n"));
    cr_assert(mpi_groups_select("coll,p2") && !mpi_group_is_off[MPI_GROUP_coll] &&
              mpi_group_is_off[MPI_GROUP_p2p]);
    cr_assert(strstr(agent_log, "\"p2\""));
    char longest[600];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    cr_assert(mpi_groups_select(longest));
}

/* ---- the records ---- */

Test(mpi_groups, everything)
{
    start("all");
    send_and_wait();
    uint32_t type = INT_TYPE;
    (void)MPI_Type_commit(at(&type));
    cr_assert_str_eq(agent_log, "Enter MPI_Isend\nMpiIsend 1 0 5 8 0\nLeave MPI_Isend\n"
                                "Enter MPI_Wait\nMpiIsendComplete 0\nLeave MPI_Wait\n"
                                "Enter MPI_Type_commit\nLeave MPI_Type_commit\n");
}

Test(mpi_groups, completions_without_their_region)
{
    start("p2p");
    uint32_t request;
    uint32_t flag;
    send_and_wait();
    (void)MPI_Isend(0, 2, INT_TYPE, 1, 5, HANDLE_WORLD, at(&request));
    (void)MPI_Test(at(&request), at(&flag), 1); /* MpiRequestTest is the group's own */
    (void)MPI_Wait(at(&request), 1);
    (void)MPI_Send_init(0, 2, INT_TYPE, 1, 6, HANDLE_WORLD, at(&request));
    (void)MPI_Start(at(&request));
    (void)MPI_Wait(at(&request), 1);
    (void)MPI_Barrier(HANDLE_WORLD);
    cr_assert_str_eq(agent_log, "Enter MPI_Isend\nMpiIsend 1 0 5 8 0\nLeave MPI_Isend\n"
                                "MpiIsendComplete 0\n"
                                "Enter MPI_Isend\nMpiIsend 1 0 5 8 1\nLeave MPI_Isend\n"
                                "MpiIsendComplete 1\n"
                                "Enter MPI_Send_init\nLeave MPI_Send_init\n"
                                "MpiIsend 1 0 6 8 2\nMpiIsendComplete 2\n");
}

Test(mpi_groups, regions_without_their_messages)
{
    start("req,coll");
    uint32_t request;
    send_and_wait();
    (void)MPI_Send_init(0, 2, INT_TYPE, 1, 6, HANDLE_WORLD, at(&request));
    (void)MPI_Start(at(&request));
    (void)MPI_Wait(at(&request), 1); /* NOLINT(clang-analyzer-optin.mpi.MPI-Checker): started */
    (void)MPI_Ibarrier(HANDLE_WORLD, at(&request));
    (void)MPI_Wait(at(&request), 1);
    cr_assert_str_eq(
        agent_log,
        "Enter MPI_Wait\nLeave MPI_Wait\nEnter MPI_Start\nLeave MPI_Start\n"
        "Enter MPI_Wait\nLeave MPI_Wait\n"
        "Enter MPI_Ibarrier\nNonBlockingCollectiveRequest 2\nLeave MPI_Ibarrier\n"
        "Enter MPI_Wait\nNonBlockingCollectiveComplete 0 0 4294967295 0 0 2\nLeave MPI_Wait\n");
}

/* A communicator whose birth nobody saw is known, without the events. */
Test(mpi_groups, books_are_kept)
{
    start("p2p");
    uint32_t made;
    uint32_t request;
    (void)MPI_Comm_dup(HANDLE_WORLD, at(&made));
    (void)MPI_Send(0, 1, INT_TYPE, 1, 5, made);
    (void)MPI_Comm_free(at(&made));
    (void)MPI_Comm_idup(HANDLE_WORLD, at(&made), at(&request));
    (void)MPI_Wait(at(&request), 1); /* NOLINT(clang-analyzer-optin.mpi.MPI-Checker): started */
    (void)MPI_Send(0, 1, INT_TYPE, 1, 5, made);
    (void)MPI_Win_create(0, 8, 1, 0, HANDLE_WORLD, at(&made));
    (void)MPI_Rput(0, 1, INT_TYPE, 1, 0, 1, INT_TYPE, made, at(&request));
    (void)MPI_Wait(at(&request), 1);
    (void)MPI_Win_flush(1, made);
    (void)MPI_Win_free(at(&made));
    cr_assert_str_eq(agent_log,
                     "comm 2 '' {5: 0 1} of 0 flags 0\n"
                     "Enter MPI_Send\nMpiSend 1 2 5 4\nLeave MPI_Send\n"
                     "comm 3 '' {5: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15} of 0 flags 0\n"
                     "Enter MPI_Send\nMpiSend 1 3 5 4\nLeave MPI_Send\n"
                     "window 0 '' on 0 flags 0\n");
}

Test(mpi_groups, nothing)
{
    fake_start();
    agent_real = find_real;
    agent_records = true;
    mpi_is_off = !mpi_groups_select("none");
    uint32_t made;
    send_and_wait();
    (void)MPI_Comm_dup(HANDLE_WORLD, at(&made));
    (void)MPI_Pcontrol(0);
    cr_assert_str_eq(agent_log, "");
    cr_assert_eq(agent_depth, 0);
}

/* ---- MPI_Pcontrol ---- */

Test(mpi_pcontrol, pauses)
{
    start("default");
    uint32_t request;
    uint32_t made;
    (void)MPI_Isend(0, 2, INT_TYPE, 1, 5, HANDLE_WORLD, at(&request));
    (void)MPI_Pcontrol(1);
    (void)MPI_Pcontrol(2);
    (void)MPI_Pcontrol(0);
    (void)MPI_Wait(at(&request), 1);
    (void)MPI_Comm_dup(HANDLE_WORLD, at(&made));
    (void)MPI_Isend(0, 2, INT_TYPE, 1, 6, made, at(&request));
    (void)MPI_Pcontrol(1);
    (void)MPI_Wait(at(&request), 1);
    send_and_wait();
    (void)MPI_Comm_free(at(&made));
    cr_assert_str_eq(agent_log, "Enter MPI_Isend\nMpiIsend 1 0 5 8 0\nLeave MPI_Isend\n"
                                "recording goes off\n"
                                "comm 2 '' {5: 0 1} of 0 flags 0\n"
                                "recording goes on\n"
                                "Enter MPI_Wait\nLeave MPI_Wait\n"
                                "Enter MPI_Isend\nMpiIsend 1 0 5 8 2\nLeave MPI_Isend\n"
                                "Enter MPI_Wait\nMpiIsendComplete 2\nLeave MPI_Wait\n"
                                "Enter MPI_Comm_free\nMpiCollectiveBegin\n"
                                "MpiCollectiveEnd 18 2 4294967295 0 0\nLeave MPI_Comm_free\n");
}

Test(mpi_pcontrol, is_a_region_of_its_own_group)
{
    start("perf");
    (void)MPI_Pcontrol(0);
    (void)MPI_Pcontrol(3);
    (void)MPI_Pcontrol(1);
    cr_assert_str_eq(agent_log, "Enter MPI_Pcontrol\nLeave MPI_Pcontrol\nrecording goes off\n"
                                "recording goes on\nEnter MPI_Pcontrol\nLeave MPI_Pcontrol\n");
}

Test(mpi_pcontrol, arguments_and_results_pass_through)
{
    start("default");
    pcontrol_kinds = "wdwwwwww";
    cr_assert_eq(MPI_Pcontrol(9, W(1), D(2), W(3), W(4), W(5), W(6), W(7), W(8)), 5);
}

Test(mpi_pcontrol, words_beyond_the_registers)
{
    start("default");
    pcontrol_kinds = "wipwiwwww";
    cr_assert_eq(MPI_Pcontrol(9, W(1), -2, pcontrol_kinds + 2, W(4), -5, W(6), W(7), W(8), W(9)),
                 5);
}

Test(mpi_pcontrol, numbers_beyond_the_registers)
{
    start("default");
    pcontrol_kinds = "dddddddddd";
    cr_assert_eq(MPI_Pcontrol(9, D(1), D(2), D(3), D(4), D(5), D(6), D(7), D(8), D(9), D(10)), 5);
}

Test(mpi_pcontrol, words_and_numbers_by_turns)
{
    start("default");
    pcontrol_kinds = "dwdwdwdwdwdwdwdw";
    cr_assert_eq(MPI_Pcontrol(9, D(1), W(2), D(3), W(4), D(5), W(6), D(7), W(8), D(9), W(10), D(11),
                              W(12), D(13), W(14), D(15), W(16)),
                 5);
}

Test(mpi_pcontrol, a_struct_that_is_passed_in_memory)
{
    start("default");
    pcontrol_kinds = "wsd";
    cr_assert_eq(MPI_Pcontrol(9, W(1), ((struct told){2.125, 2, -2}), D(3)), 5);
}

#ifdef __x86_64__ /* elsewhere these have registers of their own, of which half is passed on */
Test(mpi_pcontrol, long_numbers)
{
    start("default");
    pcontrol_kinds = "dLwL";
    cr_assert_eq(MPI_Pcontrol(9, D(1), 2.25L, W(3), 4.25L), 5);
}
#endif
