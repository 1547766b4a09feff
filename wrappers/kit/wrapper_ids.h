/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What blocking and non-blocking operations on I/O handles are told apart by: the matchingId of
 * IoOperationBegin and of the records that end it.
 */
#ifndef WRAPPERS_KIT_WRAPPER_IDS_H
#define WRAPPERS_KIT_WRAPPER_IDS_H

#include <stdint.h>

/* Another one at each call, in all threads of the process; never 0. */
uint64_t wrapper_operation_id(void);

#endif
