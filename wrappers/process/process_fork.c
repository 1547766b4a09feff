/* SPDX-License-Identifier: BSD-3-Clause */
/* New processes that need more than the call of a real function: vfork(), clone(), daemon(). */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "wrappers/process/process_real.h"

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): reserved in the headers */

/* ---- vfork() ---- */

#if defined(__x86_64__) || defined(__aarch64__) || defined(__riscv)
/*
 * The child runs on the stack of the calling function until the child ends or becomes another
 * program. The child uses all other memory of the thread as well. Calls of the child must not be
 * recorded, so the guard stays up until the parent goes on.
 */
static _Thread_local struct spur_loc *vfork_loc; /* of the outermost call */
static _Thread_local unsigned vforks;            /* under way: a child may call vfork(), too */

/* Called by the code below only. */
__attribute__((used, visibility("hidden"))) void process_vfork_begin(void);
__attribute__((used, visibility("hidden"))) pid_t process_vfork_end(long ret);

void process_vfork_begin(void)
{
    if (spur_is_sharer())
        return;
    struct spur_loc *loc = spur_enter(&process_calls[PROCESS_vfork].call);
    if (!loc)
        spur_inside_begin();
    if (vforks++ == 0)
        vfork_loc = loc;
}

static void leave_vfork(void)
{
    if (--vforks == 0 && vfork_loc)
        spur_leave_now(vfork_loc, &process_calls[PROCESS_vfork].call);
    else
        spur_inside_end();
}

/* In the parent, with the kernel's result. */
pid_t process_vfork_end(long ret)
{
    spur_environment_reclaim();
    if (!spur_is_sharer())
        leave_vfork();
    if (ret >= 0)
        return (pid_t)ret;
    errno = (int)-ret;
    return -1;
}

/*
 * The child returns first, and may then overwrite the return address on the stack. So the address
 * is kept in a register: the kernel gives the register back to the parent unchanged.
 */
#if defined(__x86_64__)
_Static_assert(SYS_vfork == 58, "the number in the code below");
__asm__(".pushsection .text\n"
        ".globl vfork\n"
        ".type vfork, @function\n"
        "vfork:\n"
        "    .cfi_startproc\n"
        "    subq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    call process_vfork_begin\n"
        "    addq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rdi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    .cfi_register %rip, %rdi\n"
        "    movl $58, %eax\n"
        "    syscall\n"
        "    pushq %rdi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .cfi_rel_offset %rip, 0\n"
        "    testq %rax, %rax\n"
        "    jz 1f\n"
        "    subq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    movq %rax, %rdi\n"
        "    call process_vfork_end\n"
        "    addq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "1:  ret\n"
        "    .cfi_endproc\n"
        ".size vfork, . - vfork\n"
        ".popsection\n");
#else
/* Processors younger than clone() have no separate call for vfork(). */
_Static_assert(SYS_clone == 220 && (CLONE_VM | CLONE_VFORK | SIGCHLD) == 0x4111,
               "the numbers in the code below");
#if defined(__aarch64__)
/* hint #34 is bti c: where branches are guarded, stubs of the linker may lead here. */
__asm__(".pushsection .text\n"
        ".globl vfork\n"
        ".type vfork, %function\n"
        "vfork:\n"
        "    .cfi_startproc\n"
        "    hint #34\n"
        "    stp x29, x30, [sp, #-16]!\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset x29, -16\n"
        "    .cfi_offset x30, -8\n"
        "    bl process_vfork_begin\n"
        "    ldp x29, x30, [sp], #16\n"
        "    .cfi_def_cfa_offset 0\n"
        "    .cfi_restore x29\n"
        "    .cfi_restore x30\n"
        "    mov x0, #0x4111\n"
        "    mov x1, #0\n"
        "    mov x2, #0\n"
        "    mov x3, #0\n"
        "    mov x4, #0\n"
        "    mov x8, #220\n"
        "    svc #0\n"
        "    cbz x0, 1f\n"
        "    stp x29, x30, [sp, #-16]!\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset x29, -16\n"
        "    .cfi_offset x30, -8\n"
        "    bl process_vfork_end\n"
        "    ldp x29, x30, [sp], #16\n"
        "    .cfi_def_cfa_offset 0\n"
        "    .cfi_restore x29\n"
        "    .cfi_restore x30\n"
        "1:  ret\n"
        "    .cfi_endproc\n"
        ".size vfork, . - vfork\n"
        ".popsection\n");
#else
__asm__(".pushsection .text\n"
        ".globl vfork\n"
        ".type vfork, @function\n"
        "vfork:\n"
        "    .cfi_startproc\n"
        "    addi sp, sp, -16\n"
        "    .cfi_def_cfa_offset 16\n"
        "    sd ra, 8(sp)\n"
        "    .cfi_offset ra, -8\n"
        "    call process_vfork_begin\n"
        "    ld ra, 8(sp)\n"
        "    .cfi_restore ra\n"
        "    addi sp, sp, 16\n"
        "    .cfi_def_cfa_offset 0\n"
        "    li a0, 0x4111\n"
        "    li a1, 0\n"
        "    li a2, 0\n"
        "    li a3, 0\n"
        "    li a4, 0\n"
        "    li a7, 220\n"
        "    ecall\n"
        "    beqz a0, 1f\n"
        "    addi sp, sp, -16\n"
        "    .cfi_def_cfa_offset 16\n"
        "    sd ra, 8(sp)\n"
        "    .cfi_offset ra, -8\n"
        "    call process_vfork_end\n"
        "    ld ra, 8(sp)\n"
        "    .cfi_restore ra\n"
        "    addi sp, sp, 16\n"
        "    .cfi_def_cfa_offset 0\n"
        "1:  ret\n"
        "    .cfi_endproc\n"
        ".size vfork, . - vfork\n"
        ".popsection\n");
#endif
#endif
#else
/* The standard of vfork() allows a plain fork(), and C cannot do more. */
SPUR_EXPORT pid_t vfork(void)
{
    return fork();
}
#endif

/* ---- clone() ---- */

struct start {
    int (*function)(void *);
    void *argument;
    struct wrapper_frame *frame;
};

/*
 * The child's memory is its own: a copy of the parent's, the call of clone() included. The C
 * library does not see the end of the child.
 */
static int run_child(void *data)
{
    const struct start start = *(const struct start *)data;
    spur_process_forked();
    wrapper_frame_end(start.frame);
    int status = start.function(start.argument);
    spur_process_end(status & 0xff);
    return status;
}

void process_shares(uint64_t flags, uint64_t stack)
{
    if ((flags & (CLONE_VM | CLONE_VFORK | CLONE_SETTLS)) == CLONE_VM)
        spur_thread_shares((uintptr_t)stack);
}

/*
 * A child that shares memory with the caller is left alone: the child may have no memory of a
 * thread at all, or the caller's. If the caller waits meanwhile, as the caller of vfork() does, the
 * raised guard keeps the child from recording.
 */
SPUR_EXPORT int clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
    va_list args;
    va_start(args, argument);
    pid_t *parent_tid = va_arg(args, pid_t *);
    void *tls = va_arg(args, void *);
    pid_t *child_tid = va_arg(args, pid_t *);
    va_end(args);
    bool is_vfork = (flags & (CLONE_VM | CLONE_VFORK | CLONE_SETTLS)) == (CLONE_VM | CLONE_VFORK);
    bool is_process = is_vfork || !(flags & CLONE_VM);
    PROCESS_FRAME(frame, PROCESS_clone, is_process);
    process_shares((unsigned)flags, (uintptr_t)stack);
    if (flags & CLONE_VM || !function)
        return PROCESS_REAL(clone)(function, stack, flags, argument, parent_tid, tls, child_tid);
    struct start start = {function, argument, &frame};
    return PROCESS_REAL(clone)(run_child, stack, flags, &start, parent_tid, tls, child_tid);
}

/* ---- daemon() ---- */

/* Standard input, output and error become /dev/null; the same errors as in the C library. */
static int take_null_device(void)
{
    enum { NULL_MAJOR = 1, NULL_MINOR = 3 };
    struct stat info;
    int fd = open("/dev/null", O_RDWR);
    if (fd < 0)
        return -1;
    if (fstat(fd, &info) < 0 || !S_ISCHR(info.st_mode) ||
        info.st_rdev != makedev(NULL_MAJOR, NULL_MINOR)) {
        close(fd);
        errno = ENODEV;
        return -1;
    }
    for (int to = STDIN_FILENO; to <= STDERR_FILENO; to++)
        dup2(fd, to);
    if (fd > STDERR_FILENO)
        close(fd);
    return 0;
}

/*
 * Written anew: in the C library's daemon() the parent ends unseen. Here the parent ends by the
 * wrapped _exit().
 */
SPUR_EXPORT int daemon(int keeps_directory, int keeps_streams)
{
    PROCESS_FRAME(frame, PROCESS_daemon, true);
    pid_t pid = PROCESS_REAL(fork)();
    if (pid < 0)
        return -1;
    if (pid > 0) {
        wrapper_frame_end(&frame);
        _exit(0);
    }
    spur_process_forked();
    wrapper_frame_end(&frame);
    if (setsid() == -1)
        return -1;
    if (!keeps_directory)
        (void)!chdir("/");
    return keeps_streams ? 0 : take_null_device();
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
