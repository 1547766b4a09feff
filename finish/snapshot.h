/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A copy of the recording so far, while the processes go on: the processes do nothing for the copy
 * and do not stop. All recorded data lie in files, and a record counts once the record is complete.
 * So the copy is consistent if a thread's slot is copied first, then the chunks and the file of the
 * thread, then the definitions. If chunks were reused meanwhile, the slot's count of changes shows
 * the reuse.
 */
#ifndef SPUR_SNAPSHOT_H
#define SPUR_SNAPSHOT_H

#include <stdint.h>

struct spur_snapshot {
    const char *from; /* directory of the session */
    const char *to;   /* of the copy: is made, and must not exist */
    const char *only; /* the only process to copy, by the name of its directory; NULL: all */
    uint64_t copied;  /* processes */
    char away[512];   /* hosts whose processes cannot be read from here; "": no host */
};

/*
 * Copy the session's processes to `to`, including processes that record on this host (SPUR_LOCAL),
 * as files for spur_finish(). 0, or -errno: -ENOENT, nothing is recorded in `from`; -EAGAIN, a
 * thread was too fast to be copied, or the session is just being finished.
 */
int spur_snapshot_copy(struct spur_snapshot *snapshot);

#endif
