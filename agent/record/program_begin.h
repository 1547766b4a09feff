/* SPDX-License-Identifier: BSD-3-Clause */
/* What the process is: its command line, as records and properties. */
#ifndef SPUR_PROGRAM_H
#define SPUR_PROGRAM_H

#include "agent/record/location.h"

/* ProgramBegin with the executable and its arguments, at the time of the location; it is owned. */
void spur_program_begin(struct spur_loc *loc);

/* Command line and working directory as properties of the process. */
void spur_program_properties(void);

#endif
