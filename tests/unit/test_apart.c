/* SPDX-License-Identifier: BSD-3-Clause */
/* links: base */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/apart.h"

enum { COPIED = 64 /* descriptors, by the kernel */, NO_FILE = -1 };

static pthread_barrier_t together;

static void *wait_beside(void *arg)
{
    pthread_barrier_wait(&together);
    return arg;
}

static void expect_beside(bool is_harmless, const char *what)
{
    pthread_t beside;
    pthread_barrier_init(&together, NULL, 2);
    cr_assert_eq(pthread_create(&beside, NULL, wait_beside, NULL), 0);
    cr_expect_eq(spur_apart_is_harmless(), is_harmless, "%s", what);
    pthread_barrier_wait(&together);
    pthread_join(beside, NULL);
}

/* Criterion's output may be a file of any file system. */
static void without_files(void)
{
    struct stat info;
    const int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < COPIED; fd++)
        if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode))
            dup2(null, fd);
    close(null);
}

/* procfs stands for the file systems that nobody knows to be quiet: NFS cannot be mounted here. */
Test(apart, is_harmless_without_files_that_may_be_written_back, .init = without_files)
{
    const struct {
        const char *path;
        int flags;
        int at; /* it is moved there, beyond what is copied */
        bool is_harmless;
        const char *what;
    } rows[] = {
        {"/proc/self/comm", O_WRONLY, NO_FILE, false, "a file that is written"},
        {"/proc/self/comm", O_RDWR, NO_FILE, false, "a file that is read and written"},
        {"/proc/self/comm", O_RDONLY, NO_FILE, true, "a file that is read"},
        {"/proc/self/comm", O_PATH, NO_FILE, true, "a place"},
        {"/proc/self/comm", O_WRONLY, COPIED, true, "a file that is not copied"},
        {"/proc/self/comm", O_WRONLY, COPIED - 1, false, "the last that is copied"},
        {"/dev/null", O_WRONLY, NO_FILE, true, "a device"},
    };
    expect_beside(true, "none");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int fd = open(rows[i].path, rows[i].flags);
        cr_assert_geq(fd, 0);
        if (rows[i].at != NO_FILE) {
            cr_assert_eq(dup2(fd, rows[i].at), rows[i].at);
            close(fd);
            fd = rows[i].at;
        }
        expect_beside(rows[i].is_harmless, rows[i].what);
        close(fd);
    }
}

Test(apart, is_harmless_with_files_in_memory_and_pipes, .init = without_files)
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    cr_assert_geq(memfd_create("apart", 0), 0);
    expect_beside(true, "memory and a pipe");
}
