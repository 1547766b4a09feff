/* SPDX-License-Identifier: BSD-3-Clause */
/* Files and their handles: session/definitions.def has the rows. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/definitions/definitions.h"
#include "base/lock.h"
#include "base/own_stack.h"
#include "base/procfs.h"

enum { PATH_BYTES = 4096 };

/* ---- files ---- */

/* The path from the root, or as it is when the working directory has none. */
static const char *absolute(const char *path, char *room, size_t size)
{
    int saved = errno;
    char *cwd = path[0] == '/' ? NULL : getcwd(room, size);
    errno = saved;
    if (!cwd || cwd[0] != '/')
        return path;
    while (path[0] == '.' && path[1] == '/')
        path += 2;
    size_t length = strlen(cwd);
    snprintf(room + length, size - length, "%s%s", length > 1 ? "/" : "", path);
    return room;
}

static OTF2_IoFileRef spur_def_io_file_here(const char *path)
{
    char room[2 * PATH_BYTES];
    uint32_t name_id = spur_def_text(absolute(path, room, sizeof room));
    return DEFINE(IoRegularFile, NUMBER(name_id), NUMBER(OTF2_UNDEFINED_SYSTEM_TREE_NODE));
}
SPUR_DOOR(OTF2_IoFileRef, spur_def_io_file, (const char *, path))

/* ---- what a file lies on ---- */

#ifdef STATX_MNT_ID
struct mount {
    uint64_t id;
    uint32_t generation_plus_1; /* of the process that the strings are of; 0: free */
    uint32_t point, type;       /* strings; undefined: not known */
};

enum { MOUNTS = 8 };

/* The mounts that were asked for last. */
static struct {
    struct spur_lock lock;
    unsigned next;
    struct mount at[MOUNTS];
} mounts;

void spur_io_after_fork(void)
{
    spur_lock_reset(&mounts.lock);
}

/* The field of a line of /proc/self/mountinfo, cut off: spaces in it are octal, and stay. */
static const char *next_field(char **rest)
{
    return strsep(rest, " ");
}

/* 36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw */
static bool read_mount(char *line, uint64_t id, struct mount *mount)
{
    enum { BEFORE_POINT = 3 };
    const char *first = next_field(&line);
    if (!first || strtoull(first, NULL, 10) != id)
        return false;
    for (int i = 0; i < BEFORE_POINT; i++)
        next_field(&line);
    const char *point = next_field(&line);
    const char *field = point;
    while (field && strcmp(field, "-") != 0)
        field = next_field(&line);
    const char *type = next_field(&line);
    mount->point = spur_def_text(point);
    mount->type = spur_def_text(type);
    return true;
}

static struct mount look_up(uint64_t id)
{
    enum { TEXT = 1 << 16 };
    struct mount mount = {id, spur_generation() + 1, OTF2_UNDEFINED_STRING, OTF2_UNDEFINED_STRING};
    char text[TEXT];
    char *rest = text;
    if (spur_procfs_read("/proc/self/mountinfo", text, sizeof text) <= 0)
        return mount;
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n"))
        if (read_mount(line, id, &mount))
            break;
    return mount;
}

static bool find_mount(uint64_t id, struct mount *mount)
{
    bool is_known = false;
    spur_lock_take(&mounts.lock);
    for (int i = 0; i < MOUNTS && !is_known; i++) {
        *mount = mounts.at[i];
        is_known = mount->id == id && mount->generation_plus_1 == spur_generation() + 1;
    }
    spur_lock_give(&mounts.lock);
    return is_known;
}

static void keep_mount(const struct mount *mount)
{
    spur_lock_take(&mounts.lock);
    mounts.at[mounts.next++ % MOUNTS] = *mount;
    spur_lock_give(&mounts.lock);
}

static void put_property(OTF2_IoFileRef file, const char *name, uint32_t value)
{
    if (value != OTF2_UNDEFINED_STRING)
        DEFINE(FileProperty, NUMBER(file), NUMBER(spur_def_text(name)), NUMBER(value));
}

static void spur_def_io_mount_here(OTF2_IoFileRef file, int descriptor)
{
    int saved = errno;
    struct statx info;
    struct mount mount;
    if (syscall(SYS_statx, descriptor, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MNT_ID,
                &info) == 0 &&
        info.stx_mask & STATX_MNT_ID) {
        if (!find_mount(info.stx_mnt_id, &mount)) {
            mount = look_up(info.stx_mnt_id);
            keep_mount(&mount);
        }
        put_property(file, "Mount Point", mount.point);
        put_property(file, "File System Type", mount.type);
    }
    errno = saved;
}
#else
void spur_io_after_fork(void)
{
}

static void spur_def_io_mount_here(OTF2_IoFileRef file, int descriptor)
{
    (void)file, (void)descriptor;
}
#endif
SPUR_DOOR_VOID(spur_def_io_mount, (OTF2_IoFileRef, file), (int, descriptor))

/* ---- handles ---- */

void spur_def_io_paradigm(OTF2_IoParadigmRef paradigm)
{
    DEFINE(IoParadigmUse, NUMBER(paradigm));
}

static OTF2_IoHandleRef define_handle(const char *name, OTF2_IoFileRef file,
                                      OTF2_IoParadigmRef paradigm, uint32_t flags,
                                      OTF2_CommRef comm, OTF2_IoHandleRef parent)
{
    uint32_t name_id = spur_def_text(name);
    spur_def_io_paradigm(paradigm);
    return DEFINE(IoHandle, NUMBER(name_id), NUMBER(file), NUMBER(paradigm), NUMBER(flags),
                  NUMBER(comm), NUMBER(parent));
}

OTF2_IoHandleRef spur_def_io_handle(const char *name, OTF2_IoFileRef file,
                                    OTF2_IoParadigmRef paradigm, OTF2_IoHandleFlag flags,
                                    OTF2_CommRef comm, OTF2_IoHandleRef parent)
{
    return define_handle(name, file, paradigm, flags, comm, parent);
}

/* Handles that were open in different ways are different ones in all processes. */
OTF2_IoHandleRef spur_def_io_found(const char *name, OTF2_IoFileRef file,
                                   OTF2_IoParadigmRef paradigm, OTF2_IoHandleRef parent,
                                   OTF2_IoAccessMode mode, OTF2_IoStatusFlag status)
{
    uint32_t flags = OTF2_IO_HANDLE_FLAG_PRE_CREATED |
                     (uint32_t)(mode & SPUR_IO_HANDLE_STATE) << SPUR_IO_HANDLE_MODE |
                     (uint32_t)(status >> 1 & SPUR_IO_HANDLE_STATE) << SPUR_IO_HANDLE_STATUS;
    return define_handle(name, file, paradigm, flags, OTF2_UNDEFINED_COMM, parent);
}
