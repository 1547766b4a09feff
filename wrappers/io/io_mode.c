/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/io/io_mode.h"

#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "wrappers/io/io_paths.h"
#include "wrappers/io/io_real.h"
#include "wrappers/io/io_table.h"

bool io_is_on;
static long own_pid;

static bool is_word(const char *word, size_t length, const char *wanted)
{
    return strlen(wanted) == length && memcmp(word, wanted, length) == 0;
}

/* The interfaces of SPUR_IO. */
static const char *const interfaces[IO_LAYERS] = {[IO_POSIX] = "posix", [IO_ISOC] = "isoc"};

/* Does the list name the interface? */
static bool is_asked_for(const char *list, enum io_layer layer)
{
    bool is_on = false;
    for (const char *word = list; word && *word;) {
        size_t length = strcspn(word, ",");
        is_on |= is_word(word, length, interfaces[layer]) || is_word(word, length, "all");
        word += length;
        word += *word == ',';
    }
    return is_on;
}

static void complain_of_unknown(const char *list)
{
    for (const char *word = list; word && *word;) {
        size_t length = strcspn(word, ",");
        bool is_known = is_word(word, length, "all") || is_word(word, length, "none");
        for (enum io_layer layer = 0; layer < IO_LAYERS; layer++)
            is_known |= is_word(word, length, interfaces[layer]);
        if (!is_known)
            spur_complain("SPUR_IO: there is no such interface, only posix, isoc, all and none");
        word += length;
        word += *word == ',';
    }
}

static void note_pid(void)
{
    own_pid = syscall(SYS_getpid);
}

bool io_is_own_process(void)
{
    return syscall(SYS_getpid) == own_pid;
}

static void start(void *unused)
{
    (void)unused;
    io_calls_find();
    const char *list = spur_setting("IO");
    if (!spur_wraps(SPUR_FAMILY_IO))
        return;
    complain_of_unknown(list);
    unsigned asked = 0;
    for (enum io_layer layer = 0; layer < IO_LAYERS; layer++)
        asked |= (unsigned)is_asked_for(list, layer) << layer;
    if (!asked)
        return;
    io_paths_start(spur_setting("IO_PATHS"));
    note_pid();
    pthread_atfork(NULL, NULL, note_pid);
    for (enum io_layer layer = 0; layer < IO_LAYERS; layer++)
        if (asked & 1u << layer)
            io_is_on |= io_table_start(layer);
}

__attribute__((constructor)) static void start_early(void)
{
    spur_on_own_stack(start, NULL);
}
