#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source-path=SCRIPTDIR
here=$(readlink -f "$(dirname "$0")")
programs=$1/tests/programs
root=$here/../..
. "$here/expect.sh"

python=/usr/bin/python3 # that of the system has the module otf2
$python "$here/report_archives.py" . || fault "no archives"
report=$1/libexec/spur/spur-report

# Prints what "$1" (Python, of the parsed JSON `r`) is in the JSON report of the rest.
json()
{
    what=$1
    shift
    "$report" --json "$@" | $python -c "import json, sys; r = json.load(sys.stdin); print($what)"
}

# ---- every number of a small archive ----

run "$spur" report ranks
same "status and errors" "$status:$err" "0:"
cat >../expected <<'TEXT'
ranks/traces.otf2
  ./solver in.dat
  2 processes on host, 2 threads, 51 events in 1.120 s
  time: 54.6 % program, 45.4 % MPI (29.5 % waiting)

Most expensive
  1. solve takes 1.038 s itself (46 % of all time) in 2 calls, 519.0 ms each.
  2. MPI_Recv on rank 1 waits 400.0 ms (36 % of its time) for late sends of rank 0, mostly in solve.
  3. The load is uneven: rank 0 works 770.0 ms, the mean of the 2 ranks is 601.0 ms (load balance
     78 %); the others wait meanwhile.

Regions
  region        self %      self     total  calls       min       avg       max
  solve           46.3  1.038 s   1.706 s       2  806.0 ms  853.0 ms  900.0 ms
  MPI_Recv        18.4  412.0 ms  412.0 ms      1  412.0 ms  412.0 ms  412.0 ms
  MPI_Send         9.4  210.0 ms  210.0 ms      2  10.00 ms  105.0 ms  200.0 ms
  main             8.2  184.0 ms  2.240 s       2  1.120 s   1.120 s   1.120 s
  MPI_Init         8.0  180.0 ms  180.0 ms      2  80.00 ms  90.00 ms  100.0 ms
  MPI_Barrier      5.1  114.0 ms  114.0 ms      2  12.00 ms  57.00 ms  102.0 ms
  MPI_Wait         2.0  45.00 ms  45.00 ms      1  45.00 ms  45.00 ms  45.00 ms
  MPI_Finalize     1.8  40.00 ms  40.00 ms      2  20.00 ms  20.00 ms  20.00 ms
  MPI_Bcast        0.7  16.00 ms  16.00 ms      2  8.000 ms  8.000 ms  8.000 ms
  MPI_Irecv        0.0  1.000 ms  1.000 ms      1  1.000 ms  1.000 ms  1.000 ms

Call paths
  call path         total %     total      self  calls
  (program)           100.0  2.240 s       0 s
    main              100.0  2.240 s   184.0 ms      2
      solve            76.2  1.706 s   1.038 s       2
        MPI_Recv       18.4  412.0 ms  412.0 ms      1
        MPI_Send        9.4  210.0 ms  210.0 ms      2
        MPI_Wait        2.0  45.00 ms  45.00 ms      1
        MPI_Irecv       0.0  1.000 ms  1.000 ms      1
      MPI_Init          8.0  180.0 ms  180.0 ms      2
      MPI_Barrier       5.1  114.0 ms  114.0 ms      2
      MPI_Finalize      1.8  40.00 ms  40.00 ms      2
      MPI_Bcast         0.7  16.00 ms  16.00 ms      2

Processes
  process  calls      wall  program %  MPI %  waiting %  most time in
  rank 0       8  1.120 s         0.0   31.2       15.2  solve
  rank 1       9  1.120 s         0.0   59.6       43.8  MPI_Recv

Efficiency of the ranks
  figure                       %  meaning
  parallel efficiency       60.1  mean work of a rank / longest time
  load balance              78.1  mean work / work of the busiest rank
  communication efficiency  77.0  work of the busiest rank / longest time

MPI by rank
  process      time      work       MPI  MPI %  late sender  late receiver  collectives
  rank 0   1.120 s   770.0 ms  350.0 ms   31.2         0 s        150.0 ms     20.00 ms
  rank 1   1.120 s   452.0 ms  668.0 ms   59.6     400.0 ms           0 s      90.00 ms

Messages
  from    to      messages     volume  mean size  late sender  late receiver
  rank 0  rank 1         2  4.977 KiB  2.488 KiB     400.0 ms       150.0 ms

Collective operations
  operation    communicator    ranks  times      time   waiting   longest  waits for   by %
  MPI_Barrier  MPI_COMM_WORLD      2      1  114.0 ms  90.00 ms  90.00 ms  rank 0     100.0
  MPI_Init     MPI_COMM_WORLD      2      1  180.0 ms  20.00 ms  20.00 ms  rank 1     100.0
  MPI_Bcast    MPI_COMM_WORLD      2      1  16.00 ms      0 s       0 s
TEXT
diff ../expected ../out || fault "the report of ranks"

same "one-sided communication" "$("$report" --csv --by messages windows | tail -1)" \
    "rank 0,rank 1,0,0,0,2,150,0,0,0"
same "fence" "$("$report" --csv --by collectives windows | tail -1)" \
    "MPI_Win_fence,BARRIER,MPI_COMM_WORLD,2,1,2,0,0,0.05,0.03,0.03,rank 1,100"

run "$report" --by thread,openmp,locks,metrics,io threads/traces.otf2
cat >../expected <<'TEXT'
threads/traces.otf2
  1 process on host, 3 threads, 43 events in 1.900 s
  time: 40.0 % program, 38.0 % idle, 18.2 % OPENMP (10.9 % waiting), 3.8 % PTHREAD (3.8 % waiting)

Most expensive
  1. The 3 threads of the parallel region !$omp parallel at foo.c:12 are busy only 72 % of the time:
     they wait 610.0 ms at its barriers, and 70.00 ms goes to its start and end.
  2. !$omp parallel takes 410.0 ms itself (7.3 % of all time) in 1 call, 410.0 ms each.
  3. Threads wait 210.0 ms (3.8 % of all time) for lock 5 in 1 of its 2 acquisitions; it is held
     195.0 ms each time.

Threads
  location  thread         calls      time  program %  idle %  waiting %  most time in
         0  Master thread      2  1.900 s        57.4     0.0       21.1  !$omp parallel
         1  OMP thread 1       3  1.850 s        31.3    57.8       10.8  !$omp implicit barrier
         2  OMP thread 2       3  1.850 s        30.8    57.3       11.9  pthread_mutex_lock

Parallel regions
  parallel region  calls  threads      time      busy  busy %  in barriers    uneven
  !$omp parallel       1        3  810.0 ms  1.750 s     72.0     610.0 ms  590.0 ms

Locks
  lock  taken by            taken  contended   waiting   longest      held   longest
     5  pthread_mutex_lock      2          1  210.0 ms  210.0 ms  390.0 ms  300.0 ms

Metrics
  metric        unit  region               self  self %      total  min   avg  max
  PAPI_TOT_INS  #     (program)         300,000    23.1  1,300,000
  PAPI_TOT_INS  #     !$omp parallel  1,000,000    76.9  1,000,000
  temperature   C     (program)                                      20  21.5   23
  temperature   C     !$omp parallel                                 26    26   26

Files
  file              opened  reads     read  writes    written      time   longest
  /scratch/out.dat       1      1  100 B         2  4.000 KiB  160.0 ms  100.0 ms
TEXT
diff ../expected ../out || fault "the report of threads"

run "$report" odd
cat >../expected <<'TEXT'
Remarks
  - recording was off for 20.00 ms, which count for what was open then
  - regions open at the end, which end with the last event: 1
  - regions that were not left, which end with those that called them: 1
  - leaves of regions that were not entered, which are ignored: 1
  - messages received and not sent: 1
  - messages from or to ranks that do not exist: 1

Regions
  region                             self %      self     total  calls       min       avg       max
  AAAAAAAAAAAAAAA...BBBBBBBBBBBBBBB    36.7  110.0 ms  110.0 ms      2  40.00 ms  55.00 ms  70.00 ms
  (program)                            23.3  70.00 ms
  größe"x"                             23.3  70.00 ms  110.0 ms      2  50.00 ms  55.00 ms  60.00 ms
  fib                                  13.3  40.00 ms  100.0 ms      2  80.00 ms  90.00 ms  100.0 ms
  region 77                             3.3  10.00 ms  10.00 ms      1  10.00 ms  10.00 ms  10.00 ms
TEXT
sed -n '/^Remarks/,/^  region 77/p' ../out | diff ../expected - || fault "the report of odd"
run "$report" --by thread odd
same "what a terminal would obey" "$(grep -c "$(printf '\033')" ../out)" 0
has "a name without it" "$out" "?[31mred"
same "name in JSON" "$(json 'repr(r["sections"]["threads"][0]["thread"])' odd)" "'\\x1b[31mred'"

run "$report" --by callpath --no-header contexts
same "calling contexts" "$out" "  (program)    100.0  400.0 ms      0 s
    main       100.0  400.0 ms  100.0 ms  1
      work      75.0  300.0 ms  150.0 ms  1
        write   37.5  150.0 ms  150.0 ms  2"

# ---- what can be asked for ----

run "$report" --by region --top 2 --no-header ranks
same "--top" "$(echo "$out" | awk '{ print $1 }' | tr '\n' ' ')" "solve MPI_Recv "
run "$report" --by region --min-percent 5 --sort region --no-header ranks
same "--min-percent, --sort" "$(echo "$out" | awk '{ print $1 }' | tr '\n' ' ')" \
    "MPI_Barrier MPI_Init MPI_Recv MPI_Send main solve "
run "$report" --by region --sort calls --top 1 --no-header ranks
has "--sort calls" "$out" "solve"
run "$report" --by callpath --top 3 ranks
has "--top of call paths" "$out" "  ... and 8 more"
same "--process" "$(json 'r["processes"], r["time"], [x["region"] for x in r["sections"]["regions"]
    if x["region"] == "MPI_Recv"]' --process 0 ranks)" "1 1.12 []"
same "--thread" "$(json 'r["threads"], r["time"]' --thread "OMP thread 2" threads)" "1 1.85"
same "--color" "$("$report" --color always ranks | grep -c "$(printf '\033')")" 17
same "no colour" "$("$report" --color auto ranks | grep -c "$(printf '\033')")" 0
run "$report" --csv --by messages ranks
same "--csv" "$out" \
    "from,to,messages,bytes,avg_bytes,rma,rma_bytes,late_sender,late_receiver,waiting
rank 0,rank 1,2,5096,2548,0,0,0.4,0.15,0.55"
same "--csv of a name with marks" "$("$report" --csv odd | grep '^"gr' | cut -d, -f1)" \
    '"größe""x"""'
same "lines of --csv" "$("$report" --csv ranks | wc -l)" 11
same "--json" "$(json 'r["spur_report"], r["wall"], r["portions"]["MPI"], len(r["sections"]),
    [f["kind"] for f in r["findings"]], r["sections"]["locks"]' ranks)" \
    "1 1.12 1.018 14 ['region', 'late_sender', 'imbalance'] []"
run "$report" --diff faster contexts
same "--diff" "$out" "before: contexts/traces.otf2, 400.0 ms wall, 400.0 ms of all threads
after: faster/traces.otf2, 200.0 ms wall, 200.0 ms of all threads

  region     change  change %    before     after  calls before  calls after
  write   -150.0 ms    -100.0  150.0 ms      0 s              2            0
  work    -90.00 ms     -60.0  150.0 ms  60.00 ms             1            1
  read    +40.00 ms                0 s   40.00 ms             0            1
  main         0 s       +0.0  100.0 ms  100.0 ms             1            1"
same "--diff --json" "$(json '[(x["region"], x["change"], x["change_percent"])
    for x in r["sections"]["diff"]][1:3]' --diff faster contexts)" \
    "[('work', -0.09, -60), ('read', 0.04, None)]"
"$report" --columns | sed 1d >../columns
sed -n '/^## regions/,$p' "$root/docs/report.md" | diff - ../columns ||
    fault "docs/report.md does not say what --columns does"
run "$spur" report --help
same "status of --help" "$status" 0
has "--help" "$out" "usage: spur report"

# ---- what is wrong ----

wrong()
{
    run "$report" "$@"
    same "status of $*" "$status" 2
    same "lines about $*" "$(wc -l <../err):$out" "1:"
}
wrong
wrong ranks threads
wrong --unknown ranks
wrong --by nothing ranks
wrong --by
wrong --top many ranks
wrong --sort nothing ranks
wrong --csv --by mpi ranks
wrong --process 7 ranks
wrong --color red ranks

unreadable()
{
    run "$report" "$1"
    same "status of $1" "$status" 1
    same "lines about $1" "$(wc -l <../err):$out" "1:"
    has "the name of $1" "$err" "spur: $1"
}
mkdir empty unfinished unfinished/.spur
echo no archive >text.otf2
unreadable nothing
unreadable empty
unreadable text.otf2
unreadable unfinished
has "an archive that is not finished" "$err" "spur recover"
cp -r ranks cut && : >cut/traces.def
unreadable cut

# Cut off anywhere: an error that names the file, never a signal; what can be read is reported.
cut()
{
    size=$(wc -c <"ranks/$1")
    length=0
    while [ "$length" -lt "$size" ]; do
        rm -rf short && cp -r ranks short && head -c "$length" "ranks/$1" >"short/$1"
        run timeout 20 "$report" short
        if [ "$status" -gt 1 ] || [ "$(wc -l <../err)" -gt 1 ]; then
            fault "$1 cut to $length: $status $err"
        fi
        [ "$status" -eq 0 ] || has "$1 cut to $length" "$err" "spur: short/traces"
        length=$((length + 1 + size / 60))
    done
}
cut traces.otf2
cut traces.def
cut traces/0.evt
cut traces/0.def

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
    "region 0,,,UNKNOWN,50.0000250000125,1000000,1000000,1000000,1,1,1,0"
same "the rest" "$(grep '^(program)' ../out)" "(program),,,,49.9999749999875,999999,,,,,,"
script -qec "$report --csv long" /dev/null >../screen
has "progress" "$(cat ../screen)" "[##########          "
has "its removal" "$(cat ../screen)" "$(printf '\r\033[K')region,"

# ---- real runs: the same numbers as computed in another way ----

agrees()
{
    "$report" --json "$1" >../json || fault "no report of $1"
    $python "$here/report_sums.py" "$1/traces.otf2" <../json >../sums 2>&1 ||
        fault "numbers of $1: $(head -3 ../sums)"
}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
for program in ring halo collectives; do
    for mpi in mpich openmpi; do
        "$spur" -q -o $program.$mpi mpirun.$mpi -n 4 "$programs/$program.$mpi" >/dev/null ||
            fault "$program.$mpi"
        agrees $program.$mpi
    done
done
# The component "rdma" of Open MPI 4.1 crashes in MPI_Compare_and_swap, traced or not.
OMPI_MCA_osc=sm,pt2pt "$spur" -q -o rma mpirun.openmpi -n 3 "$programs/rma.openmpi" >/dev/null ||
    fault "rma.openmpi"
agrees rma
"$spur" -q -o locks "$programs/thread_locks" >/dev/null || fault "thread_locks"
agrees locks
sed 's/"calls": 1,/"calls": 2,/' ../json >../other
$python "$here/report_sums.py" locks/traces.otf2 <../other >/dev/null && fault "any number agrees"
run "$report" halo.mpich
has "matrix" "$out" "Messages from the rank of a row to that of a column"
"$spur" -q -o killed "$programs/serial_killed" >/dev/null 2>&1
run "$report" killed
has "a killed process" "$out" "processes that were killed, what they had recorded is here: 1"
finish
