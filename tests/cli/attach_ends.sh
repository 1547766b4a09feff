#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: attach tools/attach agent/process
# shellcheck source-path=SCRIPTDIR
# The archive of a process that was attached to is true and whole however recording ends, and the process goes on.
here=$(readlink -f "$(dirname "$0")")
. "$(dirname "$0")/expect.sh"
"$python" "$here/attach_ends.py" "$spur" "$PWD" || faults=1
finish
