/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/base/archive_path.h"
