/* SPDX-License-Identifier: BSD-3-Clause */
/* What goes wrong while a session is finished: remembered once, and said with its remedy. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/log.h"
#include "base/raw_file.h"
#include "finish/state/finish_trouble.h"

enum { WORDS_BYTES = 160, MIB_SHIFT = 20 };

int finish_blame(struct finish *f, int err, const char *format, ...)
{
    va_list args;
    if (err && !f->culprit[0]) {
        va_start(args, format);
        vsnprintf(f->culprit, sizeof f->culprit, format, args);
        va_end(args);
    }
    return err;
}

/* The library's codes of the system's errors, read backwards. 0: it is the library's own. */
static int errno_of(OTF2_ErrorCode error)
{
    static const struct {
        int number;
        OTF2_ErrorCode code;
    } codes[] = {
        {ENOMEM, OTF2_ERROR_MEM_ALLOC_FAILED},
        {ENOMEM, OTF2_ERROR_MEM_FAULT},
#define X(NAME, value, description)
#define POSIX(ERRNO, value, description) {ERRNO, OTF2_ERROR_##ERRNO},
#include <otf2/otf2_errors.def>
#undef X
    };
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (codes[i].code == error)
            return codes[i].number;
    return 0;
}

int finish_check(struct finish *f, OTF2_ErrorCode error, const char *what)
{
    int number = errno_of(error);
    if (error == OTF2_SUCCESS)
        return 0;
    return number ? finish_blame(f, -number, "%s", what)
                  : finish_blame(f, -EIO, "%s (%s)", what, OTF2_Error_GetDescription(error));
}

void finish_note_unread(struct finish *f, int err, const char *path)
{
    if (err < 0 && !spur_file_is_none(err) && !f->unread)
        f->unread = finish_blame(f, err, "%s", path);
}

int finish_try_open(struct finish *f, const char *path, uint64_t *size)
{
    int fd = spur_file_open(path, size);
    finish_note_unread(f, fd, path);
    return fd;
}

int64_t finish_try_read(struct finish *f, const char *path, int fd, uint64_t at, void *to,
                        uint64_t bytes)
{
    int64_t n = spur_file_read(fd, at, to, bytes);
    if (n < 0 && !f->unread)
        f->unread = finish_blame(f, (int)n, "%s", path);
    return n;
}

/* ---- the remedy ---- */

static void tell_space(const struct finish *f, char *text, size_t size)
{
    struct statvfs disk;
    if (statvfs(f->dir, &disk) < 0)
        return;
    uint64_t bytes = (uint64_t)disk.f_frsize * disk.f_blocks;
    uint64_t left = (uint64_t)disk.f_frsize * disk.f_bavail;
    snprintf(text, size, " (the file system has %llu MiB, of which %llu MiB are free)",
             (unsigned long long)(bytes >> MIB_SHIFT), (unsigned long long)(left >> MIB_SHIFT));
}

static void tell_file_limit(const struct finish *f, char *text, size_t size)
{
    struct rlimit limit;
    (void)f;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        snprintf(text, size, " (the limit on the size of files, ulimit -f, is %llu bytes)",
                 (unsigned long long)limit.rlim_cur);
}

static void tell_memory_limit(const struct finish *f, char *text, size_t size)
{
    struct rlimit limit;
    (void)f;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        snprintf(text, size, " (the limit on memory, ulimit -v, is %llu MiB)",
                 (unsigned long long)(limit.rlim_cur >> MIB_SHIFT));
}

/* A filter of system calls, as containers have one. */
static const char elsewhere[] = "outside of the sandbox that refuses it, ";

static const struct {
    int error;
    void (*tell)(const struct finish *f, char *text, size_t size);
    const char *first;   /* what to do before it is tried again */
    const char *plainly; /* why plain files are another way, where containers were asked for */
} remedies[] = {
    {ENOSPC, tell_space, "free some space, or move that directory to where there is room, then ",
     "for which less is needed"},
    {EDQUOT, NULL, "free some of the quota, or move that directory to where there is room, then ",
     "for which less is needed"},
    {EFBIG, tell_file_limit, "raise that limit, then ", "each of which is smaller"},
    {ENOMEM, tell_memory_limit, "with more memory, ", NULL},
    {EMFILE, NULL, "raise the limit on open files (ulimit -n), then ", NULL},
    {ENFILE, NULL, "when fewer files are open on this machine, ", NULL},
    {EROFS, NULL, "move that directory to where it can be written, then ", NULL},
    {EACCES, NULL, "as its owner, ", NULL},
    {EPERM, NULL, "as its owner, ", NULL},
    {SPUR_FOREIGN, NULL, "as its owner, ", NULL},
    {ELOOP, NULL, "remove that link, then ", NULL},
    {EMLINK, NULL, "put a copy of its own in its place, then ", NULL},
    {EEXIST, NULL, "move that away, then ", NULL},
    {ENOSYS, NULL, elsewhere, NULL},
};

/* To the owner, or to root, it is no matter of rights. */
static bool is_forbidden(const struct finish *f, int err)
{
    struct stat info;
    return err == -EPERM &&
           (geteuid() == 0 || (stat(f->dir, &info) == 0 && info.st_uid == geteuid()));
}

void finish_say_trouble(const struct finish *f, int err)
{
    char about[WORDS_BYTES] = "", plain[FINISH_PLACE_BYTES + WORDS_BYTES] = "";
    const char *first = "";
    for (size_t i = 0; i < sizeof remedies / sizeof remedies[0]; i++) {
        if (remedies[i].error != -err)
            continue;
        first = remedies[i].first;
        if (remedies[i].tell)
            remedies[i].tell(f, about, sizeof about);
        if (remedies[i].plainly && f->container)
            snprintf(plain, sizeof plain,
                     "; 'spur recover --container none %s' makes plain files, %s", f->dir,
                     remedies[i].plainly);
    }
    if (is_forbidden(f, err))
        first = elsewhere;
    spur_log("%s cannot be finished: %s: %s%s; all that was recorded is kept: %s'spur recover %s' "
             "%s%s",
             f->dir, f->culprit, spur_beneath_reason(-err), about, first, f->dir,
             first[0] ? "makes the archive" : "tries again", plain);
}
