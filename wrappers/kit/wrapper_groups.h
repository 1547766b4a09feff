/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of calls, which a setting selects from. */
#ifndef WRAPPERS_KIT_WRAPPER_GROUPS_H
#define WRAPPERS_KIT_WRAPPER_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

struct wrapper_group {
    const char *name;
    bool is_default;
};

/* The groups of a family: at most 29. */
struct wrapper_groups {
    const char *setting; /* "SPUR_MPI" */
    const char *of;      /* whose calls: "MPI" */
    const struct wrapper_group *group;
    uint32_t n;
    bool *is_off; /* as many, by which the calls are switched: struct spur_call */
};

/*
 * Switch the groups as `text` says: a comma list of names, `default` and `all`, or `none`; a name
 * with a minus is taken away from the names before, or from `default`. An unknown name causes a
 * warning and is ignored; if no name is known, the list counts as `default`. NULL changes nothing.
 * Returns whether any group is on. Before the first call of a function.
 */
bool wrapper_groups_select(const struct wrapper_groups *groups, const char *text);

/* Is the text of that pattern, in which a star stands for any text? */
bool wrapper_matches(const char *pattern, const char *text);

#endif
