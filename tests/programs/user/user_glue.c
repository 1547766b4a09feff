/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions for Fortran: the example of docs/control.md. Built into the program, without the agent.
 */
#include <stdlib.h>
#include <string.h>

#include <spur/spur.h>

struct spur_user_region *user_region_new(const char *name)
{
    struct spur_user_region *region = calloc(1, sizeof *region);
    if (region)
        region->name = strdup(name);
    return region;
}

void user_region_enter(struct spur_user_region *region)
{
    spur_user_enter(region);
}

void user_region_leave(struct spur_user_region *region)
{
    spur_user_leave(region);
}

void user_record(int on)
{
    if (on)
        spur_user_on();
    else
        spur_user_off();
}
