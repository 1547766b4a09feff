/* SPDX-License-Identifier: BSD-3-Clause */
/* links: agent finish format writer */
/* Places in the scripts of an interpreter that this test plays. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/definitions/definitions.h"
#include "agent/stacks/script.h"

static char dir[] = "/tmp/spur-test-XXXXXX";
static struct spur_script_frame now; /* where it is */
static bool is_idle;
static uint32_t loaders; /* frames of its own on top */

static bool innermost(struct spur_script_frame *frame)
{
    *frame = now;
    frame->frame = (const char *)now.code - loaders;
    return !is_idle;
}

static bool caller(struct spur_script_frame *frame)
{
    if (frame->frame == now.code)
        return false;
    frame->frame = (const char *)frame->frame + 1;
    return true;
}

static bool is_loader(const struct spur_script_frame *frame)
{
    return frame->frame != now.code;
}

/* In this language a character of the last part is the line of an instruction. */
static uint32_t line(const struct spur_script_frame *frame)
{
    return (uint32_t)((const char *)frame->part[SPUR_SCRIPT_LINES].at)[frame->offset];
}

static void text(const struct spur_script_frame *frame, enum spur_script_part part, char *to,
                 size_t size)
{
    snprintf(to, size, "%.*s", (int)frame->part[part].bytes, (const char *)frame->part[part].at);
}

static const struct spur_interpreter fake = {
    .innermost = innermost, .caller = caller, .is_loader = is_loader, .line = line, .text = text};

static void setup(void)
{
    cr_assert(mkdtemp(dir) && spur_defs_open(dir) == 0);
    spur_interpreter_register(&fake);
}

static void teardown(void)
{
    char command[64];
    spur_defs_close();
    snprintf(command, sizeof command, "rm -rf %s", dir);
    cr_assert(system(command) == 0);
}

TestSuite(script, .init = setup, .fini = teardown);

/* All code is at one address, as if each were freed before the next one is made. */
static const void *at(const char *function, const char *file, const char *lines, int32_t offset)
{
    const char *const parts[SPUR_SCRIPT_PARTS] = {function, file, lines};
    static const char memory[64];
    now = (struct spur_script_frame){.begin = 1, .offset = offset, .code = memory + 32};
    for (int i = 0; i < SPUR_SCRIPT_PARTS; i++) {
        now.part[i].at = parts[i];
        now.part[i].bytes = strlen(parts[i]);
    }
    return spur_script_here();
}

Test(script, a_place_is_known_again)
{
    errno = 77;
    const void *first = at("f", "a.py", "123", 0);
    cr_assert(spur_is_script(first));
    cr_assert(at("f", "a.py", "123", 1) != first, "another line");
    cr_assert(at("f", "a.py", "123", 0) == first);
    cr_assert(at("f", "a.py", "1199", 1) == first, "equal places are one");
    cr_assert(spur_script_code(first) != spur_script_code(at("f", "a.py", "123", 1)));
    cr_assert(spur_script_code(first) == spur_script_code(at("f", "a.py", "123", 0)));
    cr_assert(errno == 77);
}

Test(script, other_code_at_its_address)
{
    const void *first = at("f", "a.py", "123", 0);
    cr_assert(at("g", "a.py", "123", 0) != first);
    cr_assert(at("f", "b.py", "123", 0) != first);
    cr_assert(at("f", "a.py", "223", 0) != first);
    cr_assert(at("f", "a.py", "123", 0) == first);
}

/* What a walk along a broken stack takes for return addresses: -1.0, -1, an address of the kernel.
 */
Test(script, other_words_are_no_places)
{
    static const uint64_t words[] = {0xbff0000000000000, UINT64_MAX, 0xffffffff81000000};
    (void)at("f", "a.py", "123", 0);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const void *address =
            (const void *)(uintptr_t)words[i]; // NOLINT(performance-no-int-to-ptr)
        cr_assert(spur_is_script(address));
        cr_assert_eq(spur_script_code(address), OTF2_UNDEFINED_UINT32);
    }
}

Test(script, much_code_at_one_address)
{
    const void *place[100];
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 100; i++) {
            const char lines[] = {(char)(i + 1), '\0'};
            const void *found = at("f", "a.py", lines, 0);
            cr_assert(round == 0 || found == place[i]);
            place[i] = found;
            cr_assert(i == 0 || found != place[i - 1]);
        }
}

Test(script, hashes_stand_for_contents)
{
    (void)at("f", "a.py", "123", 0);
    now.part[SPUR_SCRIPT_FUNCTION].hash = 5;
    const void *hashed = spur_script_here();
    now.part[SPUR_SCRIPT_FUNCTION].hash = 6;
    now.part[SPUR_SCRIPT_FUNCTION].at = "h";
    cr_assert(spur_script_here() != hashed);
    now.part[SPUR_SCRIPT_FUNCTION].hash = 0;
    now.part[SPUR_SCRIPT_FUNCTION].at = "f";
    cr_assert(spur_script_here() == hashed, "compared by content where one hash is not known");
}

Test(script, what_loads_a_script_is_passed_over)
{
    const void *first = at("f", "a.py", "123", 0);
    loaders = 3;
    cr_assert(spur_script_here() == first);
    is_idle = true;
    cr_assert_null(spur_script_here());
}
