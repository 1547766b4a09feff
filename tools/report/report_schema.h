/* SPDX-License-Identifier: BSD-3-Clause */
/* The JSON Schema (draft 7) of what --json prints: docs/report.schema.json. */
#ifndef TOOLS_REPORT_SCHEMA_H
#define TOOLS_REPORT_SCHEMA_H

#include <stdio.h>

void schema_print(FILE *out);

#endif
