#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/report/read
exec /usr/bin/python3 -B "$(dirname "$0")/report_threads.py" "$1"
