#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
exec /usr/bin/python3 -B "$(dirname "$0")/report_starved.py" "$1"
