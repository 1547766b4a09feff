#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/launch agent/process
# shellcheck source-path=SCRIPTDIR disable=SC2086 # $IN is a list of words
# Programs in containers, with spur mounted in: the commands of docs/containers.md, and what is missing there.
page=$(cd "$(dirname "$0")" && pwd)/../../docs/containers.md
. "$(dirname "$0")/expect.sh"

command -v bwrap >/dev/null || fault "install the Debian package bubblewrap"
export OMPI_MCA_btl=self,tcp OMP_NUM_THREADS=1

cat >app.c <<'END'
#include <pthread.h>
#include <signal.h>
static void *run(void *nothing) { return nothing; }
int main(int argc, char **argv)
{
    pthread_t thread;
    volatile int *nowhere = 0;
    (void)argv;
    for (int i = 0; i < 3; i++)
        if (pthread_create(&thread, 0, run, 0) || pthread_join(thread, 0))
            return 1;
    return argc > 2 ? *nowhere : argc > 1 ? raise(SIGKILL) : 0;
}
END
cat >solver.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, all, from;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    for (int i = 0; i < 5; i++)
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % all, 0, &from, 1, MPI_INT,
                     (rank + all - 1) % all, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return all != 2 || from != 1 - rank;
}
END
gcc app.c -o app
SPUR=$(dirname "$(dirname "$spur")")

# image NAME: a root with the places that something is mounted at.
image()
{
    mkdir -p "$1/dev" "$1/sys" "$1/proc" "$1/tmp" "$1$PWD" "$1$SPUR"
}
image image
mkdir -p image/usr image/etc
for link in bin lib lib64 sbin; do
    [ ! -e /$link ] || ln -s usr/$link image/$link
done
OTHER="--dev-bind /dev /dev --ro-bind /sys /sys --ro-bind $SPUR $SPUR --bind $PWD $PWD --chdir $PWD"
BARE="--ro-bind image / --ro-bind /usr /usr --ro-bind /etc /etc --bind /tmp /tmp $OTHER"
IN="$BARE --proc /proc"
export SPUR IN

count()
{
    "$spur" print "$1/traces.otf2" | grep -c "ENTER .*\"$2\""
}

# whole WHAT ARCHIVE REGION CALLS
whole()
{
    run "$spur" check --strict "$2"
    same "$1, checked" "$status:$out" "0:${out##*
}"
    has "$1, checked" "$out" "0 faults, 0 remarks"
    same "$1, calls" "$(count "$2" "$3")" "$4"
}

# ---- the commands of the page ----

sed -n 's/^    \$ //p' "$page" >commands
same "commands of the page" "$(wc -l <commands)" 5
for mpi in mpich openmpi; do
    mpicc.$mpi solver.c -o solver || fault "mpicc.$mpi"
    while read -r command <&3; do
        case $command:$mpi in *solver*) ;; *:openmpi) continue ;; esac
        archive=$(echo "$command" | sed 's/.* -o \([^ ]*\) .*/\1/')
        run sh -c "$(echo "$command" | sed "s/mpirun/mpirun.$mpi/")"
        same "status of $command with $mpi" "$status" 0
        case $command in
        *solver*) whole "$command with $mpi" "$archive" MPI_Sendrecv 10 ;;
        *) whole "$command" "$archive" pthread_create 3 ;;
        esac
        rm -rf "$archive"
    done 3<commands
done

# ---- what is missing ----

run bwrap $BARE --unshare-all --uid 1000 --gid 1000 "$spur" -o archive ./app
same "no /proc, another user" "$status" 0
whole "no /proc, another user" archive pthread_create 3
rm -rf archive
run "$spur" -o archive bwrap $BARE --unshare-all ./app
same "no /proc, spur outside" "$status" 0
whole "no /proc, spur outside" archive pthread_create 3
rm -rf archive
# The parent sees the /proc of its child, and cannot find the launcher there.
run "$spur" -o archive unshare --map-root-user --mount --pid --fork --mount-proc ./app
same "another /proc" "$status" 0
same "lines with another /proc" "$(printf '%s\n' "$err" | wc -l)" 1
whole "another /proc" archive pthread_create 3
rm -rf archive
# The first process of a container dies, and all with it: from outside nobody has seen that.
if [ "$(readlink /proc/self/ns/pid)" = "pid:[4026531836]" ]; then
    run "$spur" -o archive unshare --map-root-user --mount --pid --fork --mount-proc ./app by fault
    same "a container that is gone" "$status" 139
    case $err in *"still recorded"*) fault "a container that is gone: $err" ;; esac
    same "calls of one that is gone" "$(count archive pthread_create)" 3
    rm -rf archive
else
    echo "a container that is gone: left out, since this test is in a container"
fi
run bwrap $IN --remount-ro "$PWD" "$spur" -o archive ./app
same "nowhere to write" "$status:$out" "0:"
has "nowhere to write" "$err" "Read-only file system"
run "$spur" -o archive bwrap $IN --tmpfs "$SPUR" ./app
same "the agent is not mounted" "$status:$out" "0:"
has "the agent is not mounted" "$err" "cannot be preloaded"
rm -rf archive

# ---- where no code may be run ----

cat >noexec.sh <<'END'
mount -t tmpfs -o noexec none "$1/lib" && cp -r "$2/lib/." "$1/lib/" && "$1/bin/spur" -o archive ./app
END
mkdir copy copy/lib
cp -r "$SPUR/bin" copy/
ln -s "$SPUR/libexec" copy/libexec
run unshare -m sh noexec.sh "$PWD/copy" "$SPUR"
same "an agent that cannot be loaded" "$status:$out" "0:"
same "why it cannot be loaded" "$err" "spur: $PWD/copy/lib/libspur.so lies on a file system that is mounted \
noexec, so it cannot be loaded; install spur elsewhere; ./app runs untraced"

# ---- an image of musl: there is no glibc at all ----

image of_musl
mkdir of_musl/lib
musl-gcc -x c - -o of_musl/prog <<'END' || fault "install the Debian package musl-tools"
int main(void) { return 4; }
END
loader=$(basename "$(readelf -l of_musl/prog | sed -n 's/.*interpreter: \(.*\)].*/\1/p')")
cp -L "/lib/$loader" "of_musl/lib/$loader"
run "$spur" -o archive bwrap --ro-bind of_musl / $OTHER --unshare-all /prog
same "musl, spur outside" "$status:$out" "4:"
has "musl, spur outside" "$err" "1 program not traced"
rm -rf archive
if ! readelf -l "$spur" | grep -q INTERP; then
    run bwrap --ro-bind of_musl / $OTHER --proc /proc --unshare-all "$spur" -o archive /prog
    same "musl, spur inside" "$status:$out" "4:"
    has "musl, spur inside" "$err" "/prog runs untraced"
fi
finish
