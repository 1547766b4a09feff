/* SPDX-License-Identifier: BSD-3-Clause */
/* links: format format-mem-libc */
/*
 * The header-only callbacks, with each MPI that is installed, POSIX threads and OpenMP: compiles
 * and runs callbacks_*.c, as C and as C++ where that is possible.
 */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((format(printf, 1, 2))) static int shell(const char *format, ...)
{
    char command[4096];
    va_list va;
    va_start(va, format);
    vsnprintf(command, sizeof command, format, va);
    va_end(va);
    return system(command);
}

/* Builds a program beside this file and runs it; false when there is no such compiler. */
static bool run(const char *compiler, const char *runner, const char *source)
{
    char program[] = "/tmp/callbacks-XXXXXX";
    if (shell("command -v %.*s >/dev/null", (int)strcspn(compiler, " "), compiler) != 0)
        return false;
    int fd = mkstemp(program);
    cr_assert_geq(fd, 0);
    close(fd);
    int built = shell("%s -Wall -Wextra -Wconversion -Wshadow -Werror -pthread -I" SOURCE_ROOT
                      " -I" SOURCE_ROOT "/include " SOURCE_ROOT "/tests/unit/%s -o %s",
                      compiler, source, program);
    int ran = built == 0 ? shell("timeout 60 %s %s", runner, program) : -1;
    unlink(program);
    cr_assert_eq(built, 0, "%s %s", compiler, source);
    cr_assert_eq(ran, 0, "%s: %s %s", compiler, runner, source);
    return true;
}

Test(format_callbacks, locks)
{
    cr_assert(run("cc -std=gnu11", "", "callbacks_locks.c"));
    run("cc -std=gnu11 -fopenmp -DUSE_OPENMP", "", "callbacks_locks.c");
    run("c++ -x c++", "", "callbacks_locks.c");
}

Test(format_callbacks, mpich)
{
    if (!run("mpicc.mpich -std=gnu11", "mpirun.mpich -n 3", "callbacks_mpi.c"))
        cr_skip_test("no MPICH");
    cr_assert(run("mpicc.mpich -DOTF2_MPI_USE_PMPI", "mpirun.mpich -n 4", "callbacks_mpi.c"));
}

Test(format_callbacks, open_mpi)
{
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    if (!run("mpicc.openmpi -std=gnu11", "mpirun.openmpi --oversubscribe -n 3", "callbacks_mpi.c"))
        cr_skip_test("no Open MPI");
}
