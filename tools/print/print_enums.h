/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of enumerations as they are printed: FUNCTION, {PHASE, INVALID <0x4>}, INVALID <9>. */
#ifndef PRINT_ENUMS_H
#define PRINT_ENUMS_H

#include "format/names.h"
#include "tools/print/print_output.h"

void put_enum(enum otf2_enum which, uint32_t value);
/* For put_enum() by several threads: all that it would keep. */
void enums_fill(void);

#endif
