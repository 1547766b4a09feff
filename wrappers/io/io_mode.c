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

/* Does the list name an interface? */
static bool is_asked_for(const char *list)
{
    bool is_on = false;
    for (const char *word = list; word && *word;) {
        size_t length = strcspn(word, ",");
        if (is_word(word, length, "posix") || is_word(word, length, "all"))
            is_on = true;
        else if (!is_word(word, length, "none"))
            spur_complain("SPUR_IO: there is no such interface, only posix, all and none");
        word += length;
        word += *word == ',';
    }
    return is_on;
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
    if (!spur_wraps(SPUR_FAMILY_IO) || !is_asked_for(spur_setting("IO")))
        return;
    io_paths_start(spur_setting("IO_PATHS"));
    note_pid();
    pthread_atfork(NULL, NULL, note_pid);
    io_is_on = io_table_start();
}

__attribute__((constructor)) static void start_early(void)
{
    spur_on_own_stack(start, NULL);
}
