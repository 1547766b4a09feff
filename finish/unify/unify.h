/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Unification: the journals of many processes become one set of definitions, with a map from local
 * to global ids per process. Global ids are dense, in the order of first appearance, process by
 * process. Pure data: no file, no clock, no communication; hostile input costs nothing but its own
 * definitions. Not thread-safe. Memory is the agent's, proportional to the result.
 *
 * The result of unifying is a journal again, and unifying is associative: unify journals in parts,
 * and then the parts in the same order, and you get the same bytes.
 *
 * Beyond what definitions.def says, unification
 *   - moves the members of MPI groups by the `mpi_base` of the process, or of their world, since
 *     several MPI jobs of one session share the list of MPI locations;
 *   - puts the group with the smallest member first in an intercommunicator;
 *   - gives the group of a process's POSIX threads one member, the process's number, and puts
 *     that before the number of a team of OpenMP;
 *   - puts before the first group of ranks or threads of a paradigm the COMM_LOCATIONS group that
 *     such groups index, without members, which finishing fills in;
 *   - puts the process's number before that of the thread that records a metric of its own;
 *   - gives a communicator the last name that it has in the first process that names it.
 */
#ifndef SPUR_UNIFY_H
#define SPUR_UNIFY_H

#include <otf2/otf2.h>

#include "session/journal.h"

struct spur_unify;

struct spur_unify_input {
    const void *journal; /* aligned to 8 */
    uint64_t bytes;
    uint64_t process;       /* its number */
    uint64_t mpi_base;      /* place of rank 0 of its world among all MPI processes */
    const uint64_t *worlds; /* the same of the worlds that it has numbered, by number */
    uint64_t n_worlds;
};

/* Local to global ids of one process. Zero-initialised by the caller; spur_map_free() afterwards.
 */
struct spur_map {
    struct spur_words of[SPUR_SPACES];
};

/* NULL: no memory. */
struct spur_unify *spur_unify_new(void);
void spur_unify_free(struct spur_unify *unify);

/* Add a process; `map` may be NULL. 0, or -ENOMEM. A malformed journal counts up to its fault. */
int spur_unify_add(struct spur_unify *unify, const struct spur_unify_input *input,
                   struct spur_map *map);

/* Find or add a definition of global references; its id, OTF2_UNDEFINED_UINT32: no memory. */
uint32_t spur_unify_define(struct spur_unify *unify, uint32_t kind, const struct spur_cell *cells);
uint32_t spur_unify_string(struct spur_unify *unify, const char *text);

uint32_t spur_unify_count(const struct spur_unify *unify, enum spur_space space);

/* The id-th definition of a space and its cells; borrowed until the next is added. */
void spur_unify_get(const struct spur_unify *unify, enum spur_space space, uint32_t id,
                    struct spur_record *record, struct spur_cell *cells);

/*
 * Name of a definition that is known by its ordinal (a communicator, say), which replaces its cell
 * SPUR_UNIFY_AT_NAME; OTF2_UNDEFINED_STRING: none.
 */
uint32_t spur_unify_name(const struct spur_unify *unify, enum spur_space space, uint32_t id);
enum { SPUR_UNIFY_AT_NAME = 0 };

/* All of it as a journal, without the end mark. 0, or -ENOMEM. */
int spur_unify_journal(const struct spur_unify *unify, struct spur_words *journal);

uint32_t spur_map_get(const struct spur_map *map, enum spur_space space, uint64_t local);
void spur_map_free(struct spur_map *map);

#endif
