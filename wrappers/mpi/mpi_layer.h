/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls that MPI's library makes for one of a file, see agent/spur_layer.h; ends also by
 * unwinding. */
#ifndef MPI_LAYER_H
#define MPI_LAYER_H

#include <stdbool.h>

#include "agent/spur_agent.h"
#include "wrappers/mpi/mpi_file.h"

struct mpi_layer {
    struct spur_layer_file file;
    bool is_open;
    OTF2_CommRef comm; /* of a file that is being opened, with its name */
    mpi_word name;
};

#define MPI_LAYER(name) struct mpi_layer name __attribute__((cleanup(mpi_layer_end), unused))

/* Calls that work on a file that is open, or on none. */
static inline struct mpi_layer mpi_layer_of(OTF2_IoHandleRef file)
{
    return (struct mpi_layer){.file = {.handle = file, .define = NULL}};
}

/* A call that opens one. */
static inline struct mpi_layer mpi_layer_opening(OTF2_CommRef comm, mpi_word name)
{
    return (
        struct mpi_layer){.file = {.handle = OTF2_UNDEFINED_IO_HANDLE, .define = mpi_file_opening},
                          .comm = comm,
                          .name = name};
}

static inline void mpi_layer_begin(struct mpi_layer *layer, struct spur_loc *loc,
                                   struct spur_call *call)
{
    spur_layer_begin(loc, call, &layer->file);
    layer->is_open = true;
}

static inline void mpi_layer_end(struct mpi_layer *layer)
{
    if (layer->is_open)
        spur_layer_end();
    layer->is_open = false;
}

#endif
