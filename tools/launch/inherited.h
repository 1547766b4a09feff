/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the caller has made for the command: signal dispositions, timers, preloaded libraries.
 * Nothing of it acts on the launcher itself.
 */
#ifndef TOOLS_INHERITED_H
#define TOOLS_INHERITED_H

/*
 * Called first, with main()'s argv; returns the words behind the program's name. The libraries are
 * not loaded into a program that is statically linked; any other one becomes itself once more.
 */
char **inherited_note(char **argv);

/* The caller's value of LD_PRELOAD, NULL: none. */
const char *inherited_preload(void);

/* The agent among them, of a session around this one, if it is there; the caller's to free. */
char *inherited_agent(void);

/* Before a fork(): the caller's timers are for the child, which does not inherit them. */
void inherited_take_timers(void);

/* What is preloaded besides the caller's libraries, none of them spur's; NULL: nothing. */
struct inherited_libraries {
    const char *agent;  /* behind the others */
    const char *memory; /* in front of them */
};

/* For what this process becomes next. */
void inherited_give_back(const struct inherited_libraries *of);

#endif
