# SPDX-License-Identifier: BSD-3-Clause
# The page's script is these files, one behind the other: what a file needs while it is read stands before it.
set(view_page_scripts
    units dom colours sections exact model state layout look svg
    paint_cells paint_dense paint_calls paint_messages paint_marks picture describe timeline
    sums panels flame matrix side search save controls served measure main)
