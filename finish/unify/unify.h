/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Unification: the journals of many processes become a single set of definitions, with a map from
 * local to global ids for each process. Global ids are dense, in the order of first appearance,
 * process by process. Pure data: no file, no clock, no communication; hostile input costs nothing
 * but its own definitions. Not thread-safe. Memory is the agent's, proportional to the result.
 *
 * The result of unifying is a journal again, and unifying is associative: unify journals in parts,
 * and then the parts in the same order, and you get the same bytes.
 *
 * Beyond the rules of definitions.def, unification
 *   - moves the members of MPI groups by the `mpi_base` of the process, or of the members' world,
 *     since several MPI jobs of a session share the list of MPI locations;
 *   - puts the group with the smallest member first in an intercommunicator;
 *   - gives the group of a process's POSIX threads a single member, the process's number, and puts
 *     the process's number before the number of a team of OpenMP;
 *   - puts before the first group of ranks or threads of a paradigm the COMM_LOCATIONS group that
 *     the paradigm's groups index, without members, which finishing fills in;
 *   - puts the process's number before the number of the thread that records a metric of its own;
 *   - gives a communicator the last of its names in the first process that names the communicator.
 */
#ifndef SPUR_UNIFY_H
#define SPUR_UNIFY_H

#include <otf2/otf2.h>

#include "session/journal.h"

struct spur_unify;

struct spur_unify_input {
    const void *journal; /* aligned to 8 */
    uint64_t bytes;
    uint64_t process;       /* number of the process */
    uint64_t mpi_base;      /* place of rank 0 of the process's world among all MPI processes */
    const uint64_t *worlds; /* the same of the worlds numbered by the process, by number */
    uint64_t n_worlds;
};

/* Local to global ids of a process. Zero-initialised by the caller; spur_map_free() afterwards. */
struct spur_map {
    struct spur_words of[SPUR_SPACES];
};

/* NULL: no memory. */
struct spur_unify *spur_unify_new(void);
void spur_unify_free(struct spur_unify *unify);

/* Add a process; `map` may be NULL. 0, or -ENOMEM. A malformed journal counts up to the fault. */
int spur_unify_add(struct spur_unify *unify, const struct spur_unify_input *input,
                   struct spur_map *map);

/*
 * Find or add a definition of global references; returns the id, OTF2_UNDEFINED_UINT32: no memory.
 */
uint32_t spur_unify_define(struct spur_unify *unify, uint32_t kind, const struct spur_cell *cells);
uint32_t spur_unify_string(struct spur_unify *unify, const char *text);

uint32_t spur_unify_count(const struct spur_unify *unify, enum spur_space space);

/* The id-th definition of a space and its cells; borrowed until another definition is added. */
void spur_unify_get(const struct spur_unify *unify, enum spur_space space, uint32_t id,
                    struct spur_record *record, struct spur_cell *cells);

/*
 * Name of a definition that is known by its ordinal (a communicator, say), which replaces the cell
 * SPUR_UNIFY_AT_NAME; OTF2_UNDEFINED_STRING: no name.
 */
uint32_t spur_unify_name(const struct spur_unify *unify, enum spur_space space, uint32_t id);
enum { SPUR_UNIFY_AT_NAME = 0 };

/* The whole result as a journal, without the end mark. 0, or -ENOMEM. */
int spur_unify_journal(const struct spur_unify *unify, struct spur_words *journal);

uint32_t spur_map_get(const struct spur_map *map, enum spur_space space, uint64_t local);
void spur_map_free(struct spur_map *map);

#endif
