/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What wrappers define: ids are the process's own, dense per kind, and unified at the end. Part of
 * agent/spur_agent.h, by which wrappers get it, and whose promises hold here.
 */
#ifndef SPUR_DEFINE_H
#define SPUR_DEFINE_H

#include <stdbool.h>
#include <stdint.h>

#include <otf2/otf2.h>

struct spur_loc;

/*
 * Each interns: equal content gives the same id (but for communicators, which are always new).
 * Strings are copied. Thread-safe. All return OTF2_UNDEFINED_UINT32 when recording is off.
 */
OTF2_StringRef spur_def_string(const char *text);
/*
 * `members`: for paradigm MPI ranks in MPI_COMM_WORLD, or in another job's that was given a number
 * by spur_def_world(): number << 32 | rank. Types and flags as in OTF2.
 */
OTF2_GroupRef spur_def_group(const char *name, OTF2_GroupType type, OTF2_Paradigm paradigm,
                             OTF2_GroupFlag flags, uint32_t n, const uint64_t *members);
/* In groups `number`, from 1 on, means the MPI job of `process`, a spur_process_name(). */
void spur_def_world(uint32_t number, const char *process);
/*
 * A new communicator, distinct from all others of this process even if the group is the same. The
 * processes' definitions of one communicator are recognised by this: every member process defines
 * every communicator with that ordered list of members and that parent, and in the same order.
 * So no message is needed to name it. `name` may be NULL (unnamed), `parent` OTF2_UNDEFINED_COMM.
 */
OTF2_CommRef spur_def_comm(const char *name, OTF2_GroupRef group, OTF2_CommRef parent,
                           OTF2_CommFlag flags);
/* The same for an intercommunicator, the groups in any order. Shares the id space of communicators.
 */
OTF2_CommRef spur_def_intercomm(const char *name, OTF2_GroupRef group_a, OTF2_GroupRef group_b,
                                OTF2_CommRef common, OTF2_CommFlag flags);
/* MPI_Comm_set_name and the like: the last name counts. */
void spur_def_comm_name(OTF2_CommRef comm, const char *name);

/*
 * A new thread team of OpenMP: a communicator of its own, whose members are added as they are seen.
 * *number is for spur_def_team_member(): the calling thread, of `loc`, is the one at `position`.
 * Each thread is a member once; the positions are dense.
 */
OTF2_CommRef spur_def_team(OTF2_CommRef parent, uint32_t *number);
void spur_def_team_member(const struct spur_loc *loc, uint32_t number, uint32_t position);

/* A dimension of a Cartesian topology, and where the calling process is in it. */
struct spur_dimension {
    uint32_t size;
    uint32_t coordinate;
    bool is_periodic;
};

/*
 * The processes of `comm` form a grid of `n` dimensions, in which the calling one, `rank` in the
 * communicator, has these coordinates. Each process tells its own.
 */
void spur_def_cartesian(OTF2_CommRef comm, uint32_t rank, uint8_t n,
                        const struct spur_dimension *dimension);

/*
 * A new window for one-sided communication; the processes' definitions of one are recognised as
 * those of a communicator are: by `comm` and the order.
 */
OTF2_RmaWinRef spur_def_rma_win(const char *name, OTF2_CommRef comm, OTF2_RmaWinFlag flags);
void spur_def_rma_win_name(OTF2_RmaWinRef win, const char *name);

/*
 * A region that the program itself has named, and what it says of it. `file` may be NULL. Undefined
 * for a region that a filter leaves out, as from spur_def_region_at().
 */
OTF2_RegionRef spur_def_user_region(const char *name, const char *file, uint32_t line);
OTF2_ParameterRef spur_def_parameter(const char *name, OTF2_ParameterType type);
/* A metric class of one member, which locations record when the program says so. */
OTF2_MetricRef spur_def_user_metric(const char *name, const char *unit, OTF2_MetricMode mode,
                                    OTF2_Type type);

/*
 * A kind of construct of a programming model, the code of which the compiler has replaced: there is
 * a region for each place in the program. One static object per row of a table; never freed.
 */
struct spur_construct {
    const char *name;  /* "parallel" */
    uint8_t role;      /* OTF2_RegionRole */
    uint8_t paradigm;  /* OTF2_Paradigm */
    const char *group; /* region description; NULL: the name */
};

/*
 * The region of a construct, known by the address to which the call that the compiler has made of
 * it returns (of the call's own instruction, that is). NULL: not known where, one region for all
 * such. Its name comes from debug information when the archive is made: "!$omp parallel
 * @solver.c:42", or else "!$omp parallel @function", or "!$omp parallel @module+0x1234".
 *
 * A place that was seen before costs a look-up without a lock, which is async-signal-safe. A new
 * one takes locks of the agent, but none of the loader's and no memory of the host's heap: a caller
 * holds the depth guard, which keeps a signal handler of the same thread out.
 */
OTF2_RegionRef spur_def_region_at(const struct spur_construct *construct,
                                  const void *return_address);

/* An object has been unloaded: its addresses may come to mean something else. Lock-free. */
void spur_code_unloaded(void);

/* I/O interfaces: the rows of io_paradigms.def. These are the numbers for events. */
enum {
#define IO_PARADIGM(NAME, ...) SPUR_IO_##NAME,
#include "session/io_paradigms.def"
#undef IO_PARADIGM
};

/* A file. A relative path is one from the process's working directory. */
OTF2_IoFileRef spur_def_io_file(const char *path);
/*
 * A new handle to a file. `comm` is who has opened it together, or undefined; `parent` is the
 * handle of another interface that this one uses, or undefined. The processes' definitions of one
 * are recognised as those of a communicator are: by `file`, `paradigm`, `comm`, `parent` and the
 * order.
 */
OTF2_IoHandleRef spur_def_io_handle(const char *name, OTF2_IoFileRef file,
                                    OTF2_IoParadigmRef paradigm, OTF2_IoHandleFlag flags,
                                    OTF2_CommRef comm, OTF2_IoHandleRef parent);

#endif
