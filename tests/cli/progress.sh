#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/base
exec /usr/bin/python3 -B "$(dirname "$0")/progress.py" "$1"
