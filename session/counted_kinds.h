/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects whose acquisitions are counted: wrappers/pthread/pthread_count.h. */
#ifndef SESSION_COUNTED_KINDS_H
#define SESSION_COUNTED_KINDS_H

enum spur_counted_kind { SPUR_COUNTED_LOCK, SPUR_COUNTED_SEMAPHORE, SPUR_COUNTED_CONDITION };
#define SPUR_COUNTED_KINDS                                                                         \
    {                                                                                              \
        "lock", "semaphore", "condition"                                                           \
    }

#endif
