/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/file_signal.h"
#include "finish/events/finish_moving.h"

int finish_copy(const char *from, const char *to)
{
    uint64_t size;
    int source = spur_file_open(from, &size);
    if (source < 0)
        return source;
    int target = spur_beneath_open(to, O_WRONLY | O_CREAT | O_EXCL, 0666);
    struct spur_hold_signal hold;
    spur_file_signal_hold(&hold);
    int err = target < 0 ? target : spur_file_copy(source, 0, target, 0, size);
    spur_file_signal_release(&hold);
    spur_file_close(source);
    if (target >= 0 && syscall(SYS_close, target) < 0 && !err)
        err = -errno; /* some file systems say only now that they are full */
    if (err && target >= 0)
        (void)spur_beneath_unlink(to); /* a part of it would be believed to be all */
    return err;
}
