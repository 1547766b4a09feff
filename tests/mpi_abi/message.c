/* SPDX-License-Identifier: BSD-3-Clause */
/* Point-to-point communication: each function is a request, and a wait for the blocking ones. */
#include "abi.h"

#include <stdlib.h>
#include <string.h>

/* What is wrong with the arguments; the communicator goes first. */
static int fault(const struct comm *comm, int peer, int tag, MPI_Count count, MPI_Datatype datatype,
                 bool is_send)
{
    if (!comm)
        return MPI_ERR_COMM;
    if (count < 0)
        return MPI_ERR_COUNT;
    if (abi_type_size(datatype) < 0)
        return MPI_ERR_TYPE;
    if (tag < 0 && (is_send || tag != MPI_ANY_TAG) && peer != MPI_PROC_NULL)
        return MPI_ERR_TAG;
    if (peer == MPI_PROC_NULL || (!is_send && peer == MPI_ANY_SOURCE))
        return MPI_SUCCESS;
    return peer < 0 || peer >= comm->size ? MPI_ERR_RANK : MPI_SUCCESS;
}

static int make(enum kind kind, const void *buf, MPI_Count count, MPI_Datatype datatype, int peer,
                int tag, MPI_Comm comm, struct request **made)
{
    struct comm *known = abi_comm(comm);
    int error = fault(known, peer, tag, count, datatype, kind == SEND);
    if (error)
        return abi_error(known, error);
    struct request *request = abi_transfer(kind, known, known->context, peer, tag);
    request->out = buf;
    request->in = (void *)buf;
    request->bytes = (uint64_t)(count * abi_type_size(datatype));
    *made = request;
    return MPI_SUCCESS;
}

/* ---- sends ---- */

static int begin_send(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                      MPI_Comm comm, bool is_synchronous, MPI_Request *handle)
{
    struct request *request;
    int error = make(SEND, buf, count, datatype, dest, tag, comm, &request);
    if (error)
        return error;
    request->is_synchronous = is_synchronous;
    abi_request_start(request);
    *handle = abi_handle(request);
    return MPI_SUCCESS;
}

static int send(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                MPI_Comm comm, bool is_synchronous)
{
    MPI_Request handle;
    int error = begin_send(buf, count, datatype, dest, tag, comm, is_synchronous, &handle);
    return error ? error : abi_request_finish(abi_request(handle), MPI_STATUS_IGNORE);
}

#define SEND_FUNCTION(Name, Count, is_synchronous)                                                 \
    int PMPI_##Name(const void *buf, Count count, MPI_Datatype datatype, int dest, int tag,        \
                    MPI_Comm comm)                                                                 \
    {                                                                                              \
        return send(buf, count, datatype, dest, tag, comm, is_synchronous);                        \
    }                                                                                              \
    ALIAS(Name)
SEND_FUNCTION(Send, int, false)
SEND_FUNCTION(Send_c, MPI_Count, false)
SEND_FUNCTION(Bsend, int, false)
SEND_FUNCTION(Rsend, int, false)
SEND_FUNCTION(Ssend, int, true)

#define ISEND_FUNCTION(Name, is_synchronous)                                                       \
    int PMPI_##Name(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,          \
                    MPI_Comm comm, MPI_Request *request)                                           \
    {                                                                                              \
        return begin_send(buf, count, datatype, dest, tag, comm, is_synchronous, request);         \
    }                                                                                              \
    ALIAS(Name)
ISEND_FUNCTION(Isend, false)
ISEND_FUNCTION(Issend, true)

int PMPI_Buffer_attach(void *buffer, int size)
{
    (void)buffer;
    (void)size;
    return MPI_SUCCESS;
}
ALIAS(Buffer_attach)

int PMPI_Buffer_detach(void *buffer_addr, int *size)
{
    (void)buffer_addr; /* stays as it is: the program's own variable */
    (void)size;
    return MPI_SUCCESS;
}
ALIAS(Buffer_detach)

/* ---- receives ---- */

static int begin_receive(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                         MPI_Comm comm, MPI_Request *handle)
{
    struct request *request;
    int error = make(RECV, buf, count, datatype, source, tag, comm, &request);
    if (error)
        return error;
    abi_request_start(request);
    *handle = abi_handle(request);
    return MPI_SUCCESS;
}

int PMPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
               MPI_Request *request)
{
    return begin_receive(buf, count, datatype, source, tag, comm, request);
}
ALIAS(Irecv)

int PMPI_Recv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                MPI_Comm comm, MPI_Status *status)
{
    MPI_Request handle;
    int error = begin_receive(buf, count, datatype, source, tag, comm, &handle);
    return error ? error
                 : abi_error(abi_comm(comm), abi_request_finish(abi_request(handle), status));
}
ALIAS(Recv_c)

int PMPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
              MPI_Status *status)
{
    return PMPI_Recv_c(buf, count, datatype, source, tag, comm, status);
}
ALIAS(Recv)

int PMPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                  void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                  MPI_Comm comm, MPI_Status *status)
{
    int error = PMPI_Send(sendbuf, sendcount, sendtype, dest, sendtag, comm);
    return error ? error : PMPI_Recv(recvbuf, recvcount, recvtype, source, recvtag, comm, status);
}
ALIAS(Sendrecv)

int PMPI_Sendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag,
                          int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    return PMPI_Sendrecv(buf, count, datatype, dest, sendtag, buf, count, datatype, source, recvtag,
                         comm, status);
}
ALIAS(Sendrecv_replace)

/* ---- probes and matched messages ---- */

static int probe(int source, int tag, MPI_Comm comm, bool take, struct message **found,
                 MPI_Status *status)
{
    const struct comm *known = abi_comm(comm);
    int error = fault(known, source, tag, 0, MPI_BYTE, false);
    *found = NULL;
    if (error)
        return abi_error(known, error);
    struct message *message =
        abi_message_match(abi_world.rank, known->context, source, tag, UINT64_MAX, take);
    if (message && status != MPI_STATUS_IGNORE)
        abi_status_set(status, message->source, message->tag, MPI_SUCCESS, message->bytes);
    *found = message;
    return MPI_SUCCESS;
}

int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    struct message *message;
    int error = probe(source, tag, comm, false, &message, status);
    *flag = message != NULL;
    return error;
}
ALIAS(Iprobe)

int PMPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    int error = MPI_SUCCESS;
    for (int flag = 0; !flag && !error; abi_pause())
        error = PMPI_Iprobe(source, tag, comm, &flag, status);
    return error;
}
ALIAS(Probe)

int PMPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                 MPI_Status *status)
{
    struct message *found;
    int error = probe(source, tag, comm, true, &found, status);
    *flag = found != NULL;
    if (found)
        *message = (MPI_Message)found;
    return error;
}
ALIAS(Improbe)

int PMPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    int error = MPI_SUCCESS;
    for (int flag = 0; !flag && !error; abi_pause())
        error = PMPI_Improbe(source, tag, comm, &flag, message, status);
    return error;
}
ALIAS(Mprobe)

int PMPI_Imrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message,
                MPI_Request *request)
{
    struct request *made = abi_request_new(MATCHED, &abi_world);
    made->message = (struct message *)*message;
    made->in = buf;
    made->bytes = (uint64_t)(count * abi_type_size(datatype));
    abi_request_start(made);
    *request = abi_handle(made);
    *message = MPI_MESSAGE_NULL;
    return MPI_SUCCESS;
}
ALIAS(Imrecv)

int PMPI_Mrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message,
               MPI_Status *status)
{
    MPI_Request handle;
    PMPI_Imrecv(buf, count, datatype, message, &handle);
    return abi_error(NULL, abi_request_finish(abi_request(handle), status));
}
ALIAS(Mrecv)

/* ---- persistent requests ---- */

static int keep(enum kind kind, const void *buf, int count, MPI_Datatype datatype, int peer,
                int tag, MPI_Comm comm, bool is_synchronous, MPI_Request *handle)
{
    struct request *request;
    int error = make(kind, buf, count, datatype, peer, tag, comm, &request);
    if (error)
        return error;
    request->is_persistent = true;
    request->is_synchronous = is_synchronous;
    *handle = abi_handle(request);
    return MPI_SUCCESS;
}

int PMPI_Send_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                   MPI_Comm comm, MPI_Request *request)
{
    return keep(SEND, buf, count, datatype, dest, tag, comm, false, request);
}
ALIAS(Send_init)

int PMPI_Ssend_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                    MPI_Comm comm, MPI_Request *request)
{
    return keep(SEND, buf, count, datatype, dest, tag, comm, true, request);
}
ALIAS(Ssend_init)

int PMPI_Recv_init(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                   MPI_Request *request)
{
    return keep(RECV, buf, count, datatype, source, tag, comm, false, request);
}
ALIAS(Recv_init)

int PMPI_Startall(int count, MPI_Request array_of_requests[])
{
    for (int i = 0; i < count; i++)
        abi_request_start(abi_request(array_of_requests[i]));
    return MPI_SUCCESS;
}
ALIAS(Startall)

int PMPI_Start(MPI_Request *request)
{
    return PMPI_Startall(1, request);
}
ALIAS(Start)
