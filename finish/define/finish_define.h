/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The definitions of the archive, and the properties of the archive, of locations and of processes.
 */
#ifndef SPUR_FINISH_DEFINE_H
#define SPUR_FINISH_DEFINE_H

#include "finish/state/finish_each.h"

/* ---- finish_clock.c: a common time for all processes ---- */

/*
 * Once the events are there: give each process its line, and compute the values for
 * ClockProperties.
 */
int finish_clock(struct finish *f);
OTF2_ErrorCode finish_clock_properties(const struct finish *f, OTF2_GlobalDefWriter *writer);
OTF2_ErrorCode finish_clock_property(const struct finish *f, const struct finish_process *p,
                                     OTF2_GlobalDefWriter *writer);

/* ---- finish_bends.c: processors' clocks that have left the system's clock ---- */

/* A bent clock: replaced by a straight clock, which shows `origin` and runs at `rate`. */
struct finish_bend {
    bool is_there;
    struct spur_clock_pair origin;
    double rate; /* of the longest stretch without a bend, ticks in a ns; 0: not known, */
    double longest_ns;
    const struct finish_process *process; /* the process that has seen the bend */
};

/* Take in a process's readings of the clock. */
void finish_bend_look(struct finish_bend *bend, const struct finish_process *p);
/*
 * If there is a bend: p->line goes from the times of the process to the times of the straight
 * clock.
 */
void finish_bend_straighten(struct finish_bent *bent, const struct finish_bend *bend,
                            struct finish_process *p);
enum { FINISH_BENDS_BYTES = 192 };
/* Times and sizes of the bends, in words. False: no bends. */
bool finish_bends_say(const struct finish *f, char *text, size_t size);

/* ---- finish_names.c: from local to global strings ---- */

/* After unification: make the strings for everything with a name, before any string is written. */
int finish_names(struct finish *f);

/* ---- finish_code.c: the names of regions that are known by their place in the code ---- */

/*
 * After unification: make a Region of each RegionAt, and CallingContexts of each ContextAt. Several
 * places may turn out to be a single region, of the same line, say; the processes' maps are changed
 * to the region.
 */
int finish_code(struct finish *f);

/* "module+0x1234", of an address in an existing module. */
void finish_address(const struct finish *f, uint32_t module, uint64_t offset, char *text,
                    size_t size);
/*
 * "module+0x1234"; "": place unknown. Code made by the program: "[jit]". If `function` is given,
 * the beginning of a function in the module of the code, the text shows the address of the function
 * instead of the code's address.
 */
void finish_code_address(const struct finish *f, uint32_t code, uint64_t function, char *text,
                         size_t size);
/* The path of the code's module, "": no module; borrowed until a definition is added. */
const char *finish_code_path(const struct finish *f, uint32_t code);

/* ---- finish_definitions.c: everything but events ---- */

/* Write the local and the global definitions. */
int finish_definitions(struct finish *f);

/* ---- finish_local.c: translation of each process's ids ---- */

/* Write the local definitions of all locations, into open files. 0 or -errno. */
int finish_local(struct finish *f);
extern const struct finish_step finish_local_step;

/* ---- finish_control.c: parts left out of the recording on purpose ---- */

/* Properties of the archive. */
OTF2_ErrorCode finish_control_properties(const struct finish *f);
/* The end of the summary line: "", or a text that begins with "; ". */
void finish_control_say(const struct finish *f, char *text, size_t size);

/* ---- finish_io.c: I/O paradigms used by processes, and files ---- */

/* Make the strings, before strings are written. */
void finish_io_names(struct finish *f);
OTF2_ErrorCode finish_io_paradigms(struct finish *f, OTF2_GlobalDefWriter *writer);
/* With the mode of the opening, if the handle was open before the process. */
OTF2_ErrorCode finish_io_handle(OTF2_GlobalDefWriter *writer, OTF2_IoHandleRef handle,
                                const struct spur_cell *cells);
/* Of a FileProperty. */
OTF2_ErrorCode finish_io_property(OTF2_GlobalDefWriter *writer, const struct spur_cell *cells);

/*
 * ---- finish_lost.c: the missing parts of the archive, and the reasons ----
 *
 * Once the events are there: properties of the locations whose beginning a ring dropped, and of the
 * processes that recorded no more before their end. The strings are made before any string is
 * written.
 */
int finish_lost_regions(struct finish *f); /* 0 or -ENOMEM */
void finish_lost_names(struct finish *f);
OTF2_ErrorCode finish_lost_properties(const struct finish *f, OTF2_GlobalDefWriter *writer);

#endif
