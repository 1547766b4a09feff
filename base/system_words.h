/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The words of the system for its errors and signals, in English. They are tables of ours:
 * functions of glibc that neither translate nor allocate are younger (2.32) than what spur runs on.
 */
#ifndef SPUR_SYSTEM_WORDS_H
#define SPUR_SYSTEM_WORDS_H

/* Such as "No such file or directory" for ENOENT. NULL: there is no such error. */
const char *spur_error_text(int error);

/* Such as "TERM" for SIGTERM. NULL: it has no name, as those of SIGRTMIN to SIGRTMAX. */
const char *spur_signal_name(int signal);

#endif
