#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/portable/job.sh: tries the tarball of scripts/portable in the root of a Debian release:
#     scripts/on trixie tests/portable/job.sh <TARBALL
# Installs gcc, both MPI libraries, and LAMMPS with one of them.
set -eu
here=$(dirname "$(readlink -f "$0")")
install='env DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends'
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir spur
tar -xz -C spur --strip-components=1
spur=$PWD/spur/bin/spur
{
    apt-get -qq update
    $install gcc libc6-dev zlib1g libsqlite3-0 libunwind8 mpich libmpich-dev openmpi-bin libopenmpi-dev lammps
    $install otf2-tools || : # not in every release
} >installed 2>&1 || {
    tail -n 20 installed
    exit 1
}
# shellcheck source=scripts/openmpi.env
. "$here/../../scripts/openmpi.env"
export OMP_NUM_THREADS=2
failed=0
say()
{
    echo "$1: $2"
    [ "$2" = good ] || failed=1
}

# good NAME COMMAND...: what it prints is shown if it fails.
good()
{
    test=$1
    shift
    status=0
    "$@" >output 2>&1 || status=$?
    [ $status = 0 ] || cat output
    say "$test" "$([ $status = 0 ] && echo good || echo "status $status")"
}

# traced NAME WHAT COMMAND...: records, checks, reports; WHAT is a region of the archive. Reads it with the
# reference's tool where the release has it.
traced()
{
    name=$1 what=$2
    shift 2
    good "$name" "$spur" -o "of_$name" "$@"
    good "$name, checked" "$spur" check "of_$name"
    good "$name, reported" "$spur" report "of_$name"
    cp output reported
    good "$name, $what" grep -q "$what" reported
    ! command -v otf2-print >/dev/null || good "$name, by otf2-print" otf2-print "of_$name/traces.otf2"
}

getconf GNU_LIBC_VERSION
gcc "$here/truth.c" -o truth -pthread -ldl
traced truth pthread_join --io posix,meta --memory --unwind 8 ./truth

# Each call of the program's is there, and no other. With an older glibc it calls __xstat() for stat(), and so on.
"$spur" -q -o counted --io posix,meta ./truth >counts
"$spur" print counted/traces.otf2 >printed
while read -r function count; do
    names="($function|$(echo "__$function" | sed 's/stat/xstat/'))"
    said=$(grep -cE "^ENTER .*\"$names\"" printed) || :
    say "$count calls of $function" "$([ "$said" = "$count" ] && echo good || echo "$said are recorded")"
done <counts

# A program that runs already. Attaching needs a younger glibc than recording.
sleep 60 &
pid=$!
until grep -q sleep /proc/$pid/comm; do :; done
case $(getconf GNU_LIBC_VERSION) in
*" 2.2"? | *" 2.3"[0-3])
    "$spur" attach -o attached $pid >refused 2>&1 || :
    good "attach is refused" grep -q "its C library is no glibc 2.34 or newer" refused
    ;;
*)
    good "attach" "$spur" attach -o attached $pid
    good "detach" "$spur" detach $pid
    good "attach, checked" "$spur" check attached
    ;;
esac
kill $pid

cat >ring.c <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, size, got = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return got != (rank + size - 1) % size;
}
C
for library in mpich openmpi; do
    mpicc.$library ring.c -o "ring.$library"
    traced "$library" MPI_Sendrecv "mpirun.$library" -n 2 "./ring.$library"
done

cat >teams.c <<'C'
#include <stdio.h>
int main(void)
{
    int sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 1000; i++)
        sum += i;
    return sum != 499500;
}
C
gcc -fopenmp teams.c -o teams
traced teams 'omp parallel' ./teams

cat >in.melt <<'MELT'
units lj
lattice fcc 0.8442
region box block 0 6 0 6 0 6
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
fix 1 all nve
run 50
MELT
traced melt MPI_ --sample 100 mpirun.openmpi -n 2 lmp -in in.melt -log none
exit $failed
