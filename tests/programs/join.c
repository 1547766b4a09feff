/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two processes that share a socket and become one communicator by MPI_Comm_join, N times over the
 * same one: `join both N` in one job, `join server N` and `join client N` each in its own. The
 * server writes its port number to the file `port`.
 */
#include <arpa/inet.h>
#include <mpi.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "expect.h"
#include "port_file.h"

static int serve(void)
{
    char port[16];
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof address;
    int door = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT(bind(door, (struct sockaddr *)&address, bytes) == 0 && listen(door, 1) == 0);
    EXPECT(getsockname(door, (struct sockaddr *)&address, &bytes) == 0);
    snprintf(port, sizeof port, "%u", ntohs(address.sin_port));
    write_port(port);
    int fd = accept(door, NULL, NULL);
    EXPECT(fd >= 0);
    close(door);
    return fd;
}

static int visit(void)
{
    char port[16] = "";
    read_port(port, sizeof port);
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)atoi(port)),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT(connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
    return fd;
}

static void talk(MPI_Comm other, int is_server)
{
    int got = -1;
    MPI_Sendrecv(&is_server, 1, MPI_INT, 0, 1, &got, 1, MPI_INT, 0, 1, other, MPI_STATUS_IGNORE);
    EXPECT(got == !is_server);
    MPI_Barrier(other);
}

int main(int argc, char **argv)
{
    int rank, n = atoi(argv[2]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int is_server = strcmp(argv[1], "both") == 0 ? rank == 0 : strcmp(argv[1], "server") == 0;
    int fd = is_server ? serve() : visit();
    for (int i = 0; i < n; i++) {
        MPI_Comm other;
        MPI_Comm_join(fd, &other);
        talk(other, is_server);
        MPI_Comm_disconnect(&other);
    }
    close(fd);
    MPI_Finalize();
    return unexpected;
}
