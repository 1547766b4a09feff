/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A file that would grow beyond the limit of the process (ulimit -f, RLIMIT_FSIZE) sends SIGXFSZ to
 * the thread that writes, besides the error EFBIG; a pipe that nobody reads any more sends SIGPIPE.
 * Where the agent writes, the agent takes the signal of the write back; signals from elsewhere that
 * come meanwhile arrive at the release. For the calling thread; system calls only, errno is kept.
 */
#ifndef SPUR_FILE_SIGNAL_H
#define SPUR_FILE_SIGNAL_H

#include <signal.h>
#include <stdint.h>

struct spur_hold_signal {
    uint64_t was_blocked;
    uint64_t was_pending; /* the signal was sent by somebody else */
};

void spur_file_signal_hold(struct spur_hold_signal *hold);
void spur_file_signal_release(const struct spur_hold_signal *hold);

#endif
