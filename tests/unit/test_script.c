/* SPDX-License-Identifier: BSD-3-Clause */
/* links: agent finish format writer */
/* Places in the scripts of an interpreter. The test plays the interpreter. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/definitions/definitions.h"
#include "agent/stacks/script.h"
#include "agent/stacks/script_walk.h"

static char dir[] = "/tmp/spur-test-XXXXXX";
static struct spur_script_frame now; /* the innermost frame */
static bool is_idle;
static uint32_t loaders; /* frames of the interpreter on top */

static bool innermost(struct spur_script_frame *frame)
{
    *frame = now;
    frame->outer = (const char *)now.code - loaders;
    return !is_idle;
}

static bool caller(struct spur_script_frame *frame)
{
    if (frame->outer == now.code)
        return false;
    frame->outer = (const char *)frame->outer + 1;
    return true;
}

static bool is_loader(const struct spur_script_frame *frame)
{
    return frame->outer != now.code;
}

/* In the language of the test, a character of the last part is the line of an instruction. */
static uint32_t line(const struct spur_script_frame *frame)
{
    return (uint32_t)((const char *)frame->part[SPUR_SCRIPT_LINES].at)[frame->offset];
}

static void text(const struct spur_script_frame *frame, enum spur_script_part part, char *to,
                 size_t size)
{
    snprintf(to, size, "%.*s", (int)frame->part[part].bytes, (const char *)frame->part[part].at);
}

static bool is_steady(void)
{
    return true;
}

/* The C functions of the test are numbers; LOOP is the interpreter's loop. */
enum { LOOP = 1000 };

static bool is_loop(const void *address)
{
    return (uintptr_t)address == LOOP;
}

static const struct spur_interpreter fake = {.innermost = innermost,
                                             .caller = caller,
                                             .is_steady = is_steady,
                                             .is_loop = is_loop,
                                             .is_loader = is_loader,
                                             .line = line,
                                             .text = text};

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

/* All code is at the same address, as if each code object were freed before the next is made. */
static const void *at(const char *function, const char *file, const char *lines, int32_t offset)
{
    const char *const parts[SPUR_SCRIPT_PARTS] = {function, file, lines};
    static const char memory[64];
    now = (struct spur_script_frame){.begin = 1, .offset = offset, .code = memory + 32};
    for (int i = 0; i < SPUR_SCRIPT_PARTS; i++) {
        now.part[i].at = parts[i];
        now.part[i].bytes = (uint32_t)strlen(parts[i]);
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

/*
 * The return addresses that a walk along a broken stack may find: -1.0, -1, an address of the
 * kernel.
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

/* ---- stacks ---- */

/*
 * Stacks as texts, the innermost first. Of the script: functions are lower-case letters, `.` ends a
 * run of the loop, `!` is unreadable memory. Of C: the loop is `L`. In the joined stack `L` is a
 * loop that runs nothing.
 */
static const char *script;
static char together[16 << 10];

static bool script_next(struct spur_script_frame *frame)
{
    frame->runs = 0;
    for (; *script == '.'; script++)
        frame->runs++;
    frame->is_end = !*script;
    if (!*script || *script == '!')
        return false;
    frame->begin = 1;
    frame->offset = 0;
    frame->code = script;
    for (int part = 0; part < SPUR_SCRIPT_PARTS; part++) {
        frame->part[part].at = script;
        frame->part[part].bytes = 1;
        frame->part[part].hash = 0;
    }
    script++;
    return true;
}

static bool unsteady(void)
{
    return false;
}

static const struct spur_interpreter player = {.innermost = script_next,
                                               .caller = script_next,
                                               .is_steady = unsteady,
                                               .is_loop = is_loop,
                                               .line = line,
                                               .text = text};

/*
 * The letter of a place: the test cannot see into a place, but compares its Code with each
 * letter's.
 */
static char letter_of(const void *address)
{
    if (!spur_is_script(address))
        return "0123456789L"[is_loop(address) ? 10 : (uintptr_t)address - '0'];
    static char texts[26][2];
    for (int i = 0; i < 26; i++) {
        struct spur_script_frame frame = {.begin = 1, .code = texts[i]};
        texts[i][0] = (char)('a' + i);
        for (int part = 0; part < SPUR_SCRIPT_PARTS; part++) {
            frame.part[part].at = texts[i];
            frame.part[part].bytes = 1;
        }
        if (spur_script_place(&frame) == address)
            return texts[i][0];
    }
    return '?';
}

static const char *merged(const char *of_script, const char *of_c, uint32_t room, bool is_whole,
                          bool is_interrupted)
{
    static const void *frame[sizeof together];
    static struct spur_script_walk walk;
    uint32_t n = (uint32_t)strlen(of_c);
    for (uint32_t i = 0; i < n; i++) // NOLINTNEXTLINE(performance-no-int-to-ptr)
        frame[i] = (const void *)(uintptr_t)(of_c[i] == 'L' ? LOOP : of_c[i]);
    script = of_script;
    spur_interpreter_register(&player);
    errno = 77;
    (void)spur_script_walk(&walk, is_interrupted);
    n = spur_script_merge(&walk, frame, n, room, is_whole);
    cr_assert(errno == 77);
    for (uint32_t i = 0; i < n; i++)
        together[i] = letter_of(frame[i]);
    together[n] = '\0';
    return together;
}

Test(script, functions_stand_in_the_loops_that_run_them)
{
    static const struct {
        const char *script, *c, *both;
        bool is_whole, is_interrupted;
    } cases[] = {
        {"", "1L2", "1L2", true, false},             /* no script */
        {"a.", "L2", "a2", true, false},             /* a single function */
        {"ab.c.", "1L23L4", "1ab23c4", true, false}, /* calls without C, and with */
        {".a.", "1L2L", "1L2a", true, false},        /* a destructor where a function has ended */
        {"a.b.", "1L2L3L", "1a2b3L", true, false}, /* on a stack of its own, made by another one */
        {"a.b.", "1L2", "1L2", true, false},       /* of another thread's state */
        {"a!", "L2", "L2", true, true},            /* unmapped memory */
        {"a.", "L1L2", "L1L2", true, true},        /* the inner loop has just begun, or ends */
        {"a.b.", "L1L2", "a1b2", true, true},
        {"a.", "3L1L2", "3a1L2", true, true},
        {"a.b.c.", "1L2L3", "1a2b3", false, true}, /* the outer end of the stack is missing */
        {"a.b.", "12", "12", false, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        cr_assert_str_eq(merged(cases[i].script, cases[i].c, sizeof together - 1, cases[i].is_whole,
                                cases[i].is_interrupted),
                         cases[i].both);
}

Test(script, stacks_are_cut_at_their_outer_end)
{
    static char many[20001];
    cr_assert_str_eq(merged("abc.d.", "1L2L3", 5, true, false), "1abc2");
    memset(many, 'a', sizeof many - 1);
    many[2] = '.';
    const char *both = merged(many, "1L2L3", sizeof together - 1, true, false);
    cr_assert(strncmp(both, "1aa2aaaaa", 9) == 0 && both[strlen(both) - 1] == 'a');
}
