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
#include "wrappers/io/io_maps.h"
#include "wrappers/io/io_mode.h"
#include "wrappers/io/io_paths.h"

enum { ROOM = 1 << 20, PATH_BYTES = 4096 };

struct io_table io_tables[IO_LAYERS];
static _Atomic unsigned top;

static const OTF2_IoParadigmRef paradigm_of[IO_LAYERS] = {
    [IO_POSIX] = SPUR_IO_POSIX,
    [IO_ISOC] = SPUR_IO_ISOC,
};

bool io_table_start(enum io_layer layer)
{
    if (layer == IO_LAYERS || io_tables[layer].room)
        return true;
    struct io_table *table = &io_tables[layer];
    table->words = spur_mem_new(ROOM * sizeof *table->words);
    table->room = table->words ? ROOM : 0;
    return table->words != NULL;
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

static void set(enum io_layer layer, int fd, io_word word)
{
    if ((unsigned)fd >= io_tables[layer].room)
        return;
    note_top(fd);
    atomic_store_explicit(&io_tables[layer].words[fd], word, memory_order_relaxed);
}

static bool replace(enum io_layer layer, int fd, io_word old, io_word new)
{
    if ((unsigned)fd >= io_tables[layer].room)
        return false;
    note_top(fd);
    return atomic_compare_exchange_strong_explicit(&io_tables[layer].words[fd], &old, new,
                                                   memory_order_relaxed, memory_order_relaxed);
}

/* ---- what the kernel says ---- */

struct found {
    bool is_open;
    enum { FOUND_OTHER, FOUND_FILE, FOUND_DIRECTORY, FOUND_PIPE, FOUND_SOCKET } kind;
    char path[PATH_BYTES]; /* canonical, of files and directories */
};

static void find(int fd, struct found *found)
{
    static const char deleted[] = " (deleted)";
    char link[32], *path = found->path;
    struct stat info;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    long n = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_BYTES - 1);
    found->is_open = n > 0;
    found->kind = FOUND_OTHER;
    if (n <= 0 || syscall(SYS_newfstatat, fd, "", &info, AT_EMPTY_PATH) != 0)
        return;
    found->kind = S_ISREG(info.st_mode)    ? FOUND_FILE
                  : S_ISDIR(info.st_mode)  ? FOUND_DIRECTORY
                  : S_ISFIFO(info.st_mode) ? FOUND_PIPE
                  : S_ISSOCK(info.st_mode) ? FOUND_SOCKET
                                           : FOUND_OTHER;
    path[n] = '\0';
    size_t end = (size_t)n - (sizeof deleted - 1);
    if (info.st_nlink == 0 && (size_t)n >= sizeof deleted && strcmp(path + end, deleted) == 0)
        path[end] = '\0';
}

static bool is_recorded(enum io_layer layer, const struct found *found)
{
    bool is_one = found->kind == FOUND_FILE && (layer != IO_POSIX || io_records(IO_CHOICE_POSIX));
    if (layer == IO_POSIX && (found->kind == FOUND_PIPE || found->kind == FOUND_SOCKET))
        return io_records(IO_CHOICE_NET);
    is_one |= layer == IO_META && found->kind == FOUND_DIRECTORY;
    return is_one && io_path_is_wanted(found->path);
}

static OTF2_IoFileRef define_file(int fd, const char *path)
{
    OTF2_IoFileRef file = spur_def_io_file(path);
    if (file != OTF2_UNDEFINED_IO_FILE)
        spur_def_io_mount(file, fd);
    return file;
}

/* The stream over a descriptor is the layer above it. */
static OTF2_IoHandleRef parent_of(enum io_layer layer, int fd)
{
    io_word above = layer == IO_POSIX ? io_word_of(IO_ISOC, fd) : IO_UNKNOWN;
    return io_is_current(above) ? io_handle_in(above) : OTF2_UNDEFINED_IO_HANDLE;
}

/* Of what has no file, the interface says what it is. */
static OTF2_IoParadigmRef interface_of(enum io_layer layer, const struct found *found)
{
    return found->kind == FOUND_PIPE     ? SPUR_IO_PIPE
           : found->kind == FOUND_SOCKET ? SPUR_IO_SOCKET
                                         : paradigm_of[layer];
}

static OTF2_IoHandleRef define_found(enum io_layer layer, int fd, OTF2_IoFileRef file,
                                     OTF2_IoParadigmRef interface)
{
    static const char *const names[] = {"stdin", "stdout", "stderr"};
    long flags = syscall(SYS_fcntl, fd, F_GETFL, 0L);
    flags = flags < 0 ? O_RDWR : flags;
    return spur_def_io_found(fd <= STDERR_FILENO ? names[fd] : NULL, file, interface,
                             parent_of(layer, fd), io_access_of((int)flags),
                             io_status_of((int)flags));
}

enum question { IS_RECORDED, WAS_FOUND, WAS_OPENED, WAS_MAPPED };

static OTF2_IoHandleRef define_new(enum io_layer layer, int fd, OTF2_IoFileRef file,
                                   OTF2_IoParadigmRef interface, enum question question)
{
    bool is_mapped = question == WAS_MAPPED;
    return spur_def_io_handle(NULL, file, is_mapped ? SPUR_IO_MAP : interface,
                              OTF2_IO_HANDLE_FLAG_NONE, OTF2_UNDEFINED_COMM,
                              is_mapped ? io_handle_in(io_word_of(layer, fd))
                                        : spur_layer_handle());
}

/* The word of the descriptor, which is a handle's only if the question asks for one. */
static io_word io_ask_here(enum io_layer layer, int fd, enum question question)
{
    struct found found;
    int saved = errno;
    find(fd, &found);
    io_word word = found.is_open ? IO_EXCLUDED : IO_UNKNOWN;
    const io_word traced = (io_word)spur_generation() << IO_GENERATION_SHIFT | IO_TRACED;
    if (is_recorded(layer, &found))
        word = traced | OTF2_UNDEFINED_IO_HANDLE;
    if (io_is_traced(word) && question != IS_RECORDED) {
        io_ring_say_late();
        bool has_file = found.kind == FOUND_FILE;
        OTF2_IoParadigmRef interface = interface_of(layer, &found);
        OTF2_IoFileRef file = has_file ? define_file(fd, found.path) : OTF2_UNDEFINED_IO_FILE;
        OTF2_IoHandleRef handle = question == WAS_FOUND
                                      ? define_found(layer, fd, file, interface)
                                      : define_new(layer, fd, file, interface, question);
        bool is_defined =
            (file != OTF2_UNDEFINED_IO_FILE || !has_file) && handle != OTF2_UNDEFINED_IO_HANDLE;
        word = is_defined ? traced | handle : IO_UNKNOWN;
    }
    errno = saved;
    return word;
}
io_word io_ask(enum io_layer layer, int fd, enum question question);
SPUR_DOOR(io_word, io_ask, (enum io_layer, layer), (int, fd), (enum question, question))

bool io_look(enum io_layer layer, int fd)
{
    io_word old = io_word_of(layer, fd);
    if (spur_inside() || !spur_may_record())
        return false;
    io_word word = io_ask(layer, fd, IS_RECORDED);
    if (word == IO_EXCLUDED || (io_is_traced(word) && layer == IO_META))
        replace(layer, fd, old, word);
    return io_is_traced(word);
}

OTF2_IoHandleRef io_handle_of(enum io_layer layer, int fd)
{
    io_word old = io_word_of(layer, fd);
    if (old == IO_EXCLUDED)
        return OTF2_UNDEFINED_IO_HANDLE;
    if (io_is_current(old))
        return io_handle_in(old);
    io_word word = io_ask(layer, fd, WAS_FOUND);
    if (word != IO_UNKNOWN && !replace(layer, fd, old, word))
        word = io_word_of(layer, fd); /* another thread was faster */
    return io_handle_in(word);
}

OTF2_IoHandleRef io_handle_opened(enum io_layer layer, int fd)
{
    io_word word = io_ask(layer, fd, WAS_OPENED);
    set(layer, fd, word);
    return io_handle_in(word);
}

OTF2_IoHandleRef io_handle_registered(int fd)
{
    return io_handle_in(io_ask(IO_POSIX, fd, WAS_OPENED));
}

OTF2_IoHandleRef io_handle_mapped(int fd)
{
    if (io_handle_of(IO_POSIX, fd) == OTF2_UNDEFINED_IO_HANDLE)
        return OTF2_UNDEFINED_IO_HANDLE;
    return io_handle_in(io_ask(IO_POSIX, fd, WAS_MAPPED));
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

static io_word take(enum io_layer layer, int fd)
{
    if ((unsigned)fd >= io_tables[layer].room || io_word_of(layer, fd) == IO_UNKNOWN)
        return IO_UNKNOWN;
    io_word word =
        atomic_exchange_explicit(&io_tables[layer].words[fd], IO_UNKNOWN, memory_order_relaxed);
    return io_is_current(word) ? word : IO_UNKNOWN;
}

struct io_words io_take(int fd)
{
    struct io_words words;
    for (enum io_layer layer = 0; layer < IO_LAYERS; layer++)
        words.of[layer] = take(layer, fd);
    return words;
}

void io_put_back(int fd, struct io_words words)
{
    for (enum io_layer layer = 0; layer < IO_LAYERS; layer++)
        if (io_is_traced(words.of[layer]))
            replace(layer, fd, IO_UNKNOWN, words.of[layer]);
}

void io_forget(int fd)
{
    bool is_known = false;
    for (enum io_layer layer = 0; layer < IO_LAYERS; layer++)
        if ((unsigned)fd < io_tables[layer].room)
            is_known |= io_word_of(layer, fd) != IO_UNKNOWN;
    for (enum io_layer layer = 0; is_known && layer < IO_LAYERS && io_is_own_process(); layer++)
        set(layer, fd, IO_UNKNOWN);
}

void io_forget_range(unsigned first, unsigned last)
{
    unsigned end = io_table_top();
    if (first > end || !io_is_own_process())
        return;
    for (unsigned fd = first; fd <= end && fd <= last; fd++)
        for (enum io_layer layer = 0; layer < IO_LAYERS; layer++)
            set(layer, (int)fd, IO_UNKNOWN);
}

enum io_held io_set_lock(int fd, enum io_held held, bool replaces)
{
    if ((unsigned)fd >= io_tables[IO_POSIX].room)
        return IO_HELD_NOT;
    _Atomic io_word *word = &io_tables[IO_POSIX].words[fd];
    io_word before = atomic_load_explicit(word, memory_order_relaxed);
    while (
        (replaces || !(before & IO_LOCK)) &&
        !atomic_compare_exchange_weak_explicit(word, &before,
                                               (before & ~IO_LOCK) | (io_word)held << IO_LOCK_SHIFT,
                                               memory_order_relaxed, memory_order_relaxed))
        ;
    return (enum io_held)((before & IO_LOCK) >> IO_LOCK_SHIFT);
}
