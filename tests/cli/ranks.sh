#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/engine
# shellcheck source-path=SCRIPTDIR
root=$(readlink -f "$(dirname "$0")/../..")
. "$(dirname "$0")/expect.sh"

# ---- commands on the ranks of an MPI job ----

/usr/bin/python3 -B "$root/tests/cli/ranks.py" "$1" || fault "a job of ranks is not as one process"

finish
