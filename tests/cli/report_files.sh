#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/report/files
exec /usr/bin/python3 -B "$(dirname "$0")/report_files.py" "$1"
