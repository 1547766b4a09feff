/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Pcontrol: a program's wishes to profiling tools. Level 0 pauses recording, level 1 goes on.
 * Other levels mean nothing to spur. The call is a region of its own only if group "perf" is on and
 * the call lies in the recorded part.
 *
 * The arguments behind the level are for another tool, and only the tool knows their meaning. All
 * registers for arguments are passed on, and the first words on the stack. Integers and floating
 * point numbers take separate registers, so each argument stays at the caller's place. Where
 * numbers take the registers of words, as on riscv64, the words contain the numbers, too, in the
 * caller's order.
 */
#include <stdarg.h>

#include "wrappers/mpi/library/mpi_route.h"
#include "wrappers/mpi/mpi_frame.h"
#include "wrappers/mpi/mpi_groups.h"
#include "wrappers/mpi/mpi_init.h"

enum { WORDS = 16, NUMBERS = 8 };

/*
 * A caller that gives fewer arguments has its own frame at the place of the missing words. The
 * words of the frame are read and passed on, and nobody looks at the words. AddressSanitizer takes
 * the reading for a fault.
 */
#define READS_FRAME_OF_CALLER __attribute__((no_sanitize_address))

struct rest {
    mpi_word word[WORDS];
    double number[NUMBERS];
};

static int pass_on(mpi_function next, int level, const struct rest *r)
{
    const mpi_word *w = r->word;
    const double *f = r->number;
    return ((int (*)(int, ...))next)(level, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8],
                                     w[9], w[10], w[11], w[12], w[13], w[14], w[15], f[0], f[1],
                                     f[2], f[3], f[4], f[5], f[6], f[7]);
}

static int control(mpi_function next, int level, const struct rest *rest)
{
    static struct spur_call call = MPI_REGION("MPI_Pcontrol", perf, FUNCTION);
    bool is_ours = mpi_library() && !mpi_is_off;
    if (is_ours && level == 1)
        spur_recording(true);
    int ret;
    {
        struct spur_loc *loc = is_ours ? spur_enter(&call) : NULL;
        MPI_FRAME(frame) = {.loc = loc, .call = &call};
        MPI_UNRECORDED(guard);
        ret = pass_on(next, level, rest);
    }
    if (is_ours && level == 0)
        spur_recording(false);
    return ret;
}

#define PCONTROL(Symbol)                                                                           \
    SPUR_EXPORT int Symbol(const int level, ...);                                                  \
    READS_FRAME_OF_CALLER SPUR_EXPORT int Symbol(const int level, ...)                             \
    {                                                                                              \
        static _Atomic(mpi_function) cache;                                                        \
        struct rest rest;                                                                          \
        va_list words;                                                                             \
        va_list numbers;                                                                           \
        va_start(words, level);                                                                    \
        va_copy(numbers, words);                                                                   \
        for (int i = 0; i < NUMBERS; i++)                                                          \
            rest.number[i] = va_arg(numbers, double);                                              \
        for (int i = 0; i < WORDS; i++)                                                            \
            rest.word[i] = va_arg(words, mpi_word);                                                \
        va_end(numbers);                                                                           \
        va_end(words);                                                                             \
        return control(mpi_route_or_error(&cache, #Symbol, __builtin_return_address(0)).next,      \
                       level, &rest);                                                              \
    }
PCONTROL(MPI_Pcontrol)
PCONTROL(PMPI_Pcontrol)
