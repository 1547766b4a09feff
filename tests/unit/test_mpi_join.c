/* SPDX-License-Identifier: BSD-3-Clause */
/* links: wrappers-mpi */
/* The name that both ends of a socket give it. */
#include "tests/unit/mpi_fake.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wrappers/mpi/mpi_join.h"

/* Two connected sockets; if `mixed`, the second speaks the other protocol of the same address. */
static void connect_pair(int pair[2], bool mixed)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    socklen_t bytes = sizeof v4;
    int door = socket(AF_INET, SOCK_STREAM, 0);
    cr_assert_eq(bind(door, (struct sockaddr *)&v4, bytes), 0);
    cr_assert_eq(listen(door, 1), 0);
    cr_assert_eq(getsockname(door, (struct sockaddr *)&v4, &bytes), 0);
    v6.sin6_port = v4.sin_port;
    memcpy(&v6.sin6_addr.s6_addr[10], "\xff\xff\x7f\0\0\1", 6);
    pair[1] = socket(mixed ? AF_INET6 : AF_INET, SOCK_STREAM, 0);
    const struct sockaddr *to = mixed ? (struct sockaddr *)&v6 : (struct sockaddr *)&v4;
    cr_assert_eq(connect(pair[1], to, mixed ? sizeof v6 : sizeof v4), 0);
    pair[0] = accept(door, NULL, NULL);
    close(door);
}

static void expect_agreement(const int pair[2])
{
    char port[2][MPI_JOIN_PORT_BYTES];
    enum mpi_meet_kind kind[2];
    for (int i = 0; i < 2; i++)
        cr_assert(mpi_join_port(pair[i], port[i], &kind[i]));
    cr_assert_str_eq(port[0], port[1]);
    cr_assert_neq(kind[0], kind[1], "one of them is the server");
}

Test(mpi_join, both_ends_agree)
{
    int one[2], other[2];
    char port[2][MPI_JOIN_PORT_BYTES];
    enum mpi_meet_kind kind;
    connect_pair(one, false);
    connect_pair(other, false);
    expect_agreement(one);
    expect_agreement(other);
    mpi_join_port(one[0], port[0], &kind);
    mpi_join_port(other[0], port[1], &kind);
    cr_assert_str_neq(port[0], port[1], "another socket");
}

Test(mpi_join, one_end_speaks_ipv6)
{
    int pair[2];
    connect_pair(pair, true);
    expect_agreement(pair);
}

Test(mpi_join, a_socket_without_addresses)
{
    char port[MPI_JOIN_PORT_BYTES];
    enum mpi_meet_kind kind;
    int pair[2];
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    errno = 77;
    cr_assert(!mpi_join_port(pair[0], port, &kind));
    cr_assert(!mpi_join_port(-1, port, &kind));
    cr_assert_eq(errno, 77);
}
