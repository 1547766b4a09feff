/* SPDX-License-Identifier: BSD-3-Clause */
/* links: fake-agent */
/*
 * The table of descriptors with a million descriptors. Few systems let a process have so many, so
 * the test gives the kernel's answers.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/fake_agent.h"

enum { MILLION = 1 << 20, LAYERS = 2, ODD = 3 /* every third is no file */ };

static unsigned questions; /* asked of the kernel */
static unsigned handles;
static uint32_t generation;

/* Descriptors are files, but every third is a device; descriptors from MILLION on are not open. */
static long kernel(long number, ...)
{
    va_list rest;
    long ret = 0;
    va_start(rest, number);
    const int at = va_arg(rest, int);
    const char *path = va_arg(rest, const char *);
    void *answer = va_arg(rest, void *);
    if (number == SYS_readlinkat) {
        static const char target[] = "/data/file";
        const char *name = strrchr(path, '/');
        questions++;
        cr_assert(name != NULL);
        const long fd = strtol(name + 1, NULL, 10);
        ret = fd <= MILLION ? (long)sizeof target - 1 : -1;
        memcpy(answer, target, sizeof target - 1);
    } else if (number == SYS_newfstatat) {
        *(struct stat *)answer =
            (struct stat){.st_mode = at % ODD == 0 ? S_IFCHR : S_IFREG, .st_nlink = 1};
    } else {
        cr_assert_eq(number, SYS_fcntl);
        ret = O_RDWR;
    }
    va_end(rest);
    return ret;
}

#define syscall kernel
/* Alone, since the family would stand in front of the test's own calls. */
/* NOLINTBEGIN(bugprone-suspicious-include) */
#include "wrappers/io/io_table.c"
/* NOLINTEND(bugprone-suspicious-include) */
#undef syscall

unsigned io_choices = 1U << IO_CHOICE_POSIX | 1U << IO_CHOICE_ISOC;

/* Nothing is left to be said. */
void io_ring_say_late(void)
{
}
bool io_is_on = true;

OTF2_IoAccessMode io_access_of(int flags)
{
    (void)flags;
    return OTF2_IO_ACCESS_MODE_READ_WRITE;
}

OTF2_IoStatusFlag io_status_of(int flags)
{
    (void)flags;
    return OTF2_IO_STATUS_FLAG_NONE;
}

bool io_is_own_process(void)
{
    return true;
}

bool io_path_is_wanted(const char *path)
{
    return strcmp(path, "/data/file") == 0;
}

bool spur_may_record(void)
{
    return true;
}

uint32_t spur_generation(void)
{
    return generation;
}

OTF2_IoHandleRef spur_def_io_handle(const char *name, OTF2_IoFileRef file,
                                    OTF2_IoParadigmRef paradigm, OTF2_IoHandleFlag flags,
                                    OTF2_CommRef comm, OTF2_IoHandleRef parent)
{
    (void)name, (void)file, (void)paradigm, (void)flags, (void)comm, (void)parent;
    return handles++;
}

OTF2_IoHandleRef spur_def_io_found(const char *name, OTF2_IoFileRef file,
                                   OTF2_IoParadigmRef paradigm, OTF2_IoHandleRef parent,
                                   OTF2_IoAccessMode mode, OTF2_IoStatusFlag status)
{
    (void)name, (void)file, (void)paradigm, (void)parent, (void)mode, (void)status;
    return handles++;
}

static void start(void)
{
    cr_assert(io_table_start(IO_POSIX) && io_table_start(IO_ISOC));
}

/* The place of the file among all files, opened from descriptor 0 on. */
static unsigned order_of(int fd)
{
    return (unsigned)(fd - fd / ODD - 1);
}

static bool is_file(int fd)
{
    return fd % ODD != 0;
}

static void open_all(void)
{
    for (int fd = 0; fd < MILLION; fd++)
        cr_assert_eq(io_handle_opened(IO_POSIX, fd),
                     is_file(fd) ? order_of(fd) : OTF2_UNDEFINED_IO_HANDLE);
}

Test(io_table, knows_a_million)
{
    start();
    cr_assert_eq(agent_bytes, (long)LAYERS * MILLION * (long)sizeof(io_word), "8 MiB a layer");
    open_all();
    const unsigned asked = questions;
    cr_assert_eq(asked, MILLION);
    for (int fd = 0; fd < MILLION; fd++) {
        cr_assert_eq(io_wants(IO_POSIX, fd), is_file(fd));
        cr_assert_eq(io_handle_of(IO_POSIX, fd),
                     is_file(fd) ? order_of(fd) : OTF2_UNDEFINED_IO_HANDLE);
    }
    cr_assert_eq(questions, asked, "what is known is not asked for again");
    cr_assert_eq(io_table_top(), MILLION - 1);
    cr_assert_eq(agent_bytes, (long)LAYERS * MILLION * (long)sizeof(io_word), "no more memory");
}

Test(io_table, leaves_out_what_is_above)
{
    start();
    cr_assert_not(io_wants(IO_POSIX, MILLION));
    cr_assert_eq(io_handle_opened(IO_POSIX, MILLION - 2), 0);
    cr_assert(io_wants(IO_POSIX, MILLION - 2));
    cr_assert_not(io_wants(IO_POSIX, -1));
    cr_assert_eq(io_take(MILLION).of[IO_POSIX], IO_UNKNOWN);
    io_forget(MILLION);
}

/* One by one, and all of a range with an open end: close_range(3, ~0U). */
Test(io_table, forgets_a_million)
{
    enum { FIRST = 3 };
    start();
    open_all();
    cr_assert_eq(io_handle_in(io_take(1).of[IO_POSIX]), 0);
    cr_assert_not(io_knows(1));
    cr_assert(io_knows_any(MILLION - ODD, ~0U));
    const clock_t before = clock();
    io_forget_range(FIRST, ~0U);
    cr_assert_not(io_knows_any(FIRST, ~0U));
    cr_assert_lt((double)(clock() - before) / CLOCKS_PER_SEC, 1.0, "seconds");
    cr_assert(io_knows(2), "what is below stays");
}

/* In a child of fork() all descriptors are the parent's, and found anew at their first use. */
Test(io_table, is_the_parents_in_a_child)
{
    start();
    open_all();
    const unsigned before = handles;
    generation++;
    for (int fd = MILLION - 1; fd > MILLION - 1000; fd--) {
        cr_assert_eq(io_wants(IO_POSIX, fd), is_file(fd));
        if (is_file(fd))
            cr_assert_geq(io_handle_of(IO_POSIX, fd), before);
    }
    cr_assert_eq(io_take(1).of[IO_POSIX], IO_UNKNOWN, "it has no end here");
}
