/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/export/export_formats.h"

const struct format *const formats[] = {
    &format_folded,   &format_chrome, &format_csv,
#ifdef SPUR_HAS_SQLITE
    &format_sqlite,
#endif
    &format_perfetto,
};
const size_t n_formats = sizeof formats / sizeof formats[0];
