#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# same.sh FIXTURE-MANY COMMAND [OPTION]...: of an archive, and of one that is cut off, the command says the
# same on one thread and on several.
many=$1
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
"$many" good 24 1000 >out || exit 1
cp -r good wrong
head -c 5000 good/traces/7.evt >wrong/traces/7.evt

faults=0
for archive in good wrong; do
    for threads in 1 3; do
        "$@" --threads $threads $archive/traces.otf2 >said.$threads 2>complaints
        echo "status $?" >>said.$threads
        cat complaints >>said.$threads
        cmp said.1 said.$threads && continue
        echo "FAULT: $archive on $threads threads differs from one"
        tail -n 40 said.$threads | head -c 4000
        faults=1
    done
    [ $archive = wrong ] || grep -q "status 0" said.3 || faults=1
done
exit $faults
