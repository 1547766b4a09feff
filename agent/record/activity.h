/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SPUR_ACTIVITY_H
#define SPUR_ACTIVITY_H

/* In a child of fork(): the devices are the parent's. */
void spur_device_after_fork(void);

#endif
