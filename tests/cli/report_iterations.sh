#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/report/iterations
exec /usr/bin/python3 -B "$(dirname "$0")/report_iterations.py" "$1"
