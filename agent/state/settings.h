/* SPDX-License-Identifier: BSD-3-Clause */
/* What the user has asked of this process: read-only once it has started. */
#ifndef SPUR_STATE_SETTINGS_H
#define SPUR_STATE_SETTINGS_H

#include <stdint.h>

#include "settings/config.h"
#include "settings/families.h"

extern struct spur_config spur_settings;
extern uint64_t spur_families; /* bit 1 << enum spur_family: its calls are recorded */

#endif
