/* SPDX-License-Identifier: BSD-3-Clause */
/* Wait and Test, in all their forms. */
#include "abi.h"

static void empty(MPI_Status *status)
{
    if (status != MPI_STATUS_IGNORE)
        abi_status_set(status, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS, 0);
}

/* NULL and inactive requests are not waited for. */
static bool is_active(MPI_Request handle)
{
    const struct request *request = abi_request(handle);
    return request && (!request->is_persistent || request->is_active);
}

/* The request is done: its status, its end. Returns its error. */
static int close(MPI_Request *handle, MPI_Status *status)
{
    struct request *request = abi_request(*handle);
    if (!is_active(*handle)) {
        empty(status);
        return MPI_SUCCESS;
    }
    if (request->kind == GENERALISED) {
        abi_status_set(&request->status, MPI_UNDEFINED, MPI_UNDEFINED, MPI_SUCCESS, 0);
        request->status.MPI_ERROR = request->query(request->state, &request->status);
    }
    int error = request->status.MPI_ERROR;
    if (status != MPI_STATUS_IGNORE)
        *status = request->status;
    request->is_active = false;
    if (!request->is_persistent) {
        abi_request_release(request);
        *handle = MPI_REQUEST_NULL;
    }
    return error;
}

static bool is_done(MPI_Request handle)
{
    return !is_active(handle) || abi_request_test(abi_request(handle));
}

static const struct comm *comm_of(MPI_Request handle)
{
    const struct request *request = abi_request(handle);
    return request ? request->comm : NULL;
}

static MPI_Status *status_at(MPI_Status *statuses, int i)
{
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    const struct comm *comm = comm_of(*request);
    *flag = is_done(*request);
    return *flag ? abi_error(comm, close(request, status)) : MPI_SUCCESS;
}
ALIAS(Test)

int PMPI_Wait(MPI_Request *request, MPI_Status *status)
{
    while (!is_done(*request))
        abi_pause();
    const struct comm *comm = comm_of(*request);
    return abi_error(comm, close(request, status));
}
ALIAS(Wait)

int PMPI_Testall(int count, MPI_Request array_of_requests[], int *flag,
                 MPI_Status array_of_statuses[])
{
    const struct comm *comm = NULL;
    int error = MPI_SUCCESS;
    *flag = 1;
    for (int i = 0; i < count; i++)
        *flag = is_done(array_of_requests[i]) && *flag;
    for (int i = 0; *flag && i < count; i++) {
        const struct comm *own = comm_of(array_of_requests[i]);
        MPI_Status *status = status_at(array_of_statuses, i);
        if (close(&array_of_requests[i], status) != MPI_SUCCESS) {
            error = MPI_ERR_IN_STATUS;
            comm = own;
        }
    }
    return abi_error(comm, error);
}
ALIAS(Testall)

int PMPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status array_of_statuses[])
{
    for (int i = 0; i < count; i++)
        while (!is_done(array_of_requests[i]))
            abi_pause();
    int flag;
    return PMPI_Testall(count, array_of_requests, &flag, array_of_statuses);
}
ALIAS(Waitall)

int PMPI_Testany(int count, MPI_Request array_of_requests[], int *index, int *flag,
                 MPI_Status *status)
{
    bool any = false;
    *index = MPI_UNDEFINED;
    for (int i = 0; i < count; i++) {
        if (!is_active(array_of_requests[i]))
            continue;
        any = true;
        if (!is_done(array_of_requests[i]))
            continue;
        const struct comm *comm = comm_of(array_of_requests[i]);
        *index = i;
        *flag = 1;
        return abi_error(comm, close(&array_of_requests[i], status));
    }
    *flag = !any;
    if (!any)
        empty(status);
    return MPI_SUCCESS;
}
ALIAS(Testany)

int PMPI_Waitany(int count, MPI_Request array_of_requests[], int *index, MPI_Status *status)
{
    int error = MPI_SUCCESS;
    for (int flag = 0; !flag; abi_pause())
        error = PMPI_Testany(count, array_of_requests, index, &flag, status);
    return error;
}
ALIAS(Waitany)

int PMPI_Testsome(int incount, MPI_Request array_of_requests[], int *outcount,
                  int array_of_indices[], MPI_Status array_of_statuses[])
{
    const struct comm *comm = NULL;
    bool any = false;
    int error = MPI_SUCCESS;
    *outcount = 0;
    for (int i = 0; i < incount; i++) {
        if (!is_active(array_of_requests[i]))
            continue;
        any = true;
        if (!is_done(array_of_requests[i]))
            continue;
        comm = comm_of(array_of_requests[i]);
        if (close(&array_of_requests[i], status_at(array_of_statuses, *outcount)) != MPI_SUCCESS)
            error = MPI_ERR_IN_STATUS;
        array_of_indices[(*outcount)++] = i;
    }
    if (!any)
        *outcount = MPI_UNDEFINED;
    return abi_error(comm, error);
}
ALIAS(Testsome)

int PMPI_Waitsome(int incount, MPI_Request array_of_requests[], int *outcount,
                  int array_of_indices[], MPI_Status array_of_statuses[])
{
    int error;
    do {
        error = PMPI_Testsome(incount, array_of_requests, outcount, array_of_indices,
                              array_of_statuses);
        abi_pause();
    } while (*outcount == 0 && !error);
    return error;
}
ALIAS(Waitsome)

int PMPI_Request_free(MPI_Request *request)
{
    struct request *known = abi_request(*request);
    if (!known)
        return abi_error(NULL, MPI_ERR_REQUEST);
    abi_request_release(known);
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}
ALIAS(Request_free)

int PMPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    *flag = is_done(request);
    if (*flag && !is_active(request))
        empty(status);
    else if (*flag && status != MPI_STATUS_IGNORE)
        *status = abi_request(request)->status;
    return MPI_SUCCESS;
}
ALIAS(Request_get_status)
