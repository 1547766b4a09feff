#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/engine tools/report/read
exec /usr/bin/python3 -B "$(dirname "$0")/all_workers.py" "$1"
