/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts that recording and finishing share. */
#ifndef SPUR_GIVEN_NAMES_H
#define SPUR_GIVEN_NAMES_H

/*
 * Names of threads that nobody has named: finishing puts the thread's number in. Were each a string
 * of its own, memory would grow with every thread that there ever was.
 */
#define SPUR_NAME_OF_THREAD "Thread %u"
#define SPUR_NAME_OF_PTHREAD "Pthread thread %u"

#endif
