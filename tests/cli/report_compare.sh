#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/report/compare
exec /usr/bin/python3 -B "$(dirname "$0")/report_compare.py" "$1"
