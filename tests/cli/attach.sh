#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: attach tools/attach
# shellcheck source-path=SCRIPTDIR
# spur attach and spur detach: programs that run are recorded from a random moment on, and end as without spur.
here=$(readlink -f "$(dirname "$0")")
. "$(dirname "$0")/expect.sh"
"$python" "$here/attach.py" "$spur" "$PWD" || faults=1
finish
