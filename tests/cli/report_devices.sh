#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/report/devices
exec /usr/bin/python3 -B "$(dirname "$0")/report_devices.py" "$1"
