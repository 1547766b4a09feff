/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/futex.h>
#include <linux/magic.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/mapping.h"
#include "base/own_stack.h"
#include "base/quiet.h"
#include "base/sharers.h"

/* Of glibc 2.32 and newer. */
#pragma weak __libc_single_threaded

enum {
    STACK_BYTES = 256 << 10,
    COPIED = 64 /* descriptors: the least number the kernel copies for a table of its own */
};

/* A thread like the threads of pthread_create(), but with the caller's thread-local memory. */
enum {
    FLAGS = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
            CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID
};

struct errand {
    int (*call)(void *data);
    void *data;
    int result;
    bool is_done;
    _Atomic int32_t tid; /* of the thread: the kernel clears the word at the end */
};

static _Atomic(char *) spare; /* an unused stack */

/*
 * Runs the errand with an empty table of descriptors. The standard descriptors stay, so no
 * descriptor of the agent gets their numbers. If the kernel lacks the call, or a sandbox forbids
 * the call, the errand is left to the caller.
 */
__attribute__((used)) static int run_errand(void *data)
{
    struct errand *errand = data;
    if (syscall(SYS_close_range, STDERR_FILENO + 1U, ~0U, CLOSE_RANGE_UNSHARE) == 0 ||
        syscall(SYS_unshare, CLONE_FILES) == 0) {
        errand->result = errand->call(errand->data);
        errand->is_done = true;
    }
    return 0;
}

/*
 * If possible, clone(3) is not used: clone(3) is wrapped, and the look-up of the real function
 * takes locks.
 */
/* NOLINTNEXTLINE(readability-non-const-parameter): the new thread's stack */
static long start_thread(char *stack_end, struct errand *errand)
{
#ifdef __x86_64__
    long ret;
    register void *clears __asm__("r10") = &errand->tid;
    __asm__ volatile("syscall\n\t"
                     "test %%rax, %%rax\n\t"
                     "jnz 1f\n\t"
                     "mov %[errand], %%rdi\n\t"
                     "call *%[run]\n\t"
                     "xor %%edi, %%edi\n\t"
                     "mov %[end], %%eax\n\t"
                     "syscall\n\t"
                     "1:"
                     : "=a"(ret)
                     : "0"((long)SYS_clone), "D"((long)FLAGS), "S"(stack_end), "d"(&errand->tid),
                       "r"(clears), [errand] "r"(errand), [run] "r"(run_errand), [end] "i"(SYS_exit)
                     : "rcx", "r11", "cc", "memory");
    return ret;
#else
    return clone(run_errand, stack_end, FLAGS, errand, &errand->tid, NULL, &errand->tid);
#endif
}

static void wait_for(struct errand *errand)
{
    int32_t tid;
    while ((tid = atomic_load_explicit(&errand->tid, memory_order_acquire)) != 0)
        syscall(SYS_futex, &errand->tid, FUTEX_WAIT, tid, NULL, NULL, 0);
}

/* False: nothing was done. */
static bool run_beside(struct errand *errand)
{
    char *stack = atomic_exchange_explicit(&spare, NULL, memory_order_acquire);
    if (!stack)
        stack = spur_map_anonymous(STACK_BYTES);
    if (!stack)
        return false;
    /* Valgrind asks for the owner of the memory: the address must not be behind the end. */
    enum { WITHIN = 16 };
    if (start_thread(stack + STACK_BYTES - WITHIN, errand) > 0)
        wait_for(errand);
    stack = atomic_exchange_explicit(&spare, stack, memory_order_acq_rel);
    if (stack)
        spur_unmap(stack, STACK_BYTES);
    return errand->is_done;
}

bool spur_is_alone(void)
{
    return &__libc_single_threaded && __libc_single_threaded;
}

/* File systems that do nothing when a descriptor is closed and the file stays open. */
static bool closes_quietly(int fd)
{
    static const long quiet[] = {EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC,
                                 TMPFS_MAGIC,      RAMFS_MAGIC,     HUGETLBFS_MAGIC};
    struct statfs info;
    if (syscall(SYS_fstatfs, fd, &info) != 0)
        return false;
    for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++)
        if (info.f_type == quiet[i])
            return true;
    return false;
}

static bool is_written_back(int fd)
{
    struct stat info;
    const long flags = syscall(SYS_fcntl, fd, F_GETFL);
    if (flags < 0 || (flags & O_PATH) || (flags & O_ACCMODE) == O_RDONLY)
        return false;
    return fstat(fd, &info) != 0 || (S_ISREG(info.st_mode) && !closes_quietly(fd));
}

bool spur_apart_is_harmless(void)
{
    if (spur_is_alone())
        return true;
    if (syscall(SYS_close_range, ~0U, ~0U, 0) != 0)
        return false;
    for (int fd = 0; fd < COPIED; fd++)
        if (is_written_back(fd))
            return false;
    return true;
}

int spur_apart_long(int (*call)(void *data), void *data)
{
    return spur_is_alone() ? call(data) : spur_apart(call, data);
}

static void run_masked(void *arg)
{
    struct errand *errand = arg;
    const uint64_t all = SPUR_QUIET_SIGNALS;
    uint64_t before = 0;
    int cancel;
    bool is_masked = syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &before, sizeof all) == 0;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    spur_sharers.is_apart = true;
    if (spur_is_alone() || !run_beside(errand))
        errand->result = errand->call(errand->data);
    spur_sharers.is_apart = false;
    pthread_setcancelstate(cancel, NULL);
    if (is_masked)
        syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
}

int spur_apart(int (*call)(void *data), void *data)
{
    struct errand errand = {.call = call, .data = data};
    if (spur_sharers.is_apart)
        return call(data);
    spur_on_own_stack(run_masked, &errand);
    return errand.result;
}
