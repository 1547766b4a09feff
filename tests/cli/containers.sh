#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: reader writer
# shellcheck source-path=SCRIPTDIR
root=$(readlink -f "$(dirname "$0")/../..")
. "$(dirname "$0")/expect.sh"

# ---- archives whose files are in SION containers ----

/usr/bin/python3 -B "$root/tests/cli/containers.py" "$1" || fault "containers are not as plain files"

finish
