#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/view tools/view/command
# shellcheck source-path=SCRIPTDIR
# Pages: what is in them, how spur view ends, and what it leaves behind.
here=$(readlink -f "$(dirname "$0")")
build=$(readlink -f "$1")
. "$here/expect.sh"

$python "$here/report_archives.py" . || fault "no archives"
$python "$here/views.py" "$build" || fault "see above"
$python "$here/view_lines.py" "$build" || fault "see above"

# ---- to where ----

run "$spur" view ranks
same "status without -o" "$status:$err" "0:"
has "what is said" "$out" "ranks.html: "
cmp -s ranks.html ranks0.html || fault "ranks.html is another page"
run "$spur" view -o missing/file.html ranks
same "status without the directory" "$status:$out" "1:"
has "line without the directory" "$err" "missing/file.html"
if [ -w /dev/full ]; then
    run "$spur" view -o /dev/full ranks
    same "status of a full disk" "$status:$out" "1:"
    has "line of it" "$err" "/dev/full: No space left"
fi
same "left over" "$(find . -name '*.part-*')" ""

# ---- wrong use ----

wrong()
{
    what=$1
    shift
    run "$spur" "$@"
    same "status of $*" "$status:$out" "2:"
    has "line of $*" "$err" "$what"
    same "lines of $*" "$(echo "$err" | wc -l)" 1
}
wrong "FROM..TO" view --time 5 ranks
wrong "FROM..TO" view --time 5..4 ranks
wrong "no location '7'" view --location 0,7 ranks
wrong "1 to 1024" view --threads 0 ranks
wrong "a number from" view --text --width 5 ranks
wrong "--width needs --text" view --width 80 ranks
wrong "--output makes a page" view --text --output x.html ranks
wrong "one archive" view
wrong "one archive" view ranks ranks
wrong "needs a value" view --output

# ---- archives that are not there, or not whole ----

mkdir empty unfinished unfinished/.spur
for archive in nowhere empty nowhere.otf2 unfinished; do
    run "$spur" view $archive
    same "status of $archive" "$status:$out" "1:"
    has "line of $archive" "$err" "$archive"
done
cp -r ranks cut
truncate -s -20 cut/traces/0.evt
run "$spur" view cut
same "status of an archive that was cut off" "$status" 1
has "line of it" "$err" "shown as far as it could be read"
[ -s cut.html ] || fault "no page of what could be read"
finish
