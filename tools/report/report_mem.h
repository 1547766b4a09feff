/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/base/fail.h"
#include "tools/base/list.h"
#include "tools/base/map.h"

#define report_fail fail
#define report_copy copy_text
#define report_format make_text
#define report_grow list_grow
