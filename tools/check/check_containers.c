/* SPDX-License-Identifier: BSD-3-Clause */
/* The containers of an archive of substrate SION: whether they are whole, and what is in them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "format/paths.h"
#include "tools/check/check.h"

/* In the order of check.container_errors. */
static const OTF2_FileType types[] = {OTF2_FILETYPE_EVENTS, OTF2_FILETYPE_LOCAL_DEFS,
                                      OTF2_FILETYPE_SNAPSHOTS};

enum { KINDS = sizeof types / sizeof types[0] };

static void tell(const struct check *c, const struct otf2_fault *fault)
{
    size_t folder = strlen(c->dir) + 1;
    struct place where = {.file = strlen(fault->path) > folder ? fault->path + folder : fault->path,
                          .offset = fault->at,
                          .has_offset = fault->has_at};
    found(c->verdict, RULE_CONTAINER, where, "%s", fault->what);
}

/* All of them now: workers may only look up what is known. */
bool containers_judge(struct check *c)
{
    struct otf2_fault fault;
    if (c->anchor.substrate != OTF2_SUBSTRATE_SION)
        return true;
    c->containers = otf2_containers_new(c->dir, c->name, &fault);
    c->is_cut = !c->containers;
    if (!c->containers) {
        tell(c, &fault);
        return false;
    }
    for (unsigned kind = 0; kind < KINDS; kind++) {
        OTF2_ErrorCode error = otf2_containers_find_all(c->containers, types[kind], &fault);
        c->container_errors[kind] = error;
        if (!error)
            error = otf2_containers_judge_places(c->containers, types[kind], &fault);
        if (error && error != OTF2_ERROR_ENOENT)
            tell(c, &fault);
    }
    return true;
}

bool containers_find(const struct check *c, OTF2_FileType type, uint64_t location,
                     const struct otf2_pieces **pieces, bool *is_missing)
{
    struct otf2_fault fault;
    unsigned kind = 0;
    *is_missing = false;
    *pieces = NULL;
    if (!c->containers)
        return true;
    while (types[kind] != type)
        kind++;
    *is_missing = c->container_errors[kind] == OTF2_ERROR_ENOENT;
    if (c->container_errors[kind])
        return false;
    *pieces = otf2_containers_find(c->containers, type, location, &fault);
    *is_missing = !*pieces;
    return *pieces;
}

void containers_check_stray(struct check *c)
{
    uint64_t n = c->containers ? otf2_containers_locations(c->containers) : 0;
    for (uint64_t i = 0; i < n; i++) {
        char name[FILE_NAME_BYTES];
        uint64_t id = otf2_containers_location(c->containers, i);
        const struct otf2_pieces *pieces;
        bool is_missing;
        for (unsigned kind = 0; kind < KINDS && !location_find(c, id); kind++) {
            (void)snprintf(name, sizeof name, "%" PRIu64 ".%s", id, otf2_path_ending(types[kind]));
            if (containers_find(c, types[kind], id, &pieces, &is_missing))
                found(c->verdict, RULE_FILE_STRAY, (struct place){.file = name},
                      "belongs to no location");
        }
    }
}
