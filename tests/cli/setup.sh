#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: scripts
# shellcheck source-path=SCRIPTDIR
# scripts/packages says what is missing where it can install nothing, and is silent where all is there.
root=$(readlink -f "$(dirname "$0")/../..")
. "$(dirname "$0")/expect.sh"

mkdir bin
for tool in id grep; do
    ln -s "$(command -v $tool)" bin/
done
run env PATH="$PWD/bin" "$root/scripts/packages" build
same "without a compiler and without apt-get" "$status:$out$err" "1:packages: there is no apt-get; \
install by other means what Debian calls build-essential cmake ninja-build pkg-config python3"
run "$root/scripts/packages" quick
same "with all packages" "$status:$out$err" "0:"
run "$root/scripts/packages" everything
same "for what is no row" "$status:$out$err" "2:usage: scripts/packages [--list] build|run|quick|all|ROOM..."
listed=$("$root/scripts/packages" --list all | wc -l)
same "rows without a proof" "$(grep -cE '^((build|run|quick) +[a-z0-9.+-]+ +[^ ]+|all +[a-z0-9.+-]+ +[^ ]+ +[a-z0-9/,-]+)$' "$root/scripts/packages")" "$listed"
more=$("$root/scripts/packages" --list wrappers/pthread tools/export/)
same "of two rooms" "$(echo "$more" | grep -cxE 'pigz|protobuf-compiler|libcriterion-dev|gromacs|darktable')" 3
for room in $(sed -n 's/^all  *[^ ]* *[^ ]* *//p' "$root/scripts/packages" | tr ',' '\n' | sort -u); do
    [ "$room" = - ] || [ -d "$root/$room" ] || fault "scripts/packages names $room, which is no room"
done
run "$root/scripts/test" wrappers/io wrappers/oi
same "a room that is none" "$status:$out:$(echo "$err" | wc -l)" "2::1"
has "a room that is none" "$err" "test: there is no room wrappers/oi; the rooms are include/otf2 "
finish
