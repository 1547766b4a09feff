/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two jobs that meet at a port N times: `connect server N` writes the port's name to the file
 * `port`, `connect client N` reads it. They exchange messages and are one communicator for a while.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "port_file.h"

static void talk(MPI_Comm other, int is_server)
{
    int got = -1;
    MPI_Comm both;
    MPI_Sendrecv(&is_server, 1, MPI_INT, 0, 1, &got, 1, MPI_INT, 0, 1, other, MPI_STATUS_IGNORE);
    EXPECT(got == !is_server);
    MPI_Intercomm_merge(other, !is_server, &both);
    MPI_Barrier(both);
    MPI_Comm_free(&both);
}

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME] = "";
    int is_server = strcmp(argv[1], "server") == 0, n = atoi(argv[2]);
    MPI_Comm other;
    MPI_Init(&argc, &argv);
    if (is_server) {
        MPI_Open_port(MPI_INFO_NULL, port);
        write_port(port);
    } else {
        read_port(port, sizeof port);
    }
    for (int i = 0; i < n; i++) {
        if (is_server)
            MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
        else
            MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
        talk(other, is_server);
        MPI_Comm_disconnect(&other);
    }
    if (is_server)
        MPI_Close_port(port);
    MPI_Finalize();
    return unexpected;
}
