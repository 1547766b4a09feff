#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/report/causes
exec /usr/bin/python3 -B "$(dirname "$0")/report_starved.py" "$1"
