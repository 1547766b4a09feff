/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective callbacks of a program that is a single process. They need no data and no context. */
#ifndef FORMAT_SERIAL_H
#define FORMAT_SERIAL_H

#include <otf2/OTF2_Callbacks.h>

extern const OTF2_CollectiveCallbacks otf2_serial_collectives;

#endif
