/* SPDX-License-Identifier: BSD-3-Clause */
/* How the beginning of an interpreter is noticed. */
#ifndef PYTHON_INITIALIZE_H
#define PYTHON_INITIALIZE_H

/*
 * At the start: finds what is needed for that, and the interpreter, if it is there already. Called
 * on the agent's own stack: each of the two would change the signal mask and change it back.
 */
void python_initialize_find(void);

#endif
