/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/lock.h"

_Thread_local uint32_t spur_locks_held;
