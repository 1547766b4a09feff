/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The definitions of wrappers. Ids belong to the process, are dense per kind, and are unified at
 * the end. Part of agent/spur_agent.h, which wrappers include; its promises hold here too.
 */
#ifndef SPUR_DEFINE_H
#define SPUR_DEFINE_H

#include <stdbool.h>
#include <stdint.h>

#include <otf2/otf2.h>

#include "session/counted_kinds.h"

struct spur_loc;

/*
 * Equal content gives the same id, except for communicators, which are always new. Strings are
 * copied. Thread-safe. All functions return OTF2_UNDEFINED_UINT32 if recording is off.
 */
OTF2_StringRef spur_def_string(const char *text);
OTF2_AttributeRef spur_def_attribute(const char *name, const char *description, OTF2_Type type);

/* A value of it, for the records that have attributes. */
struct spur_attribute {
    OTF2_AttributeRef id;
    OTF2_Type type;
    OTF2_AttributeValue value;
};

/*
 * The calling context of the frame that a call will return to at that address, for an attribute of
 * type OTF2_TYPE_CALLING_CONTEXT. OTF2_UNDEFINED_CALLING_CONTEXT: the address is in no module.
 */
OTF2_CallingContextRef spur_def_call_site(const void *return_address);
/* That attribute of a call site; undefined: places of calls are not recorded. */
OTF2_AttributeRef spur_def_site_attribute(void);
/*
 * `members`: for paradigm MPI ranks in MPI_COMM_WORLD, or in another job's that was given a number
 * by spur_def_world(): number << 32 | rank. Types and flags as in OTF2.
 */
OTF2_GroupRef spur_def_group(const char *name, OTF2_GroupType type, OTF2_Paradigm paradigm,
                             OTF2_GroupFlag flags, uint32_t n, const uint64_t *members);
/* In groups `number`, from 1 on, means the MPI job of `process`, a spur_process_name(). */
void spur_def_world(uint32_t number, const char *process);
/*
 * A new communicator, distinct from all others of this process even if the group is the same. No
 * message is needed to identify it: every member process defines all communicators with this
 * ordered list of members and this parent, in the same order. `name` may be NULL (unnamed),
 * `parent` OTF2_UNDEFINED_COMM.
 */
OTF2_CommRef spur_def_comm(const char *name, OTF2_GroupRef group, OTF2_CommRef parent,
                           OTF2_CommFlag flags);
/* The same for an intercommunicator, the groups in any order. Shares the id space of communicators.
 */
OTF2_CommRef spur_def_intercomm(const char *name, OTF2_GroupRef group_a, OTF2_GroupRef group_b,
                                OTF2_CommRef common, OTF2_CommFlag flags);
/* For MPI_Comm_set_name and similar calls: the last name counts. */
void spur_def_comm_name(OTF2_CommRef comm, const char *name);

/*
 * A new thread team of OpenMP: a communicator, whose members are added as they appear. *number is
 * for spur_def_team_member(): the calling thread, of `loc`, is the member at `position`. Each
 * thread is a member once; the positions are dense.
 */
OTF2_CommRef spur_def_team(OTF2_CommRef parent, uint32_t *number);
void spur_def_team_member(const struct spur_loc *loc, uint32_t number, uint32_t position);

/*
 * How often the lock of that number was acquired without a record: a property of the process.
 * SPUR_COUNTS_VOID makes all earlier ones void.
 */
struct spur_lock_count {
    uint32_t lock;
    uint32_t threads;
    uint64_t acquisitions, signals;
    uint8_t kind; /* enum spur_counted_kind */
};
#define SPUR_COUNTS_VOID UINT32_MAX
#define SPUR_COUNTS_REST (UINT32_MAX - 1) /* objects that are too many for numbers of their own */
void spur_def_lock_count(const struct spur_lock_count *count);

/* A dimension of a Cartesian topology, and where the calling process is in it. */
struct spur_dimension {
    uint32_t size;
    uint32_t coordinate;
    bool is_periodic;
};

/*
 * The processes of `comm` form a grid of `n` dimensions. The calling process, `rank` in the
 * communicator, has these coordinates. Each process defines its own.
 */
void spur_def_cartesian(OTF2_CommRef comm, uint32_t rank, uint8_t n,
                        const struct spur_dimension *dimension);

/*
 * A new window for one-sided communication. As for communicators, `comm` and the order identify it
 * among the processes.
 */
OTF2_RmaWinRef spur_def_rma_win(const char *name, OTF2_CommRef comm, OTF2_RmaWinFlag flags);
void spur_def_rma_win_name(OTF2_RmaWinRef win, const char *name);

/*
 * A region that the program itself has named. `file` may be NULL. Undefined for a region that a
 * filter leaves out; the same is true of spur_def_region_at().
 */
OTF2_RegionRef spur_def_user_region(const char *name, const char *file, uint32_t line);
/* The same of a function of a program in an interpreter. */
OTF2_RegionRef spur_def_function(const char *name, const char *file, uint32_t line);
OTF2_ParameterRef spur_def_parameter(const char *name, OTF2_ParameterType type);
/* A metric class of one member, which locations record when the program gives values. */
OTF2_MetricRef spur_def_user_metric(const char *name, const char *unit, OTF2_MetricMode mode,
                                    OTF2_Type type);

/*
 * A kind of construct of a programming model that the compiler has replaced by calls. There is a
 * region for each place in the program. One static object per row of a table; never freed.
 */
struct spur_construct {
    const char *name;  /* "parallel" */
    uint8_t role;      /* OTF2_RegionRole */
    uint8_t paradigm;  /* OTF2_Paradigm */
    const char *group; /* region description; NULL: the name */
};

/*
 * The region of a construct. The return address of the compiler's call identifies the construct, or
 * the function that the compiler made of it (spur_place_of()). NULL: the place is unknown; all such
 * constructs are one region. The name comes from debug information when the archive is made: "!$omp
 * parallel @solver.c:42", or else "!$omp parallel @function", or "!$omp parallel @module+0x1234".
 *
 * A known place costs a look-up without a lock, which is async-signal-safe. A new place takes locks
 * of the agent, but none of the loader and no memory of the host's heap. The caller holds the depth
 * guard, which keeps a signal handler of the same thread out.
 */
OTF2_RegionRef spur_def_region_at(const struct spur_construct *construct,
                                  const void *return_address);
/*
 * A function that the compiler has made of a construct, as a place: as if a call returned there,
 * its first byte the call's last. The thread hands the function over in a call that returns to
 * `call`, which gives the place a name if the function has none.
 */
const void *spur_place_of(uintptr_t function, const void *call);

/*
 * An object is about to be unloaded, or was unloaded: the addresses of the object may get another
 * meaning. Lock-free. The number of these calls so far: facts about an address are valid for one
 * number.
 */
void spur_code_unloaded(void);
uint32_t spur_code_unloads(void);

/* I/O interfaces: the rows of io_paradigms.def. These are the numbers for events. */
enum {
#define IO_PARADIGM(NAME, ...) SPUR_IO_##NAME,
#include "session/io_paradigms.def"
#undef IO_PARADIGM
};

/* A file. A relative path starts at the process's working directory. */
OTF2_IoFileRef spur_def_io_file(const char *path);
/*
 * A new handle to a file. `comm`: the processes that opened the handle together, or undefined.
 * `parent`: the handle of another interface that this one uses, or undefined. As for communicators,
 * `file`, `paradigm`, `comm`, `parent` and the order identify the handle among the processes.
 */
OTF2_IoHandleRef spur_def_io_handle(const char *name, OTF2_IoFileRef file,
                                    OTF2_IoParadigmRef paradigm, OTF2_IoHandleFlag flags,
                                    OTF2_CommRef comm, OTF2_IoHandleRef parent);
/*
 * A handle that was open before anybody saw it being opened: pre-created, open in this way. Always
 * a new one, as above.
 */
OTF2_IoHandleRef spur_def_io_found(const char *name, OTF2_IoFileRef file,
                                   OTF2_IoParadigmRef paradigm, OTF2_IoHandleRef parent,
                                   OTF2_IoAccessMode mode, OTF2_IoStatusFlag status);
/* The file has the properties "Mount Point" and "File System Type" of what it lies on. */
void spur_def_io_mount(OTF2_IoFileRef file, int descriptor);
/* An event refers to the paradigm. A handle of it says so by itself. */
void spur_def_io_paradigm(OTF2_IoParadigmRef paradigm);

#endif
