/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/lock.h"

_Thread_local uint32_t spur_locks_held;
