/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/io/io_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "wrappers/io/io_flags.h"
#include "wrappers/io/io_mode.h"
#include "wrappers/io/io_paths.h"

enum { ROOM = 1 << 20, PATH_BYTES = 4096 };

_Atomic io_word *io_table;
unsigned io_table_room;
static _Atomic unsigned top;

bool io_table_start(void)
{
    io_table = spur_mem_new(ROOM * sizeof *io_table);
    io_table_room = io_table ? ROOM : 0;
    return io_table != NULL;
}

unsigned io_table_top(void)
{
    return atomic_load_explicit(&top, memory_order_relaxed);
}

static void note_top(int fd)
{
    unsigned seen = io_table_top();
    while (seen < (unsigned)fd &&
           !atomic_compare_exchange_weak_explicit(&top, &seen, (unsigned)fd, memory_order_relaxed,
                                                  memory_order_relaxed))
        ;
}

static void set(int fd, io_word word)
{
    if ((unsigned)fd >= io_table_room)
        return;
    note_top(fd);
    atomic_store_explicit(&io_table[fd], word, memory_order_relaxed);
}

static bool replace(int fd, io_word old, io_word new)
{
    if ((unsigned)fd >= io_table_room)
        return false;
    note_top(fd);
    return atomic_compare_exchange_strong_explicit(&io_table[fd], &old, new, memory_order_relaxed,
                                                   memory_order_relaxed);
}

/* ---- what the kernel says ---- */

/* The canonical path of a regular file; false: it is none, or there is no such descriptor. */
static bool read_path(int fd, char path[PATH_BYTES], bool *is_open)
{
    static const char deleted[] = " (deleted)";
    char link[32];
    struct stat info;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    long n = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_BYTES - 1);
    *is_open = n > 0;
    if (n <= 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        return false;
    path[n] = '\0';
    size_t end = (size_t)n - (sizeof deleted - 1);
    if (info.st_nlink == 0 && (size_t)n >= sizeof deleted && strcmp(path + end, deleted) == 0)
        path[end] = '\0';
    return true;
}

static OTF2_IoFileRef define_file(int fd, const char *path)
{
    OTF2_IoFileRef file = spur_def_io_file(path);
    if (file != OTF2_UNDEFINED_IO_FILE)
        spur_def_io_mount(file, fd);
    return file;
}

static OTF2_IoHandleRef define_found(int fd, OTF2_IoFileRef file)
{
    static const char *const names[] = {"stdin", "stdout", "stderr"};
    long flags = syscall(SYS_fcntl, fd, F_GETFL, 0L);
    flags = flags < 0 ? O_RDWR : flags;
    return spur_def_io_found(fd <= STDERR_FILENO ? names[fd] : NULL, file, SPUR_IO_POSIX,
                             io_access_of((int)flags), io_status_of((int)flags));
}

enum question { IS_RECORDED, WAS_FOUND, WAS_OPENED };

/* The word of the descriptor, which is a handle's only if the question asks for one. */
static io_word io_ask_here(int fd, enum question question)
{
    char path[PATH_BYTES];
    bool is_open;
    int saved = errno;
    bool is_file = read_path(fd, path, &is_open);
    io_word word = is_open ? IO_EXCLUDED : IO_UNKNOWN;
    if (is_file && io_path_is_wanted(path))
        word = IO_TRACED | OTF2_UNDEFINED_IO_HANDLE;
    if (io_is_traced(word) && question != IS_RECORDED) {
        OTF2_IoFileRef file = define_file(fd, path);
        OTF2_IoHandleRef handle =
            question == WAS_FOUND
                ? define_found(fd, file)
                : spur_def_io_handle(NULL, file, SPUR_IO_POSIX, OTF2_IO_HANDLE_FLAG_NONE,
                                     OTF2_UNDEFINED_COMM, OTF2_UNDEFINED_IO_HANDLE);
        bool is_defined = file != OTF2_UNDEFINED_IO_FILE && handle != OTF2_UNDEFINED_IO_HANDLE;
        word = is_defined ? (io_word)spur_generation() << IO_GENERATION_SHIFT | IO_TRACED | handle
                          : IO_UNKNOWN;
    }
    errno = saved;
    return word;
}
io_word io_ask(int fd, enum question question);
SPUR_DOOR(io_word, io_ask, (int, fd), (enum question, question))

bool io_look(int fd)
{
    io_word old = io_word_of(fd);
    if (spur_inside() || !spur_may_record())
        return false;
    io_word word = io_ask(fd, IS_RECORDED);
    if (word == IO_EXCLUDED)
        replace(fd, old, word);
    return io_is_traced(word);
}

OTF2_IoHandleRef io_handle_of(int fd)
{
    io_word old = io_word_of(fd);
    if (old == IO_EXCLUDED)
        return OTF2_UNDEFINED_IO_HANDLE;
    if (io_is_current(old))
        return io_handle_in(old);
    io_word word = io_ask(fd, WAS_FOUND);
    if (word != IO_UNKNOWN && !replace(fd, old, word))
        word = io_word_of(fd); /* another thread was faster */
    return io_handle_in(word);
}

OTF2_IoHandleRef io_handle_opened(int fd)
{
    io_word word = io_ask(fd, WAS_OPENED);
    set(fd, word);
    return io_handle_in(word);
}

/* ---- the end of what is known ---- */

bool io_knows_any(unsigned first, unsigned last)
{
    unsigned end = io_table_top();
    for (unsigned fd = first; fd <= end && fd <= last; fd++)
        if (io_knows((int)fd))
            return true;
    return false;
}

io_word io_take(int fd)
{
    if (!io_knows(fd))
        return IO_UNKNOWN;
    io_word word = atomic_exchange_explicit(&io_table[fd], IO_UNKNOWN, memory_order_relaxed);
    return io_is_current(word) ? word : IO_UNKNOWN;
}

void io_put_back(int fd, io_word word)
{
    if (io_is_traced(word))
        replace(fd, IO_UNKNOWN, word);
}

void io_forget(int fd)
{
    io_word word = io_word_of(fd);
    if (word != IO_UNKNOWN && (unsigned)fd < io_table_room && io_is_own_process())
        atomic_store_explicit(&io_table[fd], IO_UNKNOWN, memory_order_relaxed);
}

void io_forget_range(unsigned first, unsigned last)
{
    unsigned end = io_table_top();
    if (first > end || !io_is_own_process())
        return;
    for (unsigned fd = first; fd <= end && fd <= last; fd++)
        atomic_store_explicit(&io_table[fd], IO_UNKNOWN, memory_order_relaxed);
}

bool io_set_lock(int fd, bool is_held)
{
    if ((unsigned)fd >= io_table_room)
        return false;
    io_word before =
        is_held ? atomic_fetch_or_explicit(&io_table[fd], IO_HOLDS_LOCK, memory_order_relaxed)
                : atomic_fetch_and_explicit(&io_table[fd], ~IO_HOLDS_LOCK, memory_order_relaxed);
    return (before & IO_HOLDS_LOCK) != 0;
}
