#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/portable/packages.sh: tries Debian's packages of a folder in a new root of a Debian release:
#     tar -c -C FOLDER . | scripts/on --bare bookworm tests/portable/packages.sh
# Installs them, runs the tests of debian/tests, and reads a manual page; removes the packages, and compares the files
# of the root with those before. Takes minutes and 2 GB.
set -eu
tests=$(readlink -f "$(dirname "$0")/../../debian/tests")
scratch=$(mktemp -d)
cd "$scratch"
export DEBIAN_FRONTEND=noninteractive LC_ALL=C
tar -x
rm -f -- *-dbgsym_*
failed=0
say()
{
    echo "$1: $2"
    [ "$2" = good ] || failed=1
}

# good NAME COMMAND...: what it prints is shown if it fails.
good()
{
    name=$1 status=0
    shift
    "$@" >output 2>&1 || status=$?
    [ $status = 0 ] || tail -n 30 output
    say "$name" "$([ $status = 0 ] && echo good || echo "status $status")"
}

# What is in the root, but for what apt and dpkg write about their own work, caches, and what is not of the root.
files()
{
    find / -xdev \( -path /tmp -o -path /build -o -path /var/cache -o -path /var/log -o -path /var/lib/apt \
        -o -path /var/lib/dpkg \) -prune -o -print | sort
}

good "update" apt-get -q update
# What the tests need but the packages do not is not part of the comparison.
# shellcheck disable=SC2046 # a list of words
good "what the tests need" apt-get -q -y install --no-install-recommends man-db \
    $(sed -n 's/^Depends: //p' "$tests/control" | tr ',' '\n' | grep -v spur)
files >before

good "apt install ./spur_*.deb" apt-get -q -y install ./spur_*.deb
good "spur --version" spur --version
good "man spur" sh -c 'man spur | grep -q "^ *spur \[OPTION\]"'
good "apt install ./libspur-otf2-*.deb" apt-get -q -y install ./libspur-otf2-*.deb
# shellcheck disable=SC2013 # names have no blanks
for test in $(sed -n 's/^Tests: //p' "$tests/control"); do
    mkdir "$test"
    good "debian/tests/$test" env AUTOPKGTEST_TMP="$scratch/$test" sh "$tests/$test"
done
good "removal" apt-get -q -y purge spur libspur-otf2-0 libspur-otf2-dev
good "removal of what came along" apt-get -q -y autoremove --purge
files >after
if left=$(diff before after); then
    say "nothing is left" good
else
    echo "$left"
    say "nothing is left" "files differ"
fi
exit $failed
