#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# archives.sh NATIVE CROSS: both processors' libraries write archives; each reads its own and the other's,
# and prints the same. Where the byte order is the same, files are equal byte for byte; where it is not,
# values of attributes are others, since what writes the archives fills them as a union. See scripts/cross.
set -eu
native=$(readlink -f "$1") cross=$(readlink -f "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir ours theirs
"$native/tests/cross-archive" ours
"$cross/tests/cross-archive" theirs
failed=0
compared=0

fault()
{
    echo "archives.sh: $1" >&2
    failed=$((failed + 1))
}

# Each archive has an identity, and the time of its making.
printed()
{
    "$1/libexec/spur/spur-print" -A "$2" | sed '/^Trace identifier/d'
}

for anchor in ours/*/traces.otf2; do
    name=${anchor%/traces.otf2} name=${name#ours/}
    for writer in ours theirs; do
        for reader in "$native" "$cross"; do
            printed "$reader" "$writer/$name/traces.otf2" >as_read 2>&1 ||
                fault "$name of $writer cannot be read ($reader): $(tail -n 1 as_read)"
            [ -e "$name.$writer" ] || cp as_read "$name.$writer"
            cmp "$name.$writer" as_read || fault "$name of $writer reads otherwise ($reader)"
        done
    done
    compared=$((compared + 1))
done
# The second byte of a file is its byte order.
for file in $(cd ours && find . -name '*.evt' -o -name '*.def'); do
    cmp -s -n 2 "ours/$file" "theirs/$file" || continue
    cmp "ours/$file" "theirs/$file" || fault "$file differs"
    compared=$((compared + 1))
done
echo "archives.sh: $compared compared, $failed differ"
[ "$failed" = 0 ] && [ "$compared" -gt 5 ]
