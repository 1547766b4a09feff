/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The settings that the caller made for the command: signal dispositions, timers, preloaded
 * libraries. The launcher itself is not affected by any of these.
 */
#ifndef TOOLS_INHERITED_H
#define TOOLS_INHERITED_H

/*
 * Called first, with the argv of main(); returns the words behind the program's name. The loader
 * preloads nothing into a statically linked program. Otherwise, if libraries are preloaded, the
 * launcher executes itself anew without the libraries.
 */
char **inherited_note(char **argv);

/* The caller's value of LD_PRELOAD, NULL: unset. */
const char *inherited_preload(void);

/*
 * The agent in the caller's LD_PRELOAD, preloaded by a session around this session; NULL: no agent.
 * The caller of the function frees the name.
 */
char *inherited_agent(void);

/* Before a fork(): the caller's timers are for the child, but a child does not inherit timers. */
void inherited_take_timers(void);

/*
 * Further libraries to preload, beside the caller's libraries (spur's own are left out of the
 * caller's list); NULL: nothing.
 */
struct inherited_libraries {
    const char *agent;  /* behind the caller's libraries */
    const char *memory; /* in front of the caller's libraries */
};

/* Restore the settings, for the program that this process executes next. */
void inherited_give_back(const struct inherited_libraries *of);

#endif
