/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/io/io_mode.h"

#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/word_list.h"
#include "wrappers/io/io_async.h"
#include "wrappers/io/io_maps.h"
#include "wrappers/io/io_paths.h"
#include "wrappers/io/io_real.h"
#include "wrappers/io/io_ring.h"
#include "wrappers/io/io_table.h"
#include "wrappers/kit/wrapper_complain.h"

bool io_is_on;
unsigned io_choices;
static long own_pid;

static const struct {
    const char *word;
    enum io_layer layer;
} rows[IO_CHOICES] = {
#define IO_CHOICE(NAME, word, layer) {word, layer},
#include "wrappers/io/io_groups.def"
#undef IO_CHOICE
};

/* All choices that a word of the list makes; none: there is no such word. */
static unsigned choices_of(const struct word_list *list)
{
    enum { ALL = (1u << IO_CHOICES) - 1 };
    if (word_list_is(list, "all"))
        return ALL;
    for (unsigned i = 0; i < IO_CHOICES; i++)
        if (word_list_is(list, rows[i].word))
            return 1u << i;
    return 0;
}

static void complain(const struct word_list *list)
{
    enum { SHOWN = 64 };
    wrapper_complain("SPUR_IO: there is no group of calls \"%.*s\", only "
#define IO_CHOICE(NAME, word, layer) word ", "
#include "wrappers/io/io_groups.def"
#undef IO_CHOICE
                     "all and none",
                     list->length < SHOWN ? (int)list->length : SHOWN, list->word);
}

static unsigned read_list(const char *text)
{
    unsigned asked = 0;
    for (struct word_list list = {.rest = text}; word_list_next(&list);) {
        unsigned chosen = choices_of(&list);
        if (!chosen && !word_list_is(&list, "none"))
            complain(&list);
        asked |= chosen;
    }
    return asked;
}

/* Asynchronous operations are on the handles of descriptors, which are those of POSIX calls. */
static unsigned with_posix(unsigned asked)
{
    return asked & 1u << IO_CHOICE_AIO ? asked | 1u << IO_CHOICE_POSIX : asked;
}

static void note_pid(void)
{
    own_pid = syscall(SYS_getpid);
}

/* Only the table of descriptors is the child's as well. */
static void forked(void)
{
    note_pid();
    io_maps_forked();
    io_async_forked();
    io_rings_forked();
}

bool io_is_own_process(void)
{
    return syscall(SYS_getpid) == own_pid;
}

static void start(void *unused)
{
    enum { OWN = (1u << IO_CHOICE_HDF5) - 1 };
    (void)unused;
    io_calls_find();
    /* Both are judged, whether they matter or not. */
    unsigned asked = with_posix(read_list(spur_setting("IO")));
    io_paths_start(spur_setting("IO_PATHS"));
    if (!spur_wraps(SPUR_FAMILY_IO) || !(asked & OWN))
        return;
    note_pid();
    pthread_atfork(NULL, NULL, forked);
    for (unsigned i = 0; i < IO_CHOICE_HDF5; i++)
        if (asked & 1u << i && io_table_start(rows[i].layer))
            io_choices |= 1u << i;
    io_is_on = io_choices != 0;
}

__attribute__((constructor)) static void start_early(void)
{
    spur_on_own_stack(start, NULL);
}
