#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/export tools/query
# shellcheck source-path=SCRIPTDIR
# Exports and questions: what is in them, how they end, and what they leave behind.
here=$(readlink -f "$(dirname "$0")")
build=$(readlink -f "$1")
root=$here/../..
. "$here/expect.sh"

$python "$here/report_archives.py" . || fault "no archives"
$python "$here/exports.py" "$build" || fault "see above"

# ---- estimate and limit ----

run "$spur" export --to perfetto --estimate ranks
same "status of an estimate" "$status:$err" "0:"
has "estimate" "$out" "about "
run "$spur" export --to chrome --limit 1K -o small ranks
same "status beyond the limit" "$status:$out" "1:"
for word in ranks/traces.otf2 chrome KiB --time --location --min-duration --limit; do
    has "line about the limit" "$err" "$word"
done
[ ! -e small ] || fault "something was written"
run "$spur" export --to chrome --limit 1K --time 0..1ms -o small ranks
same "status of a small part" "$status:$err" "0:"

# ---- to where ----

"$spur" export --to chrome ranks >stream
"$spur" export --to chrome -o file ranks
cmp stream file || fault "standard output differs from a file"
run "$spur" export --to chrome -o missing/file ranks
same "status without the directory" "$status" 1
has "line without the directory" "$err" "missing/file"
mkdir csv
run "$spur" export --to csv -o csv ranks
same "status of a directory that is there" "$status" 1
has "line of it" "$err" "csv: it is there already"
same "what is in it" "$(ls csv)" ""
run "$spur" export --to perfetto ranks/
[ "$(wc -c <../out)" -gt 1000 ] || fault "no trace on standard output"
same "left over" "$(find . -name '*.part-*')" ""
if [ -w /dev/full ]; then
    run sh -c '"$1" export --to chrome ranks >/dev/full' sh "$spur"
    same "status of a full disk" "$status" 1
    has "line of it" "$err" "No space left"
fi

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
wrong "name a format with --to" export ranks
wrong "knows no 'xml'" export --to xml ranks
wrong "needs --output" export --to sqlite ranks
wrong "FROM..TO" export --to folded --time 5 ranks
wrong "FROM..TO" export --to folded --time 5..4 ranks
wrong "wants a time" export --to folded --min-duration 5parsecs ranks
wrong "wants a size" export --to folded --limit much ranks
wrong "no location '7'" export --to folded --location 0,7 ranks
wrong "--table needs --to csv" export --to folded --table call ranks
wrong "knows no 'calls'" export --to csv --table calls ranks
wrong "one archive" export --to folded
wrong "needs a value" export --to
wrong "an archive and a question" query ranks

# ---- archives that are not there, or not whole ----

mkdir empty unfinished unfinished/.spur
for archive in nowhere empty nowhere.otf2; do
    run "$spur" export --to folded $archive
    same "status of $archive" "$status:$out" "1:"
    has "line of $archive" "$err" "$archive"
done
run "$spur" export --to folded unfinished
has "line of an unfinished one" "$err" "spur recover"
cp -r ranks cut && truncate -s -9 cut/traces/4294967296.evt
run "$spur" export --to folded cut
same "status of a damaged archive" "$status" 1
has "line of it" "$err" "exported as far as it could be read"
has "what could be read" "$out" "rank 0;Master thread;main"
for i in 1 2; do
    run "$spur" query cut 'SELECT count(*) FROM call'
    same "status of question $i about it" "$status" 1
    has "line of it" "$err" "exported as far as it could be read; 'spur check cut/traces.otf2' tells more"
done

# ---- questions ----

run "$spur" query ranks 'SELECT nowhere'
same "status of a wrong question" "$status:$out" "1:"
has "line of it" "$err" "no such column"
run "$spur" query ranks 'SELECT 1; SELECT 2'
has "two questions" "$err" "one question at a time"
run "$spur" query ranks 'SELECT name, line FROM region WHERE file IS NOT NULL ORDER BY 1'
same "text" "$out" "$(printf 'name\tline\nmain\t7\nsolve\t42')"
run "$spur" query --json ranks "SELECT CAST(x'ff410a' AS TEXT) AS t"
has "bytes that are no text, as JSON" "$out" '{"t": "\ufffdA\u000a"}'
if [ "$(id -u)" != 0 ]; then
    cp -r ranks fixed && rm -f fixed/.traces.sqlite && chmod a-w fixed
    run env XDG_CACHE_HOME="$PWD/cache" "$spur" query --path fixed
    has "database of an archive that cannot be written" "$out" "$PWD/cache/spur/"
    chmod u+w fixed
fi
run "$spur" check ranks
same "an archive with its database" "$status:$err" "0:"

# ---- the page ----

"$spur" export --schema >schema
sed -n '/^### archive/,$p' "$root/docs/export.md" >described
cmp schema described || fault "docs/export.md has other tables than spur export --schema"
finish
