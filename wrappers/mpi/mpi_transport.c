/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI counts in int, lengths here have 64 bits, so bytes travel in rounds: in each one every rank
 * moves at most `piece` bytes through a buffer of size * piece bytes at the root. Most jobs need
 * one round. All ranks know the number of rounds, since the root tells them the longest length.
 */
#include "wrappers/mpi/mpi_transport.h"

#include <errno.h>

#include "wrappers/mpi/mpi_library.h"

enum { ROOT = 0 };
static const uint64_t buffer_bytes = UINT64_C(1) << 28;

/* What the root needs for its rounds. */
struct rounds {
    const struct spur_transport *transport;
    uint64_t piece;
    uint64_t longest;
    unsigned char *buffer; /* [size * piece] */
    int *counts;           /* [size] */
    int *displs;           /* [size] */
    size_t memory_bytes;
};

static bool is_root(const struct spur_transport *t)
{
    return t->rank == ROOT;
}

static int result(int ret)
{
    return ret == 0 ? 0 : -EIO;
}

static int bcast(const struct spur_transport *t, void *bytes, uint64_t size)
{
    const struct mpi_library *lib = mpi_library();
    (void)t;
    for (uint64_t at = 0; at < size; at += buffer_bytes) {
        uint64_t n = size - at < buffer_bytes ? size - at : buffer_bytes;
        int ret =
            lib->Bcast((char *)bytes + at, (int)n, lib->layout.byte, ROOT, lib->layout.comm_world);
        if (ret != 0)
            return result(ret);
    }
    return 0;
}

/* Agree on the rounds; `lengths` counts at the root only. The root gets its buffer as well. */
static int rounds_begin(struct rounds *rounds, const struct spur_transport *t,
                        const uint64_t *lengths)
{
    *rounds = (struct rounds){.transport = t};
    if (is_root(t))
        for (uint32_t i = 0; i < t->size; i++)
            if (lengths[i] > rounds->longest)
                rounds->longest = lengths[i];
    int err = bcast(t, &rounds->longest, sizeof rounds->longest);
    if (err)
        return err;
    uint64_t piece = buffer_bytes / t->size;
    piece = piece > 0 ? piece : 1;
    rounds->piece = rounds->longest < piece ? rounds->longest : piece;
    uint64_t has_room = 1;
    if (is_root(t) && rounds->longest > 0) {
        rounds->memory_bytes = t->size * (rounds->piece + 2 * sizeof(int));
        rounds->counts = spur_mem_new(rounds->memory_bytes);
        has_room = rounds->counts != NULL;
        rounds->displs = rounds->counts + t->size;
        rounds->buffer = (unsigned char *)(rounds->displs + t->size);
    }
    /* Everybody must know when the root gives up. */
    err = bcast(t, &has_room, sizeof has_room);
    return err ? err : has_room ? 0 : -ENOMEM;
}

static void rounds_end(struct rounds *rounds)
{
    if (rounds->counts)
        spur_mem_free(rounds->counts, rounds->memory_bytes);
}

/* The part of a length that travels in the round that begins at `at`. */
static int part_of(const struct rounds *rounds, uint64_t length, uint64_t at)
{
    uint64_t left = length > at ? length - at : 0;
    return (int)(left < rounds->piece ? left : rounds->piece);
}

static void count_parts(struct rounds *rounds, const uint64_t *lengths, uint64_t at)
{
    int displ = 0;
    for (uint32_t i = 0; i < rounds->transport->size; i++) {
        rounds->counts[i] = part_of(rounds, lengths[i], at);
        rounds->displs[i] = displ;
        displ += rounds->counts[i];
    }
}

static int gather_rounds(struct rounds *rounds, const void *bytes, uint64_t size,
                         unsigned char *out, const uint64_t *lengths)
{
    const struct mpi_library *lib = mpi_library();
    for (uint64_t at = 0; at < rounds->longest; at += rounds->piece) {
        if (out)
            count_parts(rounds, lengths, at);
        int ret =
            lib->Gatherv((const char *)bytes + (at < size ? at : 0), part_of(rounds, size, at),
                         lib->layout.byte, rounds->buffer, rounds->counts, rounds->displs,
                         lib->layout.byte, ROOT, lib->layout.comm_world);
        if (ret != 0)
            return result(ret);
        unsigned char *to = out;
        for (uint32_t i = 0; out && i < rounds->transport->size; i++) {
            memcpy(to + at, rounds->buffer + rounds->displs[i], (size_t)rounds->counts[i]);
            to += lengths[i];
        }
    }
    return 0;
}

/* Room for all bytes at the root, and everybody knows whether there is. */
static int alloc_all(const struct spur_transport *t, const uint64_t *lengths, void **out)
{
    uint64_t has_room = 1;
    if (is_root(t)) {
        uint64_t bytes = 0;
        for (uint32_t i = 0; i < t->size; i++)
            bytes += lengths[i];
        *out = t->alloc(bytes ? (size_t)bytes : 1);
        has_room = *out != NULL;
    }
    int err = bcast(t, &has_room, sizeof has_room);
    return err ? err : has_room ? 0 : -ENOMEM;
}

static int gather(const struct spur_transport *t, const void *bytes, uint64_t size, void **out,
                  uint64_t *lengths)
{
    const struct mpi_library *lib = mpi_library();
    struct rounds rounds;
    int err = result(lib->Gather(&size, sizeof size, lib->layout.byte, lengths, sizeof size,
                                 lib->layout.byte, ROOT, lib->layout.comm_world));
    if (err)
        return err;
    err = alloc_all(t, lengths, out);
    if (err)
        return err;
    err = rounds_begin(&rounds, t, lengths);
    if (!err)
        err = gather_rounds(&rounds, bytes, size, is_root(t) ? *out : NULL, lengths);
    rounds_end(&rounds);
    return err;
}

static int scatter_rounds(struct rounds *rounds, const unsigned char *in, const uint64_t *lengths,
                          unsigned char *out, uint64_t length)
{
    const struct mpi_library *lib = mpi_library();
    for (uint64_t at = 0; at < rounds->longest; at += rounds->piece) {
        const unsigned char *from = in;
        if (is_root(rounds->transport))
            count_parts(rounds, lengths, at);
        for (uint32_t i = 0; is_root(rounds->transport) && i < rounds->transport->size; i++) {
            memcpy(rounds->buffer + rounds->displs[i], from + (rounds->counts[i] ? at : 0),
                   (size_t)rounds->counts[i]);
            from += lengths[i];
        }
        int ret = lib->Scatterv(rounds->buffer, rounds->counts, rounds->displs, lib->layout.byte,
                                out + (at < length ? at : 0), part_of(rounds, length, at),
                                lib->layout.byte, ROOT, lib->layout.comm_world);
        if (ret != 0)
            return result(ret);
    }
    return 0;
}

static int scatter(const struct spur_transport *t, const void *in, const uint64_t *lengths,
                   void **out, uint64_t *length)
{
    const struct mpi_library *lib = mpi_library();
    struct rounds rounds;
    uint64_t mine = 0;
    int err = result(lib->Scatter(lengths, sizeof mine, lib->layout.byte, &mine, sizeof mine,
                                  lib->layout.byte, ROOT, lib->layout.comm_world));
    if (err)
        return err;
    *length = mine;
    *out = t->alloc(mine ? (size_t)mine : 1);
    err = rounds_begin(&rounds, t, lengths);
    if (!err && *out)
        err = scatter_rounds(&rounds, in, lengths, *out, mine);
    else if (!err)
        err = -ENOMEM;
    rounds_end(&rounds);
    return err;
}

bool mpi_transport_init(struct spur_transport *transport)
{
    const struct mpi_library *lib = mpi_library();
    int rank = 0;
    int size = 0;
    if (!lib->Gather || !lib->Gatherv || !lib->Bcast || !lib->Scatter || !lib->Scatterv ||
        lib->Comm_rank(lib->layout.comm_world, &rank) != 0 ||
        lib->Comm_size(lib->layout.comm_world, &size) != 0)
        return false;
    *transport = (struct spur_transport){.rank = (uint32_t)rank,
                                         .size = (uint32_t)size,
                                         .gather = gather,
                                         .bcast = bcast,
                                         .scatter = scatter};
    return true;
}
