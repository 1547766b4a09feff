#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# page.sh SPUR-VIEW OPTION...: the page, on standard output.
view=$1
shift
"$view" -o page.html --no-findings "$@" >/dev/null
status=$?
cat page.html
exit $status
