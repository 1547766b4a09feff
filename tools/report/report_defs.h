/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/base/defs.h"
#include "tools/report/report_mem.h"
