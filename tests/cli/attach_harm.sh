#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: attach tools/attach
# shellcheck source-path=SCRIPTDIR
# spur attach does no harm: killed at any moment, to a process that is stopped, executes another program, or
# makes threads and children meanwhile.
here=$(readlink -f "$(dirname "$0")")
. "$(dirname "$0")/expect.sh"
"$python" "$here/attach_harm.py" "$spur" "$PWD" || faults=1
finish
