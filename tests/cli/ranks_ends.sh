#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/engine
# shellcheck source-path=SCRIPTDIR
root=$(readlink -f "$(dirname "$0")/../..")
. "$(dirname "$0")/expect.sh"

# ---- how the ranks of an MPI job end when something goes wrong ----

/usr/bin/python3 -B "$root/tests/cli/ranks_ends.py" "$1" || fault "a job of ranks does not end as it should"

finish
