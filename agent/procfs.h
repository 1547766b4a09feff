/* SPDX-License-Identifier: BSD-3-Clause */
/* What /proc tells of a process. Raw system calls, no allocation. */
#ifndef SPUR_PROCFS_H
#define SPUR_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spur_procfs_stat {
    char name[32]; /* as the kernel cuts it: 15 bytes */
    char state;    /* R, S, D, Z, ... */
    int ppid;
    uint64_t start; /* field 22, clock ticks since boot: with the pid, unique for a boot */
};

/* False when there is no such process. */
bool spur_procfs_stat(int pid, struct spur_procfs_stat *stat);

/* The namespace in which this process sees pids; 0: not known. */
uint64_t spur_procfs_pid_space(void);

/* A file's first `size` - 1 bytes, zero-terminated. Returns how many, or -1. */
long spur_procfs_read(const char *path, char *text, size_t size);

#endif
