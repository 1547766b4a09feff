#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/view/serve
# shellcheck source-path=SCRIPTDIR
# spur view --serve: what it says to strangers, what is in a window, and how it ends.
here=$(readlink -f "$(dirname "$0")")
build=$(readlink -f "$1")
. "$here/expect.sh"

mkdir windows
for folder in . windows; do
    $python "$here/report_archives.py" $folder || fault "no archives"
done
(cd windows && exec $python "$here/view_windows.py" "$build") & # the other one mostly waits
windows=$!
$python "$here/view_serve.py" "$build" || fault "see above"
wait $windows || fault "see above, windows"
finish
