/* SPDX-License-Identifier: BSD-3-Clause */
/* links: agent finish format writer */
/*
 * Stacks by call frame information. Entries of .eh_frame, as compilers write entries for each
 * processor, are read on all processors. On the processor at hand, the test follows stacks whose
 * functions are known.
 */
#include <alloca.h>
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/spur_define.h"
#include "agent/spur_frames.h"
#include "agent/stacks/cfi.h"
#include "agent/stacks/cfi_processor.h"
#include "agent/stacks/cfi_program.h"
#include "agent/stacks/cfi_walk.h"
#include "base/own_stack.h"

/* ---- entries of every processor ---- */

/* clang-format off: no blocks */
#define AT(offset)                                                                                 \
    {                                                                                              \
        SPUR_CFI_CFA, true, offset                                                                 \
    }
#define SAME                                                                                       \
    {                                                                                              \
        SPUR_CFI_SAME, false, 0                                                                    \
    }
#define NOWHERE                                                                                    \
    {                                                                                              \
        SPUR_CFI_NOWHERE, false, 0                                                                 \
    }
#define UNKNOWN                                                                                    \
    {                                                                                              \
        SPUR_CFI_UNKNOWN, false, 0                                                                 \
    }
/* clang-format on */

struct bytes {
    const uint8_t *at;
    size_t length;
};
#define BYTES(...)                                                                                 \
    {                                                                                              \
        (const uint8_t[]){__VA_ARGS__}, sizeof(uint8_t[])                                          \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

/*
 * The beginning of each processor's entries: the rule for the caller's frame right behind a call.
 */
static const struct bytes beginning[SPUR_NONE] = {
    [SPUR_X86_64] = BYTES(0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1),
    [SPUR_AARCH64] = BYTES(0, 0, 0, 0, 1, 'z', 'R', 'B', 0, 4, 0x78, 30, 1, 0x1b, 0x0c, 31, 0),
    [SPUR_RISCV64] = BYTES(0, 0, 0, 0, 3, 'z', 'R', 0, 1, 0x7c, 1, 1, 0x1b, 0x0d, 2),
};

enum { CODE_AT = 0x10000, CODE_BYTES = 0x50, INSTRUCTIONS_MAX = 64 };

/* The rule of an entry of `instructions`, `offset` bytes into its code. */
static bool run(enum spur_processor_id id, struct bytes instructions, uint32_t offset,
                struct spur_cfi_rule *rule)
{
    enum { HEAD = 13 }; /* the way to the beginning, the code relative to here, size, no more */
    uint8_t bytes[HEAD + INSTRUCTIONS_MAX] = {[8] = CODE_BYTES};
    const struct cfi_entry cie = {beginning[id].at, beginning[id].length, CODE_AT - 0x100};
    const struct cfi_entry fde = {bytes, HEAD + instructions.length, CODE_AT - 4};
    cr_assert(instructions.length <= INSTRUCTIONS_MAX);
    memcpy(bytes + HEAD, instructions.at, instructions.length);
    memset(rule, 0, sizeof *rule);
    return cfi_run(&cfi_processors[id], &cie, &fde, CODE_AT + offset, rule);
}

static void expect_place(const char *what, uint32_t offset, const struct spur_cfi_place *got,
                         const struct spur_cfi_place *want)
{
    cr_expect(got->base == want->base && got->is_read == want->is_read &&
                  got->offset == want->offset,
              "%s at %u: base %d, read %d, offset %d", what, (unsigned)offset, got->base,
              got->is_read, (int)got->offset);
}

/* A function with a frame pointer and calls, as compiled by gcc 12. */
static const struct bytes function[SPUR_NONE] = {
    [SPUR_X86_64] = BYTES(0x41, 0x0e, 0x10, 0x86, 0x02, 0x45, 0x0d, 0x06, 0x43, 0x8c, 0x03, 0x83,
                          0x04, 0x6a, 0x0c, 0x07, 0x08, 0, 0, 0, 0, 0, 0),
    /* with signed return addresses */
    [SPUR_AARCH64] = BYTES(0x41, 0x2d, 0x41, 0x0e, 0x60, 0x9d, 0x0c, 0x9e, 0x0b, 0x43, 0x93, 0x0a,
                           0x94, 0x09, 0x4a, 0xde, 0xdd, 0xd3, 0xd4, 0x0e, 0, 0x41, 0x2d, 0, 0, 0),
    [SPUR_RISCV64] = BYTES(0x42, 0x0e, 0x60, 0x42, 0x88, 0x04, 0x42, 0x0c, 0x08, 0, 0x46, 0x81,
                           0x02, 0x89, 0x06, 0x92, 0x08, 0x62, 0xc1, 0x42, 0xc8, 0x0c, 0x02, 0x60,
                           0x42, 0xc9, 0x46, 0xd2, 0x42, 0x0e, 0, 0, 0, 0, 0),
};

static const struct step {
    enum spur_processor_id id;
    uint32_t offset;
    struct spur_cfi_place frame, pointer, address;
} steps[] = {
    {SPUR_X86_64, 0, {7, false, 8}, SAME, AT(-8)},
    {SPUR_X86_64, 1, {7, false, 16}, AT(-16), AT(-8)},
    {SPUR_X86_64, 6, {6, false, 16}, AT(-16), AT(-8)},
    {SPUR_X86_64, 0x33, {7, false, 8}, AT(-16), AT(-8)},
    {SPUR_AARCH64, 0, {31, false, 0}, SAME, SAME},
    {SPUR_AARCH64, 4, {31, false, 0}, SAME, SAME},
    {SPUR_AARCH64, 8, {31, false, 96}, AT(-96), AT(-88)},
    {SPUR_AARCH64, 0x38, {31, false, 96}, AT(-96), AT(-88)},
    {SPUR_AARCH64, 0x3c, {31, false, 0}, SAME, SAME},
    {SPUR_AARCH64, 0x40, {31, false, 0}, SAME, SAME},
    {SPUR_RISCV64, 0, {2, false, 0}, SAME, SAME},
    {SPUR_RISCV64, 2, {2, false, 96}, SAME, SAME},
    {SPUR_RISCV64, 4, {2, false, 96}, AT(-16), SAME},
    {SPUR_RISCV64, 0x0c, {8, false, 0}, AT(-16), AT(-8)},
    {SPUR_RISCV64, 0x2e, {8, false, 0}, AT(-16), SAME},
    {SPUR_RISCV64, 0x3a, {2, false, 0}, SAME, SAME},
};

Test(cfi, functions_of_every_processor)
{
    struct spur_cfi_rule rule;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        const struct step *step = &steps[i];
        cr_assert(run(step->id, function[step->id], step->offset, &rule), "row %zu", i);
        expect_place("frame", step->offset, &rule.frame, &step->frame);
        expect_place("pointer", step->offset, &rule.pointer, &step->pointer);
        expect_place("address", step->offset, &rule.address, &step->address);
        cr_expect(!rule.is_signal && !rule.is_plt);
    }
}

Test(cfi, only_its_code)
{
    struct spur_cfi_rule rule;
    for (unsigned id = 0; id < SPUR_NONE; id++) {
        cr_expect(run(id, function[id], CODE_BYTES - 1, &rule));
        cr_expect(!run(id, function[id], CODE_BYTES, &rule));
    }
}

/* Only an explicit end is an end of the stack: an instruction that is not understood is no end. */
Test(cfi, where_the_return_address_is)
{
    enum { UNDEFINED = 7, REGISTER = 9, EXPRESSION = 0x10, BREG5 = 0x75, LIT1 = 0x31 };
    struct spur_cfi_rule rule;
    for (unsigned id = 0; id < SPUR_NONE; id++) {
        uint8_t link = cfi_processors[id].link;
        const struct {
            struct bytes instructions;
            struct spur_cfi_place place;
        } rows[] = {
            {BYTES(UNDEFINED, link), NOWHERE},
            {BYTES(REGISTER, link, 5), {5, false, 0}},
            {BYTES(REGISTER, link, 0x7f), UNKNOWN},
            {BYTES(EXPRESSION, link, 2, BREG5, 16), {5, true, 16}},
            {BYTES(EXPRESSION, link, 1, LIT1), UNKNOWN},
        };
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            cr_assert(run(id, rows[i].instructions, 0, &rule));
            expect_place("address", (uint32_t)i, &rule.address, &rows[i].place);
        }
    }
}

/* _dl_runtime_resolve() of glibc for aarch64: the code of the PLT has pushed x16 and x30. */
Test(cfi, frames_end_above_the_return_address)
{
    const struct bytes resolve = BYTES(0x41, 0x11, 30, 0x7f, 0x41, 0x0e, 0xd0, 1, 0x9d, 26);
    struct spur_cfi_rule rule;
    cr_assert(run(SPUR_AARCH64, resolve, 4, &rule));
    expect_place("frame", 4, &rule.frame, &(struct spur_cfi_place){31, false, 16});
    expect_place("address", 4, &rule.address, &(struct spur_cfi_place)AT(-8));
    cr_assert(run(SPUR_AARCH64, resolve, 8, &rule));
    expect_place("frame", 8, &rule.frame, &(struct spur_cfi_place){31, false, 224});
    expect_place("address", 8, &rule.address, &(struct spur_cfi_place)AT(-8));
    expect_place("pointer", 8, &rule.pointer, &(struct spur_cfi_place)AT(-224));
}

Test(cfi, signatures_are_of_one_processor)
{
    struct spur_cfi_rule rule;
    const struct bytes sign = BYTES(0x2d), with_place = BYTES(0x2c);
    for (unsigned id = 0; id < SPUR_NONE; id++) {
        cr_expect(run(id, sign, 0, &rule) == (id == SPUR_AARCH64));
        cr_expect(run(id, with_place, 0, &rule) == (id == SPUR_AARCH64));
    }
}

Test(cfi, entries_of_another_processor)
{
    struct spur_cfi_rule rule;
    const struct cfi_entry fde = {(const uint8_t[13]){[8] = CODE_BYTES}, 13, CODE_AT - 4};
    for (unsigned id = 0; id < SPUR_NONE; id++)
        for (unsigned other = 0; other < SPUR_NONE; other++) {
            const struct cfi_entry cie = {beginning[other].at, beginning[other].length, 0};
            cr_expect(cfi_run(&cfi_processors[id], &cie, &fde, CODE_AT, &rule) == (id == other));
        }
}

/* ---- code without entries ---- */

static bool rule_of(enum spur_processor_id id, const uint32_t *code, size_t n, bool is_end,
                    struct spur_cfi_rule *rule)
{
    uint8_t bytes[CFI_CODE_BYTES];
    cr_assert(n * sizeof *code <= sizeof bytes);
    memcpy(bytes, code, n * sizeof *code);
    return cfi_by_code(&cfi_processors[id], bytes, n * sizeof *code, is_end, rule);
}

/* As written by ld; at each instruction of a stub the return address is still in its register. */
Test(cfi, stubs_of_the_linker)
{
    static const struct {
        enum spur_processor_id id;
        uint32_t code[5];
        size_t n;
    } stubs[] = {
        {SPUR_AARCH64, {0x90000110, 0xf9479a11, 0x913cc210, 0xd61f0220}, 4},
        {SPUR_AARCH64, {0xd503245f, 0xb0000090, 0xf947fe11, 0x913fe210, 0xd61f0220}, 5},
        {SPUR_RISCV64, {0x00002e17, 0xfd0e3e03, 0x000e0367}, 3},
    };
    static const struct spur_cfi_place same = SAME;
    for (size_t i = 0; i < sizeof stubs / sizeof stubs[0]; i++)
        for (size_t from = 0; from < stubs[i].n; from++) {
            enum spur_processor_id id = stubs[i].id;
            const struct spur_cfi_place stack = {cfi_processors[id].stack, false, 0};
            const uint32_t *code = stubs[i].code + from;
            size_t n = stubs[i].n - from;
            struct spur_cfi_rule rule;
            cr_expect(rule_of(id, code, n, false, &rule), "stub %zu from %zu", i, from);
            expect_place("frame", (uint32_t)from, &rule.frame, &stack);
            expect_place("address", (uint32_t)from, &rule.address, &same);
            cr_expect(!rule.is_signal);
            cr_expect(!rule_of(id, code, n - 1, false, &rule), "cut off");
            cr_expect(!rule_of(SPUR_X86_64, code, n, false, &rule));
        }
    /* stp x29, x30, [sp, #-32]!; br x17 */
    static const uint32_t function_with_jump[] = {0xa9be7bfd, 0xd61f0220};
    struct spur_cfi_rule rule;
    cr_expect(!rule_of(SPUR_AARCH64, function_with_jump, 2, false, &rule));
}

Test(cfi, ends_of_signal_handlers)
{
    static const uint32_t ends[SPUR_NONE][2] = {
        [SPUR_AARCH64] = {0xd2801168, 0xd4000001}, [SPUR_RISCV64] = {0x08b00893, 0x00000073}};
    for (unsigned id = 0; id < SPUR_NONE; id++)
        for (unsigned of = 0; of < SPUR_NONE; of++) {
            struct spur_cfi_rule rule;
            bool is_it = id == of && id != SPUR_X86_64;
            cr_expect(rule_of(id, ends[of], 2, true, &rule) == is_it);
            cr_expect(!is_it || (rule.is_signal && rule.frame.base == SPUR_CFI_CONTEXT));
            cr_expect(!rule_of(id, ends[of], 2, false, &rule));
            cr_expect(!rule_of(id, ends[of], 1, true, &rule));
        }
}

/* ---- stacks of the processor at hand ---- */

enum { FRAMES = 128, TRUTH_MAX = 16 };

struct walked {
    const void *frame[FRAMES];
    uint32_t n;
    bool is_whole;
};

/* The return addresses of the functions at work, the innermost last. */
static const void *truth[TRUTH_MAX];
static int n_truth;
static struct walked of_leaf, of_handler;
static struct spur_stack_window window;
static char *page; /* inaccessible */

static void note(const void *address)
{
    cr_assert(n_truth < TRUTH_MAX);
    truth[n_truth++] = address;
}
#define NOTE() note(__builtin_extract_return_addr(__builtin_return_address(0)))

/* All of the truth is there, in order; frames of libraries may lie in between. */
static void expect_truth(const struct walked *walked, const char *what)
{
    uint32_t at = 0;
    for (int i = n_truth - 1; i >= 0; i--) {
        while (at < walked->n && walked->frame[at] != truth[i])
            at++;
        cr_expect(at < walked->n, "%s: of %u frames none returns to %d", what, (unsigned)walked->n,
                  i);
    }
}

/* A leaf calls nobody, so on most processors its return address lies only in a register. */
static __attribute__((noinline)) void leaf(volatile char *p)
{
    *p = 1;
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    struct walked *walked = of_leaf.n ? &of_handler : &of_leaf;
    (void)signal;
    walked->n = spur_stack_walk(context, &window, walked->frame, FRAMES, &walked->is_whole);
    uintptr_t at = (uintptr_t)info->si_addr & ~(uintptr_t)4095;
    if (walked == &of_leaf)
        leaf(page + 4096 + 8); /* a fault in a handler of faults */
    mprotect((void *)at, 4096, PROT_READ | PROT_WRITE);
}

static __attribute__((noinline)) int compare(const void *a, const void *b)
{
    (void)a, (void)b;
    if (!of_leaf.n) {
        NOTE();
        leaf(page);
        __asm__ volatile("" ::: "memory");
    }
    return 0;
}

static __attribute__((noinline)) int sort(size_t n)
{
    int *numbers = alloca(n * sizeof *numbers);
    memset(numbers, 0, n * sizeof *numbers);
    NOTE();
    qsort(numbers, n, sizeof *numbers, compare);
    return numbers[n - 1];
}

Test(cfi, stacks_of_faults)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    cr_assert(spur_cfi_start());
    page = mmap(NULL, 2 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(page != MAP_FAILED && sigaction(SIGSEGV, &action, NULL) == 0);
    errno = 77;
    cr_expect_eq(sort(9), 0);
    cr_expect_eq(errno, 77);
    cr_assert(of_leaf.n > 4 && of_handler.n > of_leaf.n + 1, "%u and %u frames",
              (unsigned)of_leaf.n, (unsigned)of_handler.n);
    expect_truth(&of_leaf, "a fault");
    expect_truth(&of_handler, "a fault in its handler");
    /* The interrupted place is the same, seen from the handler as from the signal. */
    uint32_t more = of_handler.n - of_leaf.n;
    cr_expect(memcmp(of_handler.frame + more, of_leaf.frame, of_leaf.n * sizeof(void *)) == 0);
    enum { LEAF_BYTES = 1024 }; /* a few, but for sanitizers' additions */
    cr_expect((uintptr_t)of_leaf.frame[0] - (uintptr_t)leaf < LEAF_BYTES);
    cr_expect(of_handler.frame[0] == of_leaf.frame[0], "the leaf again");
}

static struct walked of_call, of_caller;

static void walk_from(struct spur_frame from, struct walked *walked)
{
    window.span = (struct spur_stack_span){0, 0};
    walked->n = spur_stack_walk_from(from, &window, walked->frame, FRAMES, &walked->is_whole);
}

static __attribute__((noinline)) int call(int depth)
{
    NOTE();
    if (depth)
        return call(depth - 1) + 1;
    walk_from(spur_frame_here(), &of_call);
    walk_from(spur_frame_of_caller(), &of_caller);
    return 1;
}

Test(cfi, stacks_of_calls)
{
    cr_assert(spur_cfi_start());
    cr_expect_eq(call(3), 4);
    expect_truth(&of_call, "a call");
    expect_truth(&of_caller, "its caller");
    cr_expect(of_caller.frame[0] == truth[n_truth - 1], "the caller is the first");
}

static struct walked on_own;
static bool is_on_own;

static void note_own(void *unused)
{
    (void)unused;
    is_on_own = spur_is_on_own_stack();
    walk_from(spur_frame_here(), &on_own);
}

static __attribute__((noinline)) int call_on_own(int depth)
{
    NOTE();
    if (depth)
        return call_on_own(depth - 1) + 1;
    spur_on_own_stack(note_own, NULL);
    return 1;
}

/* From a stack of the agent back to its caller's stack, wherever the two stacks lie. */
Test(cfi, stacks_of_the_agent)
{
    n_truth = 0;
    cr_assert(spur_cfi_start());
    cr_expect_eq(call_on_own(3), 4);
    cr_expect(is_on_own);
    expect_truth(&on_own, "a stack of the agent");
}

/*
 * The caller of find_end() is code of the C library; the code's entry says: no caller, the stack
 * ends.
 */
static int find_end(void *data)
{
    (void)data;
    spur_cfi_after_fork();
    walk_from(spur_frame_here(), &of_call);
    return of_call.is_whole && of_call.n > 0 && of_call.n < 4 ? 42 : 1;
}

Test(cfi, ends_of_stacks)
{
    static char stack[64 << 10] __attribute__((aligned(16)));
    int status;
    cr_assert(spur_cfi_start());
    pid_t child = clone(find_end, stack + sizeof stack, SIGCHLD, NULL);
    cr_assert(child > 0 && waitpid(child, &status, 0) == child);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 42, "status %d", status);
}

/* ---- objects that are gone ---- */

/*
 * Maps the code's pages anew, from a file whose beginning is mapped nowhere, as some compilers at
 * run time do.
 */
static void take_code(uintptr_t start, size_t bytes)
{
    enum { BEFORE = 1 << 16 };
    void *at = (void *)start; // NOLINT(performance-no-int-to-ptr)
    int file = memfd_create("code", MFD_CLOEXEC);
    cr_assert(file >= 0 && pwrite(file, at, bytes, BEFORE) == (ssize_t)bytes);
    cr_assert_eq(mmap(at, bytes, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, file, BEFORE), at);
    close(file);
}

static int take_code_around(struct dl_phdr_info *info, size_t size, void *data)
{
    const uintptr_t *address = data, unit = (uintptr_t)sysconf(_SC_PAGESIZE);
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr, end = start + header->p_memsz;
        if (header->p_type != PT_LOAD || *address < start || *address >= end)
            continue;
        take_code(start & -unit, (end - (start & -unit) + unit - 1) & -unit);
        return 1;
    }
    return 0;
}

/*
 * The object of the last question is gone: new code at the same address has no part in the object's
 * table.
 */
Test(cfi, objects_that_are_gone)
{
    struct spur_cfi_rule rule;
    void *library = dlopen("libm.so.6", RTLD_NOW);
    uintptr_t address = (uintptr_t)dlsym(library, "cbrt");
    cr_assert(address && spur_cfi_start());
    cr_expect(spur_cfi_find(address + 1, &rule));
    cr_assert(dl_iterate_phdr(take_code_around, &address));
    spur_code_unloaded();
    cr_expect_not(spur_cfi_find(address + 1, &rule), "by the table of what is gone");
}
