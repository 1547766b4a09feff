/* SPDX-License-Identifier: BSD-3-Clause */
/* links: finish format writer */
/* What was counted of locks: each number is told once, whatever journal and file have of it. */
#include "session/lock_cell.h"
#include "session/properties.h"
#include "tests/unit/session_build.h"

enum { PID = 5000000, VOID = -1, FILE_CELLS = 1500 };

static const struct spur_finish_options quiet = {.quiet = true};
static char text[1 << 20];

TestSuite(finish_counts, .init = enter_fresh_dir, .fini = leave_fresh_dir, .timeout = 100);

static void tell(struct fake *p, uint32_t lock, uint64_t acquisitions, uint32_t threads)
{
    BUILD(&p->journal, LockCount, {lock}, {acquisitions}, {0}, {threads}, {0});
}

static struct spur_lock_cell cell(uint32_t lock, uint64_t alone, uint64_t others, uint32_t threads)
{
    return (struct spur_lock_cell){.acquisitions = {alone, others},
                                   .lock = lock + 1,
                                   .threads = threads};
}

static void begin(struct fake *p)
{
    fake_open(p, "s", PID + 1, -1, 0);
    fake_define(p, "main");
    fake_events(p, 0, 1);
}

static void finish(struct fake *p, bool has_ended)
{
    fake_close(p, NULL, 0, has_ended);
    cr_assert(spur_finish("s", &quiet) == 0);
    cr_assert(print_archive("s", text, sizeof text) == 0, "%s", text);
}

static void expect_once(uint32_t lock, const char *value)
{
    char name[64];
    snprintf(name, sizeof name, "Name: \"" SPUR_SAYS_COUNTED "::%u\"", lock);
    const char *first = strstr(text, name), *end = first ? strchr(first, '\n') : NULL;
    cr_assert(first && end, "%s is missing in\n%s", name, text);
    cr_expect(memmem(first, (size_t)(end - first), value, strlen(value)), "%s is not of %s", value,
              first);
    cr_expect_null(strstr(end, name), "%s is there twice", name);
}

Test(finish_counts, a_number_that_is_told_twice_is_one_count)
{
    struct fake p;
    begin(&p);
    tell(&p, 145, 1000, 1);
    tell(&p, (uint32_t)VOID, 0, 0);
    tell(&p, 145, 10, 2);
    tell(&p, 7, 5, 1);
    tell(&p, 145, 20, 1);
    finish(&p, true);
    expect_once(145, "acquisitions=30 signals=0 threads=2");
    expect_once(7, "acquisitions=5 ");
}

/* A process that is killed while it tells has a file in which all is. */
Test(finish_counts, what_was_told_and_the_file_are_one_count)
{
    static struct spur_lock_cell cells[FILE_CELLS];
    struct fake p;
    begin(&p);
    tell(&p, (uint32_t)VOID, 0, 0);
    tell(&p, 145, 10, 2);
    tell(&p, 3000000, 8, 1);
    cells[0] = cell(145, 10, 0, 2);
    cells[FILE_CELLS - 2] = cell(7, 4, 2, 2);
    cells[FILE_CELLS - 1] = cell(145, 1, 20, 3);
    put_file(in(p.dir, SPUR_COUNTS_FILE), cells, sizeof cells);
    finish(&p, false);
    expect_once(145, "acquisitions=31 signals=0 threads=3");
    expect_once(7, "acquisitions=6 ");
    expect_once(3000000, "acquisitions=8 ");
}

Test(finish_counts, cells_without_a_number_or_a_count_tell_nothing)
{
    struct spur_lock_cell cells[] = {cell(5, 0, 0, 0), {.acquisitions = {9, 0}}, cell(6, 1, 0, 1)};
    struct fake p;
    begin(&p);
    put_file(in(p.dir, SPUR_COUNTS_FILE), cells, sizeof cells - 1);
    finish(&p, false);
    cr_expect_null(strstr(text, SPUR_SAYS_COUNTED), "%s", text);
}
