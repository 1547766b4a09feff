#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: attach tools/attach
# shellcheck source-path=SCRIPTDIR
# What spur attach and spur detach refuse: in one line, with status 1, and the program ends as without spur.
here=$(readlink -f "$(dirname "$0")")
. "$(dirname "$0")/expect.sh"
"$python" "$here/attach_refusals.py" "$spur" "$PWD" || faults=1
finish
