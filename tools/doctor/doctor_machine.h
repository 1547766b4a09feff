/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of spur-doctor about the machine, not about a program. */
#ifndef TOOLS_DOCTOR_MACHINE_H
#define TOOLS_DOCTOR_MACHINE_H

#include <stdbool.h>

typedef void doctor_fact(const char *what, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Clock, optional libraries, counters and disk. No fact here keeps a program from being traced:
 * each fact tells the price of a missing or slow part.
 */
void doctor_machine(doctor_fact *fact);

/*
 * `linked`: the file with the program's loader of OpenCL; NULL: no loader. `is_inside`: the file is
 * the program itself.
 */
void doctor_opencl(doctor_fact *fact, doctor_fact *problem, const char *linked, bool is_inside);

/* The same for the loader of Level Zero. */
void doctor_levelzero(doctor_fact *fact, doctor_fact *problem, const char *linked);

struct doctor_cuda {
    const char *runtime; /* the program's libcudart.so; NULL: statically linked, or no runtime */
    bool is_used;        /* the program names the driver or the runtime */
};
void doctor_cuda(doctor_fact *fact, doctor_fact *problem, const struct doctor_cuda *cuda);

/* Files of the program; NULL: the program has no file of the kind. */
struct doctor_hip {
    const char *runtime, *registers; /* libamdhip64.so, librocprofiler-register.so */
};
void doctor_hip(doctor_fact *fact, doctor_fact *problem, const struct doctor_hip *hip);

/* Does the text stand in the file? */
bool doctor_has(const char *path, const char *text);

#endif
