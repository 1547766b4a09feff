#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/report/topics
exec /usr/bin/python3 -B "$(dirname "$0")/report_locks.py" "$1"
