/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of properties: the agent and finishing write them, commands read them. docs/marks.md. */
#ifndef SPUR_PROPERTIES_H
#define SPUR_PROPERTIES_H

#include "session/counted_kinds.h"

/* Properties of the archive, a location or a location group: missing parts, and the reasons. */
#define SPUR_SAYS_VERSION "SPUR::VERSION"
#define SPUR_SAYS_STOPPED_PROCESSES "SPUR::STOPPED_PROCESSES"
#define SPUR_SAYS_SYNTHESISED_EVENTS "SPUR::SYNTHESISED_EVENTS"
#define SPUR_SAYS_SNAPSHOT "SPUR::SNAPSHOT"
#define SPUR_SAYS_DROPPED_EVENTS "SPUR::DROPPED_EVENTS"
#define SPUR_SAYS_DROPPED_BEFORE "SPUR::DROPPED_BEFORE"
#define SPUR_SAYS_CUT_OFF_LOCATIONS "SPUR::CUT_OFF_LOCATIONS"
#define SPUR_SAYS_CLOCK "SPUR::CLOCK"
#define SPUR_SAYS_DEAD_PROCESSES "SPUR::DEAD_PROCESSES"
#define SPUR_SAYS_MISSING_RANKS "SPUR::MISSING_RANKS"
#define SPUR_SAYS_MISSING_SPAWNED "SPUR::MISSING_SPAWNED"
#define SPUR_SAYS_UNTRACED_PROGRAMS "SPUR::UNTRACED_PROGRAMS"
#define SPUR_SAYS_LEFT_OUT_PROGRAMS "SPUR::LEFT_OUT_PROGRAMS"
#define SPUR_SAYS_PAUSED_PROCESSES "SPUR::PAUSED_PROCESSES"
#define SPUR_SAYS_DAMAGED_PROCESSES "SPUR::DAMAGED_PROCESSES"
#define SPUR_SAYS_FILTERED_REGIONS "SPUR::FILTERED_REGIONS"
#define SPUR_SAYS_MIN_DURATION "SPUR::MIN_DURATION"
#define SPUR_SAYS_FIBRE_CALLS "SPUR::FIBRE_CALLS"
#define SPUR_SAYS_SHORT_CALLS "SPUR::SHORT_CALLS"
#define SPUR_SAYS_STOPPED "SPUR::STOPPED"
#define SPUR_SAYS_STOPPED_AT "SPUR::STOPPED_AT"
/* Followed by "::" and the number of a lock: the name of the lock. */
#define SPUR_SAYS_LOCK "SPUR::LOCK"
/*
 * Followed by "::" and the number of an object: the counts of the object. Without a number: of all
 * objects beyond the limit.
 */
#define SPUR_SAYS_COUNTED "SPUR::COUNTED"

/* Properties of a process, which is a location group. */
#define SPUR_PROPERTY_COMMAND "COMMAND_LINE"
#define SPUR_PROPERTY_DIRECTORY "WORKING_DIRECTORY"
#define SPUR_PROPERTY_EXECUTABLE "EXECUTABLE"
/* The settings that select calls, as far as they differ from the default. */
#define SPUR_PROPERTY_RECORD "RECORD"
#define SPUR_PROPERTY_MPI_GROUPS "MPI_GROUPS"
/* "contended": only locks that a thread had to wait for. */
#define SPUR_PROPERTY_LOCKS "LOCKS"
#define SPUR_PROPERTY_FILTERED "FILTERED_REGIONS"
#define SPUR_PROPERTY_METRICS_MISSING "METRICS_MISSING"
#define SPUR_PROPERTY_RINGS "IO_URING"
#define SPUR_PROPERTY_CLOCK "CLOCK"
#define SPUR_PROPERTY_SAMPLING "SAMPLING"

/* The region in calling contexts of samples taken while the agent was at work. */
#define SPUR_RECORDING "(recording)"

#define SPUR_PROPERTY_HOST "HOST"
#define SPUR_PROPERTY_PID "PID"
#define SPUR_PROPERTY_PPID "PPID"
#define SPUR_PROPERTY_START "START"
#define SPUR_PROPERTY_PLACEMENT "PLACEMENT"
#define SPUR_PROPERTY_USAGE "RESOURCE_USAGE"
#define SPUR_PROPERTY_BATCH "BATCH_SYSTEM"
#define SPUR_PROPERTY_JOB "JOB_ID"
#define SPUR_PROPERTY_JOB_TASK "JOB_TASK"
#define SPUR_PROPERTY_JOB_RESTART "JOB_RESTART"
#define SPUR_PROPERTY_JOB_NODES "JOB_NODES"
#define SPUR_PROPERTY_JOB_PARTITION "JOB_PARTITION"

/*
 * Descriptions of regions seen on stacks: functions in machine code, functions of the interpreter
 * and its libraries that call for a script, and functions of a script.
 */
#define SPUR_FUNCTION_OF_CODE "function"
#define SPUR_FUNCTION_FOR_SCRIPT "function that calls for a script"
#define SPUR_FUNCTION_OF_SCRIPT "function of a script"

/* Attribute of events added by finishing. */
#define SPUR_ATTRIBUTE_SYNTHESISED "spur::synthesised"
/* Attribute of the Enter of a wrapped call: a calling context of the frame that makes the call. */
#define SPUR_ATTRIBUTE_CALL_SITE "spur::call_site"
/*
 * Parameters: a lock whose acquisitions are counted is held, since a given time, by a given thread
 * of the process. The last parameter has the call site as its attribute.
 */
#define SPUR_PARAMETER_HELD_LOCK "spur::held_lock"
#define SPUR_PARAMETER_HELD_SINCE "spur::held_since"
#define SPUR_PARAMETER_HELD_BY "spur::held_by"
/* Attribute of the Enter of a region that stands for several calls: the number of calls. */
#define SPUR_ATTRIBUTE_CALLS "spur::calls"
/* Attribute of the IoOperationBegin of a call that names an offset in the file. */
#define SPUR_ATTRIBUTE_OFFSET "Offset"
/* Of mappings that begin: the number of mapped bytes of the file. */
#define SPUR_ATTRIBUTE_MAPPED "Mapped Bytes"

#endif
