#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/view/serve
# shellcheck source-path=SCRIPTDIR
# spur view --serve: what it says to strangers, what is in a window, and how it ends.
here=$(readlink -f "$(dirname "$0")")
build=$(readlink -f "$1")
. "$here/expect.sh"

$python "$here/report_archives.py" . || fault "no archives"
$python "$here/view_windows.py" "$build" || fault "see above"
$python "$here/view_serve.py" "$build" || fault "see above"
finish
