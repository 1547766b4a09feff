/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/mpi/mpi_join.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>

enum { END_BYTES = INET6_ADDRSTRLEN + 8 };

typedef int get_name(int fd, struct sockaddr *restrict address, socklen_t *restrict bytes);

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

/* One end of the socket, HOST.PORT in numbers, and how long HOST is; 0: it has no such name. */
static size_t name_end(int fd, get_name *get, char *end)
{
    union address address = {0};
    socklen_t bytes = sizeof address;
    const struct in6_addr *v6 = &address.v6.sin6_addr;
    if (get(fd, &address.any, &bytes) != 0)
        return 0;
    if (address.any.sa_family == AF_INET)
        inet_ntop(AF_INET, &address.v4.sin_addr, end, END_BYTES);
    else if (address.any.sa_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(v6)) /* the other end's */
        inet_ntop(AF_INET, &v6->s6_addr[12], end, END_BYTES);
    else if (address.any.sa_family == AF_INET6)
        inet_ntop(AF_INET6, v6, end, END_BYTES);
    else
        return 0;
    size_t n = strlen(end);
    snprintf(end + n, END_BYTES - n, ".%u", ntohs(address.v4.sin_port)); /* at the same place */
    return n;
}

static bool name_port(int fd, char *port, enum mpi_meet_kind *kind)
{
    char here[END_BYTES], there[END_BYTES];
    struct utsname system = {0};
    size_t n = name_end(fd, getsockname, here);
    if (!n || name_end(fd, getpeername, there) == 0)
        return false;
    if (strncmp(here, there, n + 1) == 0) /* as 127.0.0.1 is, which every host has */
        (void)uname(&system);
    int order = strcmp(here, there);
    snprintf(port, MPI_JOIN_PORT_BYTES, "join.%.64s.%s.%s", system.nodename,
             order < 0 ? here : there, order < 0 ? there : here);
    *kind = order < 0 ? MPI_MEET_ACCEPT : MPI_MEET_CONNECT;
    return order != 0;
}

bool mpi_join_port(int fd, char *port, enum mpi_meet_kind *kind)
{
    int saved = errno;
    bool is_named = name_port(fd, port, kind);
    errno = saved;
    return is_named;
}

void mpi_join_begin(struct mpi_meet *meet, int fd)
{
    char port[MPI_JOIN_PORT_BYTES];
    enum mpi_meet_kind kind;
    *meet = (struct mpi_meet){0};
    if (mpi_join_port(fd, port, &kind))
        mpi_meet_begin(meet, kind, (mpi_word)port, 0, mpi_library()->layout.comm_self);
}

struct mpi_comm *mpi_join_end(struct mpi_meet *meet, int ret, mpi_word new_at, bool is_recorded)
{
    const struct mpi_library *lib = mpi_library();
    if (meet->is_announced)
        return mpi_meet_end(meet, ret, new_at, is_recorded);
    return ret == 0 ? mpi_comm_created(mpi_handle_at(lib, new_at, 0), NULL, is_recorded, "") : NULL;
}
