/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sandbox that refuses one system call, by the kernel's filter (seccomp):
 *     host_refusal list                         the calls that it knows
 *     host_refusal CALL ERROR COMMAND...        ERROR: a number of <errno.h>
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What spur's programs call, or libraries for them, and without what most programs can live. */
static const struct {
    const char *name;
    int number;
} calls[] = {
#define CALL(name) {#name, SYS_##name},
    CALL(clock_gettime) CALL(clock_nanosleep) CALL(clone) CALL(close_range) CALL(copy_file_range)
        CALL(dup3) CALL(faccessat) CALL(faccessat2) CALL(fallocate) CALL(fcntl) CALL(flock)
            CALL(fstat) CALL(fstatfs) CALL(ftruncate) CALL(getcwd) CALL(getdents64) CALL(getrandom)
                CALL(getrusage) CALL(io_uring_setup) CALL(ioctl) CALL(kill) CALL(linkat) CALL(lseek)
                    CALL(madvise) CALL(membarrier) CALL(memfd_create) CALL(mincore) CALL(mkdirat)
                        CALL(mremap) CALL(openat2) CALL(perf_event_open) CALL(pidfd_open)
                            CALL(pidfd_send_signal) CALL(pipe2) CALL(prctl) CALL(prlimit64)
                                CALL(process_vm_readv) CALL(process_vm_writev) CALL(ptrace)
                                    CALL(pwrite64) CALL(readlinkat) CALL(renameat2) CALL(rseq) CALL(
                                        rt_sigpending) CALL(rt_sigtimedwait) CALL(sched_getaffinity)
                                        CALL(setitimer) CALL(setsid) CALL(sigaltstack) CALL(socket)
                                            CALL(statfs) CALL(statx) CALL(symlinkat) CALL(sysinfo)
                                                CALL(timer_create) CALL(timer_settime) CALL(uname)
                                                    CALL(unlinkat) CALL(unshare)
#ifdef SYS_access
                                                        CALL(access) CALL(alarm) CALL(mkdir)
                                                            CALL(poll) CALL(readlink) CALL(renameat)
                                                                CALL(rmdir) CALL(unlink)
#endif
#undef CALL
};

enum { CALLS = sizeof calls / sizeof calls[0] };

static int refuse(int number, int error)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof code[0], code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
    enum { COMMAND = 3, FAILED = 125 };
    for (int i = 0; i < CALLS; i++) {
        if (argc == 2)
            puts(calls[i].name);
        else if (argc > COMMAND && strcmp(calls[i].name, argv[1]) == 0 &&
                 refuse(calls[i].number, atoi(argv[2])) == 0)
            execvp(argv[COMMAND], argv + COMMAND);
    }
    return argc == 2 ? 0 : FAILED;
}
