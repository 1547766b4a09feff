/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded into ranks of MPICH 4.0 over UCX, so that jobs on several hosts end. In MPI_Finalize
 * this MPICH disconnects from all peers and then waits in a barrier of the process manager. A rank
 * that waits there answers no peer that is still disconnecting, and both wait for ever. (MPICH has
 * no such barrier since 2023, pull request 6596.) Here the wait goes on with the work of UCX.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

static void *worker;

static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

int ucp_worker_create(void *context, const void *params, void **made)
{
    int (*create)(void *, const void *, void **) = next("ucp_worker_create");
    int status = create(context, params, made);
    worker = status ? NULL : *made;
    return status;
}

void ucp_worker_destroy(void *old)
{
    void (*destroy)(void *) = next("ucp_worker_destroy");
    worker = NULL;
    destroy(old);
}

/* What the process manager says comes on a descriptor that it names. */
ssize_t read(int fd, void *to, size_t bytes)
{
    static ssize_t (*real)(int, void *, size_t);
    const char *manager = worker ? getenv("PMI_FD") : NULL;
    if (!real)
        real = next("read");
    if (manager && atoi(manager) == fd) {
        unsigned (*progress)(void *) = dlsym(RTLD_DEFAULT, "ucp_worker_progress");
        struct pollfd answer = {.fd = fd, .events = POLLIN};
        while (poll(&answer, 1, 1) == 0)
            progress(worker);
    }
    return real(fd, to, bytes);
}
