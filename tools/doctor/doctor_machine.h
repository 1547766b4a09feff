/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of spur-doctor that is about the machine, not about a program. */
#ifndef TOOLS_DOCTOR_MACHINE_H
#define TOOLS_DOCTOR_MACHINE_H

typedef void doctor_fact(const char *what, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Clock, optional libraries, counters and disk. None of them keeps a program from being traced:
 * each is a fact that says what it costs.
 */
void doctor_machine(doctor_fact *fact);

/* `linked`: the file with the program's loader of OpenCL; NULL: it has none. */
void doctor_opencl(doctor_fact *fact, doctor_fact *problem, const char *linked);

#endif
