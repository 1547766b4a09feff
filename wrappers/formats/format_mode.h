/* SPDX-License-Identifier: BSD-3-Clause */
/* Which formats are recorded. */
#ifndef FORMAT_MODE_H
#define FORMAT_MODE_H

#include <stdbool.h>

#include "wrappers/formats/format_library.h"

/* In a constructor: does SPUR_IO name the interface, and is its family on? */
bool format_mode_of(const struct format_interface *interface);

#endif
