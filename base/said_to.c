/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/said_to.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file_signal.h"

enum { TEXT_BYTES = 64 };

struct file {
    uint64_t device, inode, special;
};

static struct {
    bool is_chosen;
    bool is_silent;
    struct file file;
    void (*_Atomic other)(const char *line, size_t length);
} said_to;

/* False: it is closed. */
static bool look(struct file *file, mode_t *mode)
{
    struct stat info;
    if (syscall(SYS_fstat, STDERR_FILENO, &info) < 0)
        return false;
    *file = (struct file){info.st_dev, info.st_ino, info.st_rdev};
    *mode = info.st_mode;
    return true;
}

void spur_said_to_start(const char *session, bool is_rank, char *text, size_t size)
{
    char own[TEXT_BYTES] = "";
    mode_t mode = 0;
    int saved = errno;
    bool is_open = look(&said_to.file, &mode);
    if (is_open)
        snprintf(own, sizeof own, "%llx:%llx:%llx", (unsigned long long)said_to.file.device,
                 (unsigned long long)said_to.file.inode, (unsigned long long)said_to.file.special);
    bool is_passed_on = is_rank && !S_ISREG(mode);
    said_to.is_silent = !is_open || (session && !is_passed_on && strcmp(session, own) != 0);
    said_to.is_chosen = true;
    snprintf(text, size, "%s", own);
    errno = saved;
}

void spur_said_to_other(void (*other)(const char *line, size_t length))
{
    atomic_store(&said_to.other, other);
}

/* Raw: write(2) of libc is a cancellation point, and a failure here has nobody to tell. */
void spur_said_to_write(const char *line, size_t bytes)
{
    void (*other)(const char *, size_t) = atomic_load(&said_to.other);
    if (other) {
        other(line, bytes - 1);
        return;
    }
    struct spur_hold_signal hold;
    spur_file_signal_hold(&hold);
    (void)!syscall(SYS_write, STDERR_FILENO, line, bytes);
    spur_file_signal_release(&hold);
}

bool spur_may_say(void)
{
    struct file now;
    mode_t mode;
    int saved = errno;
    bool may = !said_to.is_chosen || atomic_load(&said_to.other) ||
               (!said_to.is_silent && look(&now, &mode) && now.device == said_to.file.device &&
                now.inode == said_to.file.inode && now.special == said_to.file.special);
    errno = saved;
    return may;
}
