#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/report tools/report/show
# shellcheck source-path=SCRIPTDIR
here=$(readlink -f "$(dirname "$0")")
root=$here/../..
. "$here/expect.sh"
$python "$here/report_archives.py" . || fault "no archives"

# ---- every number of a small archive ----

run "$spur" report --findings 3 ranks
same "status and errors" "$status:$err" "0:"
cat >../expected <<'TEXT'
ranks/traces.otf2
  ./solver in.dat
  2 processes on host, 2 threads, 51 events in 1.120 s
  time: 54.6 % program, 45.4 % MPI (29.5 % waiting)

Most expensive
  1. solve takes 1.038 s itself (46 % of all time) in 2 calls, 519.0 ms each.
  2. MPI_Recv on rank 1 waits 400.0 ms (36 % of its time) for late sends of rank 0, mostly in solve.
     The main cause (100 %) is rank 0: `solve` (main.c:42) after MPI_Init (500.0 ms, 5.0 times the
     mean of the other ranks); a remedy gains up to 400.0 ms (--by causes).
  3. The load is uneven: rank 0 works 770.0 ms, the mean of the 2 ranks is 601.0 ms (load balance
     78 %). The other ranks wait meanwhile.

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
  operation    communicator    ranks  times      time   waiting   longest  waits for  caused %
  MPI_Barrier  MPI_COMM_WORLD      2      1  114.0 ms  90.00 ms  90.00 ms  rank 0        100.0
  MPI_Init     MPI_COMM_WORLD      2      1  180.0 ms  20.00 ms  20.00 ms  rank 1        100.0
  MPI_Bcast    MPI_COMM_WORLD      2      1  16.00 ms      0 s       0 s

To see 1. as a picture: spur view --time 0.000..1.225 ranks
TEXT
diff ../expected ../out || fault "the report of ranks"

same "one-sided communication" "$("$report" --csv --by messages windows | tail -1)" \
    "rank 0,rank 1,0,0,,2,150,0,0,0"
same "fence" "$("$report" --csv --by collectives windows | tail -1)" \
    "MPI_Win_fence,BARRIER,MPI_COMM_WORLD,2,1,2,0,0,0.05,0.03,0.03,rank 1,100"

run "$report" --findings 3 --by thread,openmp,locks,metrics,io threads/traces.otf2
cat >../expected <<'TEXT'
threads/traces.otf2
  1 process on host, 3 threads, 43 events in 1.900 s
  time: 40.0 % program, 38.0 % idle, 18.2 % OPENMP (10.9 % waiting), 3.8 % PTHREAD (3.8 % waiting)

Most expensive
  1. The 3 threads of the parallel region !$omp parallel at foo.c:12 are busy only 72 % of the time:
     they wait 610.0 ms at its barriers; its start and end take 70.00 ms.
  2. !$omp parallel takes 410.0 ms itself (7.3 % of all time) in 1 call, 410.0 ms each.
  3. 1 thread waits 210.0 ms (3.8 % of all time) for lock 5 in 1 of its 2 acquisitions. A thread
     holds it 195.0 ms on average. Of this, 200.0 ms are for OMP thread 1, which holds it 300.0 ms.

Threads
  location  thread         calls      time  program %  idle %  waiting %  most time in
         0  Master thread      2  1.900 s        57.4     0.0       21.1  !$omp parallel
         1  OMP thread 1       3  1.850 s        31.3    57.8       10.8  !$omp implicit barrier
         2  OMP thread 2       3  1.850 s        30.8    57.3       11.9  pthread_mutex_lock

Parallel regions
  parallel region  calls  threads      time      busy  busy %  in barriers    uneven
  !$omp parallel       1        3  810.0 ms  1.750 s     72.0     610.0 ms  590.0 ms

Locks
  lock  taken by            taken  contended   waiting   longest      held   longest  mainly for
     5  pthread_mutex_lock      2          1  210.0 ms  210.0 ms  390.0 ms  300.0 ms  OMP thread 1

Metrics
  metric        unit  region               self  self %      total  min   avg  max
  PAPI_TOT_INS  #     !$omp parallel  1,000,000    76.9  1,000,000
  PAPI_TOT_INS  #     (program)         300,000    23.1  1,300,000
  temperature   C     !$omp parallel                                 26    26   26
  temperature   C     (program)                                      20  21.5   23

Files
  file              by         opened  reads     read  writes    written      time   longest
  /scratch/out.dat  POSIX I/O       1      1  100 B         2  4.000 KiB  160.0 ms  100.0 ms
  not shown, for --wide: bandwidth, processes, small %, sequential %, random %

File accesses
  file              kind   count      bytes      time    bandwidth  small %  sequential %  random %
  /scratch/out.dat  write      2  4.000 KiB  110.0 ms  36.36 KiB/s      0.0         100.0       0.0
  /scratch/out.dat  read       1    100 B    50.00 ms  1.953 KiB/s    100.0           0.0     100.0
  /scratch/out.dat  open       1      0 B        0 s

Sizes of file accesses
  file              kind        from      below  count      bytes      time
  /scratch/out.dat  read      64 B      128 B        1    100 B    50.00 ms
  /scratch/out.dat  write      0 B        1 B        1      0 B    10.00 ms
  /scratch/out.dat  write  4.000 KiB  8.000 KiB      1  4.000 KiB  100.0 ms

Files by process
  nothing recorded

Files by interface
  interface  opened  reads     read  writes    written      time  % of time
  POSIX I/O       1      1  100 B         2  4.000 KiB  160.0 ms        2.9

Waiting to open files
  nothing recorded

To see 1. as a picture: spur view --time 0.000..1.113 threads/traces.otf2
TEXT
diff ../expected ../out || fault "the report of threads"

run "$report" --findings 3 --by openmp,messages,efficiency teams
cat >../expected <<'TEXT'
Most expensive
  1. !$omp parallel @a.c:1 takes 300.0 ms itself (12 % of all time) in 1 call, 300.0 ms each, most
     on rank 0 (300.0 ms).
  2. The 2 threads of the parallel region !$omp parallel @a.c:1 are busy only 76 % of the time: they
     wait 200.0 ms at its barriers and 91.00 ms for locks; its start and end take 0 s.
  3. MPI_Barrier takes 200.0 ms (7.8 % of all time) in 2 calls, 100.0 ms each, not counting waits
     for late partners.

Efficiency of the ranks
  figure                        %  meaning
  parallel efficiency        71.2  mean work of a thread / longest time
  thread efficiency          81.4  mean work of a thread / mean time of a rank outside of MPI
  efficiency of MPI          87.5  mean time of a rank outside of MPI / longest time
  load balance              100.0  mean work / work of the busiest rank
  communication efficiency   87.5  work of the busiest rank / longest time

Messages
  from    to      one-sided   volume
  rank 0  rank 1          1  100 B
  rank 1  rank 0          1  100 B

Messages by rank
  process  one-sided   volume  partners
  rank 0           1  100 B           1
  rank 1           1  100 B           1

Parallel regions
  parallel region       calls  threads      time      busy  busy %  in barriers  for locks    uneven
  !$omp par...l @a.c:1      1        2  600.0 ms  909.0 ms    75.8     200.0 ms   91.00 ms  9.000 ms

To see 1. as a picture: spur view --time 0.000..0.850 teams
TEXT
sed -n '/^Most/,$p' ../out | diff ../expected - || fault "the report of teams"
# What is called "itself" is the self of the tables; what is less than that says so.
run "$report" --thread 1 teams
has "time but for waits" "$out" "!\$omp critical takes 99.00 ms (18 % of all time) in 1 call, 99.00 ms each, not"
run "$report" windows
same "waits are not counted where it takes most" "$(echo "$out" | grep -A1 'Win_fence takes' | tail -1)" \
    "     for late partners."

# Many ranks: the least, the mean, the greatest, and who stands out; the others when asked for.
run "$report" many
cat >../expected <<'TEXT'
Processes
  process  calls      wall  program %  MPI %  most time in
  min          3  200.0 ms        0.0   10.0  work
  mean         3  200.0 ms        0.0   24.8  work
  max          3  200.0 ms        0.0   25.0  work
  rank 37      3  200.0 ms        0.0   10.0  work
  ... and 63 more: --by processes
TEXT
sed -n '/^Processes/,/more/p' ../out | diff ../expected - || fault "the processes of many"
same "threads of many" "$(sed -n '/^Threads/,/more/p' ../out | awk '{ print $1, $2 }' | tr '\n' ' ')" \
    "$(printf '%s ' 'Threads ' 'location thread' 'min 1' 'mean 2' 'max 2' '... and')"
same "all of many" "$("$report" --no-header --by processes many | wc -l)" 64
same "machine" "$(json 'r["machine"]' many)" host

# Metrics: first where there is most, and in few digits.
run "$report" --by metrics counters
same "metrics, sorted and scaled" "$(sed -n '/^Metrics/,/^$/p' ../out | awk 'NR > 2 && NF { print $3, $4, $5 }')" \
    "g 10.00 G
f 2.346 G
(program) 12 0.0"

# ---- the width of the terminal, and names that do not fit into it ----

wide=$("$report" --no-header --by region --wide names)
has "--wide" "$wide" "ns::Solver<ns::Grid<double, 3>, ns::Policy<ns::Fast, ns::Wide>>::step(int)"
for columns in 60 80 100; do
    run "$report" --width $columns names
    same "lines of more than $columns columns" \
        "$(echo "$out" | awk -v n=$columns 'NR > 1 && length > n' | wc -l)" 0
    has "arguments of templates at $columns" "$(echo "$out" | grep '^Regions' -A 4)" "Solver<"
    has "where names differ at $columns" "$(echo "$out" | grep '^Regions' -A 4)" LEFT
    has "where names differ at $columns" "$(echo "$out" | grep '^Regions' -A 4)" RIGHT
done
# Arguments of templates go, types of arguments, scopes, directories: as few of them as needed.
shown()
{
    "$report" --by region --no-header --width "$1" names | sed 's/^ *//; s/  .*//' | grep -e compute -e operator -e step-
}
for case in \
    "200:LAMMPS_NS::Pair::PairLJCutCoulLongOutOfCore::compute(int, LAMMPS_NS::Atom const&) const" \
    "125:LAMMPS_NS::Pair::PairLJCutCoulLongOutOfCore::compute" "100:PairLJCutCoulLongOutOfCore::compute" \
    "125:(anonymous namespace)::outermost_scope_of_all::Table::operator()" "100:Table::operator()" \
    "90:.../results/step-000012.h5" "70:.../step-000012.h5"; do
    has "at ${case%%:*} columns" "$(shown "${case%%:*}")" "${case#*:}"
done
has "columns that do not fit" "$("$report" --by region --width 70 names)" "  not shown, for --wide: avg, max"
has "the innermost arguments go first" "$("$report" --by region --no-header --width 125 names)" \
    "ns::Solver<ns::Grid<...>, ns::Policy<...>>::step(int)"
for columns in 70 120; do
    NO_COLOR=1 COLUMNS=$columns script -qec "$report names" /dev/null | tr -d '\r' >../screen
    same "lines of a terminal of $columns" \
        "$(awk -v n=$columns 'length > n' ../screen | wc -l)" 0
done
same "COLUMNS of what is no terminal" "$(COLUMNS=70 "$report" names | md5sum)" "$("$report" names | md5sum)"

run "$report" odd
cat >../expected <<'TEXT'
Remarks
  - recording was off for 20.00 ms, summed over all threads; no other number contains this time
  - regions open at the end; they end with the last event: 1
  - regions without a Leave; they end with their callers: 1
  - Leaves of regions that were not entered; they are ignored: 1
  - messages received and not sent: 1
  - messages from or to ranks that do not exist: 1

Regions
  region                             self %      self     total  calls       min       avg       max
  AAAAAAAAAAAAAAA...BBBBBBBBBBBBBBB    39.3  110.0 ms  110.0 ms      2  40.00 ms  55.00 ms  70.00 ms
  größe"x"                             25.0  70.00 ms  110.0 ms      2  50.00 ms  55.00 ms  60.00 ms
  (program)                            17.9  50.00 ms
  fib                                  14.3  40.00 ms  100.0 ms      2  80.00 ms  90.00 ms  100.0 ms
  (not recorded)                             20.00 ms
  region 77                             3.6  10.00 ms  10.00 ms      1  10.00 ms  10.00 ms  10.00 ms
TEXT
sed -n '/^Remarks/,/^  region 77/p' ../out | diff ../expected - || fault "the report of odd"
run "$report" --by thread odd
same "what a terminal would obey" "$(grep -c "$(printf '\033')" ../out)" 0
has "a name without it" "$out" "?[31mred"
same "name in JSON" "$(json 'repr(r["sections"]["threads"][0]["thread"])' odd)" "'\\x1b[31mred'"

# Three samples of 100 ms in 250 ms are all of that.
run "$report" --by callpath --no-header contexts
same "calling contexts" "$out" "  (program)    100.0  400.0 ms      0 s      3
    main       100.0  400.0 ms  166.0 ms     3
      work      58.5  234.0 ms  84.00 ms     1
        write   37.5  150.0 ms  150.0 ms  2  0"

# ---- functions that are only seen on stacks ----
run "$report" sampled
cat >../expected <<'TEXT'
  time: 59.0 % blocked, 31.0 % program, 10.0 % MPI

Most expensive
  1. work takes 500.0 ms of CPU time itself (25 % of all time; 50 samples, so give or take 28 %),
     most at a.c:3, 50 of 80 samples.
  2. MPI_Recv takes 200.0 ms (10 % of all time) in 1 call, 200.0 ms each, not counting waits for
     late partners, mostly at a.c:3.

Regions
  region     self %      self        +-     total  calls       min       avg       max  samples
  (blocked)    59.0  1.180 s
  work         25.0  500.0 ms  138.6 ms  500.0 ms                                            50
  MPI_Recv     10.0  200.0 ms            200.0 ms      1  200.0 ms  200.0 ms  200.0 ms       18
  helper        5.0  100.0 ms  61.98 ms  100.0 ms                                            10
  main          1.0  20.00 ms  27.72 ms  820.0 ms                                             2

Call sites
  site   in    call      calls      time       avg       max  of MPI %  of all %
  a.c:3  main  MPI_Recv      1  200.0 ms  200.0 ms  200.0 ms     100.0      10.0

Call paths
  call path     total %     total      self  calls  samples
  (program)       100.0  2.000 s       0 s               80
    (blocked)      59.0  1.180 s   1.180 s
    main           41.0  820.0 ms  20.00 ms              80
      work         25.0  500.0 ms  500.0 ms              50
      MPI_Recv     10.0  200.0 ms  200.0 ms      1       18
      helper        5.0  100.0 ms  100.0 ms              10
TEXT
sed -n '/^Hot lines/,/^$/d; /^  time/,/^      helper/p' ../out | diff ../expected - || fault "the report of sampled"

run "$report" --by callpath stacked
cat >../expected <<'TEXT'
  time: 92.7 % program, 7.3 % MPI

Most expensive
  1. main takes 190.0 ms itself (46 % of all time), between the calls that it makes.
  2. step takes 190.0 ms itself (46 % of all time), between the calls that it makes.
  3. MPI_Send takes 30.00 ms (7.3 % of all time) in 3 calls, 10.00 ms each, not counting waits for
     late partners, mostly at a.c:5.

Call paths
  call path       total %     total      self  calls
  (program)         100.0  410.0 ms      0 s
    main            100.0  410.0 ms  190.0 ms
      step           53.7  220.0 ms  190.0 ms
        MPI_Send      7.3  30.00 ms  30.00 ms      3

To see 1. as a picture: spur view --time 0.000..0.613 stacked
TEXT
sed -n '/^  time/,$p' ../out | diff ../expected - || fault "the report of stacked"

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
# A part of the archive: its waits and its findings, not those of others, and never more than all.
found='[(f["kind"], f["seconds"], round(f["percent"], 1)) for f in r["findings"]]'
same "findings of rank 0" "$(json "$found" --findings 3 --process 'rank 0' ranks)" \
    "[('region', 0.69, 61.6), ('late_receiver', 0.15, 13.4), ('region', 0.08, 7.1)]"
same "findings of rank 1" "$(json "$found" --findings 3 --process 'MPI Rank 1' ranks)" \
    "[('late_sender', 0.4, 35.7), ('region', 0.348, 31.1), ('region', 0.104, 9.3)]"
same "events of rank 1" "$(json 'r["events"]' --process 1 ranks)" 27
same "findings of a thread" "$(json "$found" --thread 2 threads)" "[('lock', 0.21, 11.4)]"
same "findings of another" "$(json "$found" --thread 'Master thread' threads)" \
    "[('region', 0.41, 21.6), ('region', 0.4, 21.1), ('file', 0.16, 8.4), ('flush', 0.1, 5.3)]"
same "no findings" "$(json "$found" --findings 0 threads)" "[]"
same "its files" "$("$report" --csv --by files --thread 1 threads | wc -l)" 1
same "waits of rank 1" "$(json '[(x["late_sender"], x["late_receiver"]) for x in r["sections"]["messages"]],
    [(x["operation"], x["calls"], x["waiting"]) for x in r["sections"]["collectives"]]' --process 1 ranks)" \
    "[(0.4, 0)] [('MPI_Barrier', 1, 0.09), ('MPI_Init', 1, 0), ('MPI_Bcast', 1, 0)]"
for part in "--process 0" "--process 1" "--thread 0" "--thread 1" "--thread 2"; do
    for archive in ranks windows threads odd contexts; do
        # shellcheck disable=SC2086 # two words
        "$report" --json $part $archive >../part 2>/dev/null || continue
        grep -qwiE 'nan|inf' ../part && fault "no number in $archive with $part"
        same "percent in $archive with $part" "$($python -c 'import json; r = json.load(open("../part"))
print([f for f in r["findings"] if not 0 < f["percent"] <= 100])
print([v for rows in r["sections"].values() for row in rows for k, v in row.items()
       if k.endswith("percent") and not 0 <= (v or 0) <= 100.001])')" "[]
[]"
    done
done
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
    len(r["findings"]), r["findings"][9]["kind"], r["sections"]["locks"]' ranks)" "1 1.12 1.018 38 10 job []"
same "--by memory" "$(json '[(x["process"], x["peak"] >> 20, x["peak_at"], x["end"] >> 20, x["growth"] >> 20)
    for x in r["sections"]["memory"]],
    [x["held"] >> 20 for x in r["sections"]["memory_course"]][3:10],
    [(f["kind"], "by 20.00 MiB" in f["text"]) for f in r["findings"]]' memory --by memory)" \
    "[('MPI Rank 1', 32, 0.4, 6, 0), ('MPI Rank 0', 29, 1.9, 28, 20)] \
[12, 34, 34, 34, 10, 10, 14] [('memory_growth', True)]"
same "memory by call site" "$(json '[(x["site"], x["function"], x["line"], *(x[key] >> 20 for key in
    ("at_peak", "most", "end", "growth", "taken")), x["blocks"], x["samples"])
    for x in r["sections"]["memory_sites"]],
    ["12.00 MiB of it from a.c:20, and 12.00 MiB of that by main (a.c:10) > main (a.c:20); it holds 28.00 MiB" in f["text"]
     for f in r["findings"]], [(x["callpath"], x["end"] >> 20) for x in r["sections"]["memory_paths"]]' \
    memory --by memory)" \
    "[('a.c:10', 'main', 10, 30, 30, 4, 0, 30, 3, 0), ('a.c:20', 'main', 20, 16, 16, 16, 12, 20, 4, 2), \
('', '', None, 4, 4, 4, 0, 4, 1, 0)] [True] [('main (a.c:10) > main (a.c:20)', 16)]"
run "$report" --diff faster contexts
same "--diff" "$out" "before: contexts/traces.otf2, 400.0 ms wall, 400.0 ms of all threads
after: faster/traces.otf2, 200.0 ms wall, 200.0 ms of all threads

  region     change  change %    before     after  calls before  calls after
  write   -150.0 ms    -100.0  150.0 ms      0 s              2            0
  main    -66.00 ms     -39.8  166.0 ms  100.0 ms                          1
  read    +40.00 ms                0 s   40.00 ms             0            1
  work    -24.00 ms     -28.6  84.00 ms  60.00 ms                          1"
same "--diff --json" "$(json '[(x["region"], x["change"], x["change_percent"])
    for x in r["sections"]["diff"]][2:4]' --diff faster contexts)" \
    "[('read', 0.04, None), ('work', -0.024, -28.5714285714286)]"
"$report" --columns | sed 1d >../columns
sed -n '/^## crashes/,$p' "$root/docs/report.md" | diff - ../columns ||
    fault "docs/report.md does not say what --columns does"
"$report" --schema | diff "$root/docs/report.schema.json" - ||
    fault "docs/report.schema.json is not what --schema prints"
for archive in *; do
    [ ! -e "$archive/traces.otf2" ] || "$report" --json "$archive" 2>/dev/null ||
        fault "$archive: no report"
done | $python "$here/../lib/report_schema.py" "$root/docs/report.schema.json" || fault "not as the schema says"
for archive in */traces.otf2; do
    archive=${archive%/*}
    events=$(json 'sum(x["events"] for x in r["sections"]["cost"]) - r["events"]' "$archive" 2>/dev/null)
    same "events of all regions of $archive" "$events" 0
done
"$report" --json --diff faster contexts | $python "$here/../lib/report_schema.py" "$root/docs/report.schema.json" ||
    fault "--diff: not as the schema says"
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
wrong ranks threads --by region
wrong --unknown ranks
wrong --by nothing ranks
wrong --suggest-filter file --by cost ranks
wrong --suggest-filter file --process 0 ranks
wrong --by
wrong --top many ranks
wrong --sort nothing ranks
wrong --csv --by mpi ranks
wrong --process 7 ranks
wrong --color red ranks
wrong --width 10 ranks
wrong --width wide ranks

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
        run timeout 540 "$report" short
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

finish
