#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: reader tools/unpack
# shellcheck source-path=SCRIPTDIR
root=$(readlink -f "$(dirname "$0")/../..")
. "$(dirname "$0")/expect.sh"

# ---- archives of SIONlib, and of other shapes: as their plain twins ----

/usr/bin/python3 -B "$root/tests/cli/containers_read.py" "$1" || fault "containers are not as plain files"

finish
