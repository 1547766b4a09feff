/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptors, files and limits, and libraries that come and go. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "soak.h"

static int open_data(uint64_t number, char *path)
{
    snprintf(path, PATH_MAX + 32, "%s/data.%llu", soak_folder, (unsigned long long)number);
    return open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
}

/* The lowest that is free: the agent has none. */
void soak_op_numbers(struct soak_actor *actor)
{
    int fds[6];
    for (int i = 0; i < 6; i++) {
        soak_note(actor, fds[i] = open("/dev/null", O_RDONLY | O_CLOEXEC));
        soak_calls(2);
    }
    for (int i = 0; i < 6; i++)
        soak_note(actor, close(fds[i]));
    errno = 0;
    soak_note(actor, close(fds[5]));
    soak_note(actor, errno);
}

void soak_op_close_range(struct soak_actor *actor)
{
    unsigned first = (unsigned)soak_draw(actor, 4);
    for (int i = 0; i < 5; i++) {
        soak_note(actor, syscall(SYS_close_range, first, UINT_MAX, 0));
        soak_calls(500);
    }
    soak_note(actor, fcntl(0, F_GETFD));
    soak_note(actor, fcntl(2, F_GETFD));
}

void soak_op_close_all(struct soak_actor *actor)
{
    int closed = 0;
    for (int fd = (int)soak_draw(actor, 3); fd < 1024; fd++)
        closed += close(fd) == 0;
    soak_calls(500);
    soak_note(actor, closed);
}

/* A file of data takes the place of a standard descriptor; what is in it is compared as well. */
void soak_op_data_file(struct soak_actor *actor)
{
    char path[PATH_MAX + 32];
    uint64_t number = soak_draw(actor, 1000000);
    int place = (int)soak_draw(actor, 3);
    int fd = open_data(number, path);
    if (fd != place) {
        soak_note(actor, dup2(fd, place));
        close(fd);
    }
    soak_calls(1000);
    soak_note(actor, write(place, "data\n", 5));
    soak_note(actor, lseek(place, 0, SEEK_CUR));
}

/* Numbers that are free for a moment only, while others record: what is there is never another's.
 */
void soak_op_reuse(struct soak_actor *actor)
{
    char path[PATH_MAX + 32], text[64];
    int64_t total = 0;
    int fd = open_data(soak_draw(actor, 1000000), path);
    for (int i = 0; i < 200; i++) {
        total += write(fd, "0123456789", 10);
        int other = fcntl(fd, F_DUPFD_CLOEXEC, 0);
        close(fd);
        soak_calls(20);
        fd = other;
    }
    soak_note(actor, total);
    soak_note(actor, lseek(fd, 1990, SEEK_SET));
    ssize_t n = read(fd, text, sizeof text);
    soak_note(actor, n);
    soak_note(actor, n == 10 && memcmp(text, "0123456789", 10) == 0);
    close(fd);
}

void soak_op_few_descriptors(struct soak_actor *actor)
{
    struct rlimit before, few;
    getrlimit(RLIMIT_NOFILE, &before);
    few = before;
    few.rlim_cur = soak_draw(actor, 2) ? 0 : 5;
    soak_note(actor, setrlimit(RLIMIT_NOFILE, &few));
    soak_calls(3000);
    soak_note(actor, fcntl(0, F_DUPFD, (int)few.rlim_cur));
    soak_note(actor, setrlimit(RLIMIT_NOFILE, &before));
}

void soak_op_no_memory(struct soak_actor *actor)
{
    struct rlimit before, little;
    getrlimit(RLIMIT_AS, &before);
    little = before;
    little.rlim_cur = soak_draw(actor, 2) ? 1 << 20 : 1 << 28;
    soak_note(actor, setrlimit(RLIMIT_AS, &little));
    soak_calls(3000);
    errno = 0;
    void *block = mmap(NULL, 1UL << 32, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    soak_note(actor, block == MAP_FAILED ? errno : 0);
    soak_note(actor, setrlimit(RLIMIT_AS, &before));
}

/* The main thread of the next program has this stack. */
void soak_op_small_stack(struct soak_actor *actor)
{
    struct rlimit limit = {.rlim_max = RLIM_INFINITY};
    static const rlim_t sizes[] = {32 << 10, 64 << 10, 256 << 10};
    getrlimit(RLIMIT_STACK, &limit);
    limit.rlim_cur = sizes[soak_draw(actor, 3)];
    pid_t pid = fork();
    if (pid == 0) {
        setrlimit(RLIMIT_STACK, &limit);
        execl(soak_program, "soak", "--say", "17", NULL);
        _exit(126);
    }
    soak_note_child(actor, pid, NULL);
}

void soak_op_small_files(struct soak_actor *actor)
{
    struct rlimit limit;
    char path[PATH_MAX + 32], text[200] = "text";
    int fd = open_data(soak_draw(actor, 1000000), path);
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = soak_draw(actor, 2) ? 0 : 100;
    signal(SIGXFSZ, soak_draw(actor, 2) ? SIG_IGN : SIG_DFL);
    soak_note(actor, setrlimit(RLIMIT_FSIZE, &limit));
    soak_calls(10000);
    errno = 0;
    soak_note(actor, write(fd, text, sizeof text));
    soak_note(actor, errno);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_FSIZE, &limit);
    close(fd);
}

void soak_op_folders(struct soak_actor *actor)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/folder.%llu", soak_folder,
             (unsigned long long)soak_draw(actor, 1000000));
    soak_note(actor, mkdir(path, 0755));
    soak_note(actor, chdir(path));
    soak_calls(1000);
    soak_note(actor, rmdir(path));
    soak_calls(100);
    soak_note(actor, chdir(soak_folder));
}

void soak_op_library(struct soak_actor *actor)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s.plugin.so", soak_program);
    for (uint64_t i = 1 + soak_draw(actor, 3); i > 0; i--) {
        void *library = dlopen(path, i % 2 ? RTLD_NOW : RTLD_LAZY | RTLD_GLOBAL);
        int (*call)(int) = library ? (int (*)(int))dlsym(library, "plugin_call") : NULL;
        soak_note(actor, call ? call((int)i) : -1);
        soak_note(actor, library ? dlclose(library) : -1);
        soak_calls(3);
    }
    soak_note(actor, dlopen("/nonexistent/library.so", RTLD_NOW) != NULL);
}

/* Closed by the end of the process only: its destructors run then. */
void soak_op_library_stays(struct soak_actor *actor)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s.plugin.so", soak_program);
    soak_note(actor, dlopen(path, RTLD_NOW | RTLD_LOCAL) != NULL);
}

void soak_op_name(struct soak_actor *actor)
{
    char name[20] = "";
    prctl(PR_SET_NAME, "soak \n name");
    prctl(PR_GET_NAME, name);
    soak_note(actor, (int64_t)strlen(name));
}
