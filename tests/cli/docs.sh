#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: scripts docs
# shellcheck source-path=SCRIPTDIR disable=SC2016,SC2317,SC2329 # backquotes are Markdown's; called by name
# scripts/check_docs finds each kind of fault that it is there for.
root=$(readlink -f "$(dirname "$0")/../..")
. "$(dirname "$0")/expect.sh"

for entry in "$root"/*/; do
    ln -s "$entry" .
done
rm -f docs build*

# finds FAULT COMMAND...: after COMMAND in a copy of the pages, check_docs fails and says FAULT.
finds()
{
    what=$1
    shift
    rm -rf docs && cp -r "$root/docs" "$root"/*.md "$root/LICENSE" .
    "$@"
    run "$root/scripts/check_docs" .
    same "status of '$*'" "$status:$err" "1:"
    same "faults of '$*'" "$out" "$what"
}

append()
{
    echo "$2" >>"$1"
}

rm -rf docs && cp -r "$root/docs" "$root"/*.md "$root/LICENSE" .
run "$root/scripts/check_docs" .
same "the pages as they are" "$status:$out$err" "0:"
finds "docs/README.md: does not lead to docs/new.md" append docs/new.md "# New"
finds "docs/mpi.md: link to nowhere.md: there is no such file" append docs/mpi.md "[x](nowhere.md)"
finds "README.md: link to docs/mpi.md#no-part: there is no such heading" \
    append README.md "[x](docs/mpi.md#no-part)"
finds 'docs/mpi.md: names `agent/no_such.c`, which does not exist' \
    append docs/mpi.md 'See `agent/no_such.c`.'
finds "README.md: line 1 has 501 characters, more than 500" sed -i "1s/.*/$(printf '%501s' '')/" README.md
finds "docs/marks.md: lacks SPUR::SNAPSHOT" sed -i '/SPUR::SNAPSHOT/d' docs/marks.md
finds "docs/marks.md: lacks MPI ordinal" sed -i '/MPI ordinal/d' docs/marks.md
finds "docs/marks.md: has spur::no_such, which no code writes" append docs/marks.md '`spur::no_such`'
finds "docs/install.md: scripts/packages lacks libdw9" sed -i 's/^| `libdw1`/| `libdw9`/' docs/install.md
finds "docs/architecture.md: the map has no row for tools/check/" \
    sed -i '/^| `tools\/check\/` |/d' docs/architecture.md
# ---- rooms of tests ----

mkdir rooms
cat >rooms/CTestTestfile.cmake <<'END'
add_test(a true)
set_tests_properties(a PROPERTIES LABELS "e2e;quick")
add_test(b true)
set_tests_properties(b PROPERTIES LABELS "reader;elsewhere")
END
run "$root/scripts/check_rooms" rooms
for fault in "a names no room" "b is of elsewhere, which is no room of docs/architecture.md" "no test is of writer"; do
    has "rooms of tests" "$out" "$fault"
done
same "rooms of tests" "$status:$(echo "$out" | grep -cx "no test is of reader")" 1:0
finish
