/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A child that clone() makes in the memory of its parent, the thread's own included, takes locks
 * while its parent waits. The kernel counts for the two apart: the child has hardly any page
 * faults.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOCKS = 10, PAGES = 500, STACK = 256 << 10 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void lock(void)
{
    for (int i = 0; i < LOCKS; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
}

static int child(void *unused)
{
    (void)unused;
    lock();
    syscall(SYS_exit, 8);
    return 0;
}

int main(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory =
        mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *stack = malloc(STACK);
    int status = 0;
    if (memory == MAP_FAILED || !stack)
        return 1;
    for (size_t i = 0; i < PAGES; i++)
        memory[i * page] = 1;
    lock();
    pid_t pid = clone(child, stack + STACK,
                      CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | SIGCHLD, NULL);
    if (pid < 0 || syscall(SYS_wait4, pid, &status, 0, NULL) != pid)
        return 1;
    lock();
    return WIFEXITED(status) && WEXITSTATUS(status) == 8 ? 0 : 2;
}
