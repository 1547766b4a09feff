/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of the driver's calls as text; only preprocessed. */
#include <otf2/otf2_foreach.h>

#define ROW_ARGUMENT(Row, type, name) , name
#define PLAIN(symbol, base, since, per_thread, group, ...)                                         \
    row(symbol, base, since, per_thread OTF2_SEQ(ROW_ARGUMENT, symbol, "", __VA_ARGS__))
#include "wrappers/cuda/driver_calls.def"
