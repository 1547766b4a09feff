/* SPDX-License-Identifier: BSD-3-Clause */
/* The definitions of the archive, and the properties of all that is in it. */
#ifndef SPUR_FINISH_DEFINE_H
#define SPUR_FINISH_DEFINE_H

#include "finish/state/finish_each.h"

/* ---- finish_clock.c: one time for all ---- */

/* Once the events are there: give each process its line, and say what ClockProperties will. */
int finish_clock(struct finish *f);
OTF2_ErrorCode finish_clock_properties(const struct finish *f, OTF2_GlobalDefWriter *writer);
OTF2_ErrorCode finish_clock_property(const struct finish *f, const struct finish_process *p,
                                     OTF2_GlobalDefWriter *writer);

/* ---- finish_bends.c: processor's clocks that have left the system's ---- */

/* One of them: a straight one in its place, which shows `origin` and runs at `rate`. */
struct finish_bend {
    bool is_there;
    struct spur_clock_pair origin;
    double rate; /* of the longest stretch without a bend, ticks in a ns; 0: not known, */
    double longest_ns;
    const struct finish_process *process; /* that has seen it */
};

/* What a process has seen of the clock. */
void finish_bend_look(struct finish_bend *bend, const struct finish_process *p);
/* If it is there: p->line goes from the times of the process to those of the straight clock. */
void finish_bend_straighten(struct finish_bent *bent, const struct finish_bend *bend,
                            struct finish_process *p);
enum { FINISH_BENDS_BYTES = 192 };
/* When and how much, in words. False: there was nothing. */
bool finish_bends_say(const struct finish *f, char *text, size_t size);

/* ---- finish_names.c: from local to global strings ---- */

/* After unification: give everything that has a name its string, before any is written. */
int finish_names(struct finish *f);

/* ---- finish_code.c: the names of regions that are known by their place in the code ---- */

/*
 * After unification: make a Region of each RegionAt, and of each ContextAt CallingContexts. Places
 * that turn out to be one, of the same line, say, are one region; the processes' maps are changed
 * to that.
 */
int finish_code(struct finish *f);

/* "module+0x1234", of an address in that module, which exists. */
void finish_address(const struct finish *f, uint32_t module, uint64_t offset, char *text,
                    size_t size);
/*
 * "module+0x1234"; "" when it is not known where. Code that the program has made: "[jit]". With a
 * `function`, which begins there in the module of the code, its address instead of the code's.
 */
void finish_code_address(const struct finish *f, uint32_t code, uint64_t function, char *text,
                         size_t size);
/* A path of the module, "" if there is none; borrowed until a definition is added. */
const char *finish_code_path(const struct finish *f, uint32_t code);

/* ---- finish_definitions.c: everything but events ---- */

/* Write local definitions, and the global ones. */
int finish_definitions(struct finish *f);

/* ---- finish_local.c: how the ids of each process translate ---- */

/* Write the local definitions of all locations, into files that are open. 0 or -errno. */
int finish_local(struct finish *f);
extern const struct finish_step finish_local_step;

/* ---- finish_control.c: what was not recorded by intent ---- */

/* Properties of the archive. */
OTF2_ErrorCode finish_control_properties(const struct finish *f);
/* The end of the summary line: "", or what begins with "; ". */
void finish_control_say(const struct finish *f, char *text, size_t size);

/* ---- finish_io.c: I/O paradigms that processes have used, and files ---- */

/* Their strings, before strings are written. */
void finish_io_names(struct finish *f);
OTF2_ErrorCode finish_io_paradigms(struct finish *f, OTF2_GlobalDefWriter *writer);
/* With how it was open, if it was before the process. */
OTF2_ErrorCode finish_io_handle(OTF2_GlobalDefWriter *writer, OTF2_IoHandleRef handle,
                                const struct spur_cell *cells);
/* Of a FileProperty. */
OTF2_ErrorCode finish_io_property(OTF2_GlobalDefWriter *writer, const struct spur_cell *cells);

/*
 * ---- finish_lost.c: what the archive does not hold, and why ----
 *
 * Once the events are there: properties of the locations whose beginning a ring dropped, and of the
 * processes that recorded no more before they ended. The strings are made before any is written.
 */
int finish_lost_regions(struct finish *f); /* 0 or -ENOMEM */
void finish_lost_names(struct finish *f);
OTF2_ErrorCode finish_lost_properties(const struct finish *f, OTF2_GlobalDefWriter *writer);

#endif
