/* SPDX-License-Identifier: BSD-3-Clause */
/* links: tools-engine */
/* A call path ends with the function that was called, however deep it is and however many there
 * are. */
#include <criterion/criterion.h>

/* A part of a command, and of no library. */
/* NOLINTBEGIN(bugprone-suspicious-include) */
#include "tools/view/view_paths.c"
/* NOLINTEND(bugprone-suspicious-include) */

enum { DEEP = 1000, FUNCTIONS = 500 };

Test(view_paths, deep)
{
    struct view_paths paths = {0};
    uint32_t path = view_paths_root(&paths, 0, PATH_CALL);
    for (uint32_t i = 1; i < DEEP; i++) {
        uint32_t caller = path;
        path = view_paths_child(&paths, caller, i, PATH_CALL);
        cr_assert_eq(paths.all.at[path].region, i);
        cr_assert_lt(paths.all.at[path].parent, path);
        cr_assert_leq(paths.all.at[path].depth, DEPTH_MAX);
        cr_assert_eq(view_paths_child(&paths, caller, i, PATH_CALL), path, "the same again");
    }
}

Test(view_paths, many)
{
    struct view_paths paths = {0};
    uint32_t root = view_paths_root(&paths, 0, PATH_CALL);
    for (uint32_t i = 1; i <= FUNCTIONS; i++) {
        uint32_t caller = view_paths_child(&paths, root, i, PATH_CALL);
        for (uint32_t j = 1; j <= FUNCTIONS; j++) {
            uint32_t path = view_paths_child(&paths, caller, j, PATH_CALL);
            cr_assert_eq(paths.all.at[path].region, j);
            cr_assert_eq(view_paths_child(&paths, caller, j, PATH_CALL), path, "the same again");
        }
    }
    cr_assert_leq(paths.all.n, PATHS_MAX + FUNCTIONS);
}
