#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/report/topics tools/report/show
# shellcheck source-path=SCRIPTDIR
# Reports of runs: a long one on a terminal, those of programs, whose numbers are computed in another
# way as well, and of a program that measures itself.
here=$(readlink -f "$(dirname "$0")")
programs=$1/tests/programs
root=$here/../..
. "$here/expect.sh"

# ---- a long archive ----

cat >long.c <<'END'
#include <otf2/otf2.h>
static OTF2_FlushType yes(void *u, OTF2_FileType t, OTF2_LocationRef l, void *c, bool f)
{
    (void)u, (void)t, (void)l, (void)c, (void)f;
    return OTF2_FLUSH;
}
int main(void)
{
    OTF2_FlushCallbacks flush = {yes, NULL};
    OTF2_Archive *a = OTF2_Archive_Open("long", "traces", OTF2_FILEMODE_WRITE, 262144, 262144,
        OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    OTF2_Archive_SetFlushCallbacks(a, &flush, NULL);
    OTF2_Archive_SetSerialCollectiveCallbacks(a);
    OTF2_GlobalDefWriter *g = OTF2_Archive_GetGlobalDefWriter(a);
    OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, 0);
    for (int i = 0; i < 1000000; i++)
        OTF2_EvtWriter_Enter(w, NULL, 2 * i, 0), OTF2_EvtWriter_Leave(w, NULL, 2 * i + 1, 0);
    OTF2_GlobalDefWriter_WriteString(g, 0, "name");
    OTF2_GlobalDefWriter_WriteLocation(g, 0, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 2000000, 0);
    return OTF2_Archive_Close(a);
}
END
gcc -I"$root/include" long.c -o long.exe -L"$1/lib" -lspur-otf2 -Wl,-rpath,"$1/lib"
./long.exe || fault "no long archive"
run "$report" --csv long
same "without a terminal" "$status:$err" "0:"
same "a region without a definition" "$(grep '^region 0' ../out)" \
    "region 0,,,UNKNOWN,50.0000250000125,1000000,,1000000,1000000,1,1,1,0,"
same "the rest" "$(grep '^(program)' ../out)" "(program),,,,49.9999749999875,999999,,,,,,,,"
script -qec "$report --csv long" /dev/null >../screen
has "progress" "$(cat ../screen)" "[##########          "
has "its removal" "$(cat ../screen)" "$(printf '\r\033[K')region,"
for words in "check" "export --to folded"; do
    # shellcheck disable=SC2086 # words
    run "$spur" $words long
    same "$words without a terminal" "$err" ""
    script -qec "$spur $words long" /dev/null >../screen
    has "progress of $words" "$(cat ../screen)" "[##########          "
    has "its removal by $words" "$(cat ../screen)" "$(printf '\r\033[K')"
done

# ---- real runs: the same numbers as computed in another way ----

agrees()
{
    "$report" --json "$1" >../json || fault "no report of $1"
    $python "$here/report_sums.py" "$1/traces.otf2" <../json >../sums 2>&1 ||
        fault "numbers of $1: $(head -3 ../sums)"
}
export OMPI_MCA_mpi_yield_when_idle=1
for program in ring halo collectives; do
    for mpi in mpich openmpi; do
        "$spur" -q -o $program.$mpi mpirun.$mpi -n 4 "$programs/$program.$mpi" >/dev/null ||
            fault "$program.$mpi"
        agrees $program.$mpi
    done
done
# As in tests/cases/rma.py.
OMPI_MCA_osc=^ucx OMPI_MCA_osc_rdma_priority=1 "$spur" -q -o rma mpirun.openmpi -n 3 "$programs/rma.openmpi" >/dev/null ||
    fault "rma.openmpi"
agrees rma
run "$report" rma
has "one-sided operations" "$out" "One-sided operations, of rank in rows on memory of rank in columns"
"$spur" -q -o locks "$programs/thread_locks" >/dev/null || fault "thread_locks"
agrees locks
sed 's/"calls": 1,/"calls": 2,/' ../json >../other
$python "$here/report_sums.py" locks/traces.otf2 <../other >/dev/null && fault "any number agrees"

# ---- a program that times itself: what two threads are busy, and wait for a lock and at the end ----

cat >team.c <<'END'
#include <omp.h>
#include <stdio.h>
static void work(double seconds)
{
    for (double end = omp_get_wtime() + seconds; omp_get_wtime() < end;)
        ;
}
int main(void)
{
    double busy[2] = {0}, locks[2] = {0}, end[2], barriers = 0;
    for (int i = 0; i < 10; i++) {
#pragma omp parallel num_threads(2)
        {
            int me = omp_get_thread_num();
            double begin = omp_get_wtime(), got;
#pragma omp critical
            {
                got = omp_get_wtime();
                work(0.005);
            }
            work(i % 2 == me ? 0.02 : 0.001);
            end[me] = omp_get_wtime();
            locks[me] += got - begin;
            busy[me] += end[me] - got;
        }
        barriers += end[0] > end[1] ? end[0] - end[1] : end[1] - end[0];
    }
    printf("%f %f %f\n", busy[0] + busy[1], locks[0] + locks[1], barriers);
    return 0;
}
END
for compiler in gcc clang; do
    $compiler -O1 -fopenmp team.c -o team
    truth=$("$spur" -q -o team.$compiler ./team)
    # They leave a barrier some time after the last has come, so the program knows the least of that.
    same "two threads by $compiler" "$(json "[abs(x['busy'] - busy) < 0.005 + 0.05 * busy
        and abs(x['lock_waiting'] - locks) < 0.005 + 0.05 * locks
        and 0.95 * barriers < x['barriers'] < x['room'] - x['busy'] - x['lock_waiting'] + 1e-6
        for busy, locks, barriers in [map(float, '$truth'.split())]
        for x in r['sections']['parallel']]" team.$compiler)" "[True]"
done
run "$report" halo.mpich
has "matrix" "$out" "Messages, from rank in rows to rank in columns"
"$spur" -q -o eight mpirun.mpich -n 8 "$programs/halo.mpich" >/dev/null || fault "halo of 8 ranks"
for width in 50 60 100; do
    same "lines of more than $width columns" \
        "$("$report" --by messages --width $width eight | sed -n '/^  Messages,/,/^$/p' |
            awk -v n=$width 'length > n' | wc -l)" 0
done
"$spur" -q -o killed "$programs/serial_killed" >/dev/null 2>&1
run "$report" killed
has "a killed process" "$out" "processes that died; the archive has their events up to then: 1"
finish
