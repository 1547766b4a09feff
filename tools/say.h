/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/base/say.h"
