#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: settings tools/launch
# shellcheck source-path=SCRIPTDIR
# Each setting with bad values: options of spur, variables, and spur attach.
here=$(readlink -f "$(dirname "$0")")
. "$(dirname "$0")/expect.sh"
"$python" "$here/bad_settings.py" "$spur" "$PWD" || faults=1
finish
