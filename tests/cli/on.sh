#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: scripts
# shellcheck source-path=SCRIPTDIR disable=SC2016 # inner shells expand
# scripts/on makes a root once, enters it so that containers can be made there, and leaves nothing behind; what is
# amiss is one line. A root with a few programs of this machine stands for one of debootstrap's.
root=$(readlink -f "$(dirname "$0")/../..")
. "$(dirname "$0")/expect.sh"

mkdir bin scripts && : >scripts/young
cat >bin/debootstrap <<'END'
#!/bin/sh
new=$3
mkdir -p "$new/bin" "$new/etc/dpkg/dpkg.cfg.d" "$new/etc/apt/apt.conf.d" "$new/dev" "$new/proc" "$new/sys" "$new/tmp"
for tool in sh cat ls umount env mkdir mount unshare readlink; do
    cp "$(readlink -f "$(command -v $tool)")" "$new/bin/$tool"
    ldd "$new/bin/$tool" | sed -n 's/.*[ \t]\(\/[^ ]*\) (.*/\1/p' | while read -r library; do
        mkdir -p "$new${library%/*}"
        cp -L "$library" "$new$library"
    done
done
echo made "$@" >>"${new%/*}/made"
[ ! -e "${new%/*}/refused" ] || {
    echo "E: Failed getting release file"
    exit 1
}
END
chmod +x bin/debootstrap
# Whoever may not mount is root of a namespace of his own.
as_root=
[ "$(id -u)" = 0 ] || as_root='unshare --user --map-root-user --mount'
on()
{
    # shellcheck disable=SC2086 # a list of words
    run $as_root env ROOTS_DIR="$PWD/roots" DEBOOTSTRAP_DIR="$PWD" PATH="$PWD/bin:$PATH" "$root/scripts/on" "$@" </dev/null
}
# one WHAT LINE: it failed, and said this alone.
one()
{
    same "$1" "$status:$out:$(echo "$err" | grep -c .)" "1::1"
    has "$1" "$err" "on: $2"
}

on young sh -c 'echo "$PWD"; ls build; : >build/own; : >/dev/shm/own; exit 7'
same "status, folder and its build/" "$status:$out" "7:$root"
same "it lies in the root" "$(cd "roots/young/build$root" && ls)" own
[ ! -e /dev/shm/own ] || fault "/dev/shm is this machine's"
on young unshare --user --map-root-user --mount --pid --fork sh -c 'mount -t proc proc /proc && echo "$$" && ls build'
same "a container in it" "$status:$out" "0:1
own"
on young sh -c 'echo "${ROOTS_DIR-}"'
same "ROOTS_DIR, which spur would take for a setting" "$out" ""
on young cat /etc/hosts
same "its name has an address" "$out" "127.0.0.1 localhost $(uname -n)"
on --bare young sh -c 'ls build'
same "a bare root" "$status:$out" "0:"
same "what is left" "$(cd roots && echo *)" "made young young.log"
same "roots that were made" "$(grep -c . roots/made)" 2
! grep -q "$PWD" /proc/self/mountinfo || fault "something is mounted"

: >roots/refused
on --bare young true
err=$(echo "$err" | grep -v '^on: making')
one "no network" "young was not made: Failed getting release file: look at $PWD/roots/young.log and at the network"
on older true
one "no such release" "debootstrap knows no release older: name one of $PWD/scripts, or renew debootstrap"
same "what is left" "$(cd roots && echo *)" "made refused young young.log"
run unshare --user --map-root-user --mount sh -c 'mount -t tmpfs -o size=9m tmpfs roots
    ROOTS_DIR=$PWD/roots DEBOOTSTRAP_DIR=$PWD PATH=$PWD/bin:$PATH exec "$0" young true' "$root/scripts/on"
one "no space" "$PWD/roots has 9 MB left, a root needs 1000: make room, or name another folder by ROOTS_DIR"
rm bin/debootstrap
run env ROOTS_DIR="$PWD/roots" PATH=/usr/bin:/bin "$root/scripts/on" --bare young true
one "no debootstrap" "there is no debootstrap: install the Debian package debootstrap"
on young
same "no command" "$status:$out:${err%% *}" "2::usage:"
finish
