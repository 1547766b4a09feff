/* SPDX-License-Identifier: BSD-3-Clause */
/* The command once more, in a process of its own that is part of nobody's session. */
#ifndef TOOLS_ATTACH_ANEW_H
#define TOOLS_ATTACH_ANEW_H

/*
 * In place of this process, which has one thread. `word` tells it what to do; what follows may be
 * NULL. Returns if it cannot be.
 */
void anew_execute(const char *word, const char *first, const char *second);

#endif
