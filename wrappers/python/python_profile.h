/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of Python programs as regions. */
#ifndef PYTHON_PROFILE_H
#define PYTHON_PROFILE_H

/*
 * An interpreter begins, maybe the first one: from the beginning of the program on its functions
 * are recorded, if they are wanted and the interpreter is known.
 */
void python_profile_listen(void);

#endif
