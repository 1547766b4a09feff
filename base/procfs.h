/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about a process from /proc. Raw system calls, no allocation. */
#ifndef SPUR_PROCFS_H
#define SPUR_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spur_procfs_stat {
    char name[32]; /* as cut by the kernel: 15 bytes */
    char state;    /* R, S, D, Z, ... */
    int ppid;
    bool is_of_kernel; /* a thread of the kernel's own */
    uint64_t start;    /* field 22, clock ticks since boot: with the pid, unique for a boot */
};

/* False when there is no such process. */
bool spur_procfs_stat(int pid, struct spur_procfs_stat *stat);

/*
 * Whether a process of the caller's namespace of pids runs. A process that the parent has yet to
 * wait for does not run, and a thread of the kernel's own is no process: on the machine itself such
 * threads have the low pids that processes of containers have. `start`: as above, read by the
 * process, perhaps in another time namespace; 0: not known. In a container without /proc, or with
 * the /proc of another namespace of pids, any process with the pid counts.
 */
bool spur_procfs_runs(int pid, uint64_t start);

enum { SPUR_BOOT_ID_BYTES = 64 };

/* The kernel's name of its boot, read once; "" and false: not known. Safe in signal handlers. */
bool spur_procfs_boot_id(char text[SPUR_BOOT_ID_BYTES]);

/* The namespace in which this process sees pids; 0: not known. */
uint64_t spur_procfs_pid_space(void);
void spur_procfs_after_fork(void); /* the child may be in another namespace */

/*
 * Has the process `pid` of another namespace ended? True only if certain: this process is in the
 * first namespace of the machine, and /proc shows the processes of all namespaces.
 */
bool spur_procfs_has_ended(uint64_t pid_space, int pid);

/* A line of /proc/self/maps. */
struct spur_procfs_mapping {
    uintptr_t start, end;
    uint64_t offset; /* of `start` in the file */
    uint64_t inode;  /* 0: no file */
    bool is_readable;
    bool is_executable;
    const char *path; /* as written by the kernel; "": no path */
};

/*
 * Call `each` for the mappings of this process, by address, until `each` returns false. `room` is
 * for the lines; a line longer than `room` is left out. False: /proc is not there.
 */
bool spur_procfs_each_mapping(char *room, size_t size, void *data,
                              bool (*each)(void *data, const struct spur_procfs_mapping *mapping));

/*
 * Has a process mapped a file whose path ends with `end`? Negative: nobody can tell, since the list
 * of mappings is empty or may not be read.
 */
int spur_procfs_has_mapped(int pid, const char *end);

/* A file's first `size` - 1 bytes, zero-terminated. Returns how many, or -1. */
long spur_procfs_read(const char *path, char *text, size_t size);

#endif
