#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/unpack writer
# shellcheck source-path=SCRIPTDIR
root=$(readlink -f "$(dirname "$0")/../..")
. "$(dirname "$0")/expect.sh"

# ---- plain files into SION containers ----

/usr/bin/python3 -B "$root/tests/cli/pack.py" "$1" || fault "spur pack"

finish
