/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The definitions of this process: interned under process-local ids and appended to the file
 * `journal` in the process's directory, where they outlive the process. The functions that wrappers
 * use are in spur_agent.h. Thread-safe by one lock of this module; cold paths only; errno is kept.
 */
#ifndef SPUR_DEFINITIONS_H
#define SPUR_DEFINITIONS_H

#include <stdint.h>

#include "agent/definitions/metric_member.h"
#include "agent/spur_agent.h"
#include "session/given_names.h"
#include "session/journal.h"

/*
 * Create the journal in the process's directory. 0, or -errno: then every definition is undefined
 * until the next successful call.
 */
int spur_defs_open(const char *dir);
void spur_defs_close(void);
/* Room for what will be defined when the journal can no longer be opened. */
void spur_defs_prepare(void);

/* In a child of fork(): forget the definitions of the parent. The lock may be in any state. */
void spur_defs_forget(void);

/* As spur_def_string(), for definitions and events of the first thread. */
OTF2_StringRef spur_def_text(const char *text);

/* Name and canonical name `call->name`, description `call->group`, source file by the family. */
OTF2_RegionRef spur_def_region(const struct spur_call *call);

/*
 * A module, by its identity as in definitions.def; `size` and `changed` are 0 if the module has a
 * build id. The address `offset` in the module, as linked. A region of `construct` there, `code`
 * may be undefined.
 */
uint32_t spur_def_module(const char *identity, const char *path, uint64_t size, uint64_t changed);
uint32_t spur_def_code(uint32_t module, uint64_t offset);
/* A line of a script, which is a Code too; `begin` is the line where the function begins. */
uint32_t spur_def_script(const char *function, const char *file, uint32_t line, uint32_t begin);
uint32_t spur_def_data(uint32_t module, uint64_t offset);
/* A lock of the process, and the place of the lock. */
void spur_def_lock(uint32_t lock, uint32_t data);
OTF2_RegionRef spur_def_region_in(const struct spur_construct *construct, uint32_t code,
                                  uint32_t call);

/* A place in the call tree: `region` or `code` may be undefined, as definitions.def says. */
uint32_t spur_def_context(uint32_t parent, OTF2_RegionRef region, uint32_t code);

/* Exactly as in OTF2. The members of a class are ids of spur_def_metric_member(). */
uint32_t spur_def_metric_member(const struct spur_metric *metric);
OTF2_MetricRef spur_def_metric_class(uint32_t n, const uint64_t *member,
                                     OTF2_MetricOccurrence occurrence, OTF2_RecorderKind recorder);
/* A metric of the process or of its host, by `scope`, recorded by location `thread` of the
 * process. */
OTF2_MetricRef spur_def_metric_instance(OTF2_MetricRef class, uint32_t thread,
                                        OTF2_MetricScope scope);
/* Interrupts after `period` * 10^`exponent` seconds, or the same number of another counted
 * event. */
uint32_t spur_def_interrupt_generator(const char *name, OTF2_InterruptGeneratorMode mode,
                                      int64_t exponent, uint64_t period);

/* The facts about a thread: the last call counts. `name` NULL: the default. */
void spur_def_location(uint32_t thread, const char *name, OTF2_LocationType type, uint64_t events);

/* A device of the process, numbered from 0 on; and a location of the device. */
void spur_def_device(uint32_t device, const char *name);
void spur_def_stream(uint32_t thread, uint32_t device);

/* A property of the process, such as SPUR_PROPERTY_COMMAND; the last value counts. */
void spur_def_property(const char *name, const char *value);

/* The ProgramBegin of the main thread: strings of this process, at most 255 are kept. */
void spur_def_program(OTF2_StringRef name, uint32_t n, const OTF2_StringRef *arguments);

/*
 * At the time `ticks` of this process the clock `clock` showed `clock_ticks`; `round_trip` is the
 * duration of the exchange, in ticks of this process.
 */
void spur_def_clock_reading(uint64_t ticks, uint64_t clock, uint64_t clock_ticks,
                            uint64_t round_trip);

/* In a child of fork(): the known mounts. The lock may be in any state. */
void spur_io_after_fork(void);

/* A number for a team of OpenMP: dense from 0. */
uint32_t spur_defs_next_team(void);

/*
 * The journal so far; *bytes is NULL when there is none. Borrowed until the next definition by any
 * thread. `path` (may be NULL) is the process's directory, borrowed until the process ends.
 */
uint64_t spur_defs_bytes(const void **bytes, const char **path);

/* A copy of the journal so far. False: no memory. */
bool spur_defs_copy(struct spur_words *journal);

/* The only entry: find or add the definition of these cells; its id, or undefined. */
uint32_t spur_define(uint32_t kind, const struct spur_cell *cells);
/* DEFINE(Region, ...): one value per cell of the row, in its order. */
#define DEFINE(Name, ...)                                                                          \
    spur_define(SPUR_DEFINITION_##Name, (const struct spur_cell[]){__VA_ARGS__})
#define NUMBER(value)                                                                              \
    {                                                                                              \
        (value), NULL                                                                              \
    }

#endif
