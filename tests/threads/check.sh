#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# check.sh SPUR-CHECK FIXTURE-MANY: an archive that is right and one that is not, on several threads.
check=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
"$2" good 24 2000 >out || exit 1
cp -r good wrong
cp good/traces/3.evt wrong/traces/4.evt
head -c 5000 good/traces/7.evt >wrong/traces/7.evt
faults=0
for archive in good wrong; do
    "$check" --threads 1 --all --remarks $archive >one 2>&1
    one=$?
    for threads in 2 5; do
        "$check" --threads $threads --all --remarks $archive >several 2>&1
        several=$?
        [ $one = $several ] && cmp one several && continue
        echo "FAULT: $archive on $threads threads: status $several, on one $one"
        head -40 several
        faults=1
    done
done
exit $faults
