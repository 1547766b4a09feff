/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A copy of what processes have recorded so far, while they go on: they do nothing for it and do
 * not stop. All that they record lies in files, and a record counts once it is complete. So the
 * copy holds together if a thread's slot is copied first, then its chunks and its file, then the
 * definitions. If chunks were used again meanwhile, the slot's count of changes tells.
 */
#ifndef SPUR_SNAPSHOT_H
#define SPUR_SNAPSHOT_H

#include <stdint.h>

struct spur_snapshot {
    const char *from; /* directory of the session */
    const char *to;   /* of the copy: it is made, and must not exist */
    const char *only; /* the one process to copy, by the name of its directory; NULL: all */
    uint64_t copied;  /* processes */
    char away[512];   /* hosts whose processes cannot be read from here; "": none */
};

/*
 * Copy the session's processes, those that record on this host (SPUR_LOCAL) too, to `to`, as files
 * that spur_finish() makes an archive of. 0, or -errno: -ENOENT, nothing is recorded there;
 * -EAGAIN, a thread was too fast to be copied, or the session is just being finished.
 */
int spur_snapshot_copy(struct spur_snapshot *snapshot);

#endif
