/* SPDX-License-Identifier: BSD-3-Clause */
/* links: wrappers-mpi */
/*
 * Processes of different jobs that meet. This process is one side; the test leaves the notes of the
 * other one, whose processes are strangers to this world.
 */
#include "tests/unit/mpi_fake.h"

#include "wrappers/mpi/mpi_comm.h"
#include "wrappers/mpi/mpi_meet.h"
#include "wrappers/mpi/mpi_muster.h"

static char port[] = "port:1";
static mpi_word on;

/* A communicator of this process alone. */
static void start(void)
{
    struct mpi_comm *world, *self;
    fake_start();
    mpi_comm_world_created(&world, &self, true);
    fake.size = 1;
    on = fake_handle();
    cr_assert_not_null(mpi_comm_of(on));
}

/* The call has returned an intercommunicator to n others. */
static struct mpi_comm *meet_end(struct mpi_meet *meet, int n)
{
    uint32_t made = (uint32_t)fake_handle();
    fake.remote_size = n;
    fake.remote_first = WORLD_SIZE + 1;
    return mpi_meet_end(meet, 0, (mpi_word)&made, true);
}

static bool decided(const char *key, const char *text)
{
    char name[128];
    size_t room;
    snprintf(name, sizeof name, "go-%s", key);
    char *decision = spur_note_get(name, &room);
    bool is_right = decision && strcmp(decision, text) == 0;
    if (decision)
        spur_mem_free(decision, room);
    return is_right;
}

/* ---- connecting ---- */

Test(mpi_meet, a_client_and_its_server)
{
    struct mpi_meet meet;
    start();
    spur_note_put("server-port-1", "");
    mpi_meet_begin(&meet, MPI_MEET_CONNECT, (mpi_word)port, 0, on);
    cr_assert(spur_note_is_there("client-port-1-me.0"));
    spur_note_put("go-port-1-me.0", "go you\nyou 0 2\n");
    struct mpi_comm *made = meet_end(&meet, 2);
    cr_assert_not_null(made);
    cr_assert(mpi_comm_is_inter(made));
    cr_assert_not_null(strstr(agent_log, "world 1 of you\n"));
    size_t room;
    char *offer = spur_note_get("connected-port-1-me.0", &room);
    cr_assert_str_eq(offer, "go 2.1\nme 0 1\n", "what the server learns of it");
    spur_mem_free(offer, room);
}

Test(mpi_meet, a_client_of_an_untraced_server)
{
    struct mpi_meet meet;
    start();
    mpi_meet_begin(&meet, MPI_MEET_CONNECT, (mpi_word)port, 0, on);
    cr_assert_null(meet_end(&meet, 2));
    cr_assert(decided("port-1-me.0", "no"), "a server that comes later must not believe it");
    cr_assert_null(strstr(agent_log, "intercomm"));
}

Test(mpi_meet, a_client_whose_call_fails)
{
    struct mpi_meet meet;
    start();
    mpi_meet_begin(&meet, MPI_MEET_CONNECT, (mpi_word)port, 0, on);
    uint32_t none = 0;
    cr_assert_null(mpi_meet_end(&meet, 1, (mpi_word)&none, true));
    cr_assert(decided("port-1-me.0", "no"));
}

Test(mpi_meet, a_roster_of_another_size)
{
    struct mpi_meet meet;
    start();
    spur_note_put("server-port-1", "");
    mpi_meet_begin(&meet, MPI_MEET_CONNECT, (mpi_word)port, 0, on);
    spur_note_put("go-port-1-me.0", "go you\nyou 0 3\n");
    cr_assert_null(meet_end(&meet, 2));
}

/* ---- accepting ---- */

static void leave_client(const char *offer)
{
    spur_note_put("client-port-1-you.0", "");
    spur_note_put("connected-port-1-you.0", offer);
}

Test(mpi_meet, a_server_and_its_client)
{
    struct mpi_meet meet;
    start();
    mpi_meet_begin(&meet, MPI_MEET_ACCEPT, (mpi_word)port, 0, on);
    cr_assert(spur_note_is_there("server-port-1"));
    leave_client("go 1.2\nyou 4 2\n");
    cr_assert_not_null(meet_end(&meet, 2));
    cr_assert(decided("port-1-you.0", "go me\nme 0 1\n"));
    cr_assert(!spur_note_is_there("server-port-1"), "it accepts no more");
    cr_assert(!spur_note_is_there("poison-port-1"));
}

Test(mpi_meet, a_server_of_an_untraced_client)
{
    struct mpi_meet meet;
    start();
    mpi_meet_begin(&meet, MPI_MEET_ACCEPT, (mpi_word)port, 0, on);
    cr_assert_null(meet_end(&meet, 1));
    cr_assert(!spur_note_is_there("server-port-1"));
}

Test(mpi_meet, a_client_that_meant_another_one)
{
    struct mpi_meet meet;
    start();
    mpi_meet_begin(&meet, MPI_MEET_ACCEPT, (mpi_word)port, 0, on);
    leave_client("go 3.2\nyou 4 2\n");
    cr_assert_null(meet_end(&meet, 2), "it sees a server of three processes");
    cr_assert(!decided("port-1-you.0", "go me\nme 0 1\n"));
}

Test(mpi_meet, two_servers_at_one_port)
{
    struct mpi_meet one, two;
    start();
    mpi_meet_begin(&one, MPI_MEET_ACCEPT, (mpi_word)port, 0, on);
    mpi_meet_begin(&two, MPI_MEET_ACCEPT, (mpi_word)port, 0, on);
    cr_assert(spur_note_is_there("poison-port-1"));
    leave_client("go 1.2\nyou 4 2\n");
    cr_assert_null(meet_end(&one, 2));
    cr_assert_null(meet_end(&two, 2));
}

/* ---- spawning ---- */

static void be_spawner(void)
{
    setenv("PMIX_NAMESPACE", "parents", 1);
    setenv("PMIX_RANK", "0", 1);
    start();
}

static void leave_child_of(const char *parent, int n)
{
    char name[64];
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "here-children.%d", i);
        spur_note_put(name, "");
    }
    snprintf(name, sizeof name, "offer-%s-x", parent);
    spur_note_put(name, "go children\nyou 0 2\n");
}

static void leave_child(int n)
{
    leave_child_of("parents.0", n);
}

Test(mpi_meet, parents_of_a_job)
{
    struct mpi_meet meet;
    be_spawner();
    mpi_meet_begin(&meet, MPI_MEET_SPAWN, 0, 0, on);
    cr_assert(spur_note_is_there("spawner-parents.0"));
    leave_child(2);
    cr_assert_not_null(meet_end(&meet, 2));
    cr_assert(decided("parents.0-x", "go me\nme 0 1\n"));
}

static int open_port(mpi_word info, char *name)
{
    (void)info;
    strcpy(name, "4086824961.0:4087186028");
    return 0;
}

static int close_port(const char *name)
{
    (void)name;
    return 0;
}

/* As Open MPI 6 calls jobs: "prterun-HOST-PID@1", and by a number in names of ports. */
Test(mpi_meet, parents_whose_job_has_a_number_as_well)
{
    struct mpi_meet meet;
    be_spawner();
    struct mpi_library *lib = (struct mpi_library *)(uintptr_t)mpi_library();
    lib->Open_port = open_port;
    lib->Close_port = close_port;
    mpi_meet_begin(&meet, MPI_MEET_SPAWN, 0, 0, on);
    cr_assert(spur_note_is_there("spawner-4086824961.0"));
    leave_child_of("4086824961.0", 2);
    cr_assert_not_null(meet_end(&meet, 2));
    cr_assert(decided("4086824961.0-x", "go me\nme 0 1\n"));
}

Test(mpi_meet, parents_of_a_job_that_is_not_whole)
{
    struct mpi_meet meet;
    be_spawner();
    mpi_meet_begin(&meet, MPI_MEET_SPAWN, 0, 0, on);
    leave_child(1);
    cr_assert_null(meet_end(&meet, 2));
    cr_assert(decided("parents.0-x", "no"));
}

Test(mpi_meet, two_jobs_at_the_same_time)
{
    struct mpi_meet one, two;
    be_spawner();
    mpi_meet_begin(&one, MPI_MEET_SPAWN, 0, 0, on);
    mpi_meet_begin(&two, MPI_MEET_SPAWN, 0, 0, on);
    leave_child(2);
    cr_assert_null(meet_end(&one, 2), "it may be the other one's");
    cr_assert_null(meet_end(&two, 2));
    cr_assert(decided("parents.0-x", "no"));
}

/* ---- being spawned ---- */

static int get_parent(void *parent_at)
{
    uint32_t handle = (uint32_t)fake_handle();
    memcpy(parent_at, &handle, sizeof handle);
    return 0;
}

static struct mpi_comm *be_spawned(const char *decision)
{
    setenv("PMIX_NAMESPACE", "children", 1);
    setenv("PMIX_RANK", "0", 1);
    setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
    setenv("OMPI_PARENT_PORT", "parents.0:7", 1);
    start();
    mpi_muster_begin();
    mpi_meet_parents_begin();
    cr_assert(spur_note_is_there("offer-parents.0-7"));
    spur_note_put("spawner-parents.0", "");
    if (decision)
        spur_note_put("go-parents.0-7", decision);
    mpi_muster_end(1);
    fake.remote_size = 2;
    fake.remote_first = WORLD_SIZE + 1;
    ((struct mpi_library *)(uintptr_t)mpi_library())->Comm_get_parent = get_parent;
    return mpi_meet_parents_end(true);
}

Test(mpi_meet, children_of_a_job)
{
    cr_assert_not_null(be_spawned("go you\nyou 0 2\n"));
    cr_assert_not_null(strstr(agent_log, "started by you\n"));
}

Test(mpi_meet, children_that_are_refused)
{
    cr_assert_null(be_spawned("no"));
    cr_assert_null(strstr(agent_log, "started by"));
}
