#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: wrappers/process agent/process
# shellcheck source-path=SCRIPTDIR disable=SC2016 # the program expands, not this script
# Timers live on over exec, and so does what a profiler has made that is preloaded: their signals end
# no part of the launcher, and the program has the timers and dispositions that it has without spur.
. "$(dirname "$0")/expect.sh"

# ---- a signal as the launcher looks where it lies, and while the command runs ----

for signal in PROF VTALRM ALRM XCPU; do
    run env PMI_RANK=1 strace -f -qq -o /dev/null -e trace=access \
        -e inject=access:signal=SIG$signal:when=2 "$spur" -q /bin/sh -c 'echo word; exit 3'
    same "$signal as the launcher starts" "$status:$out" "3:word"
    run strace -f -qq -o /dev/null -e trace=rt_sigtimedwait \
        -e inject=rt_sigtimedwait:signal=SIG$signal:when=1 "$spur" -q /bin/sh -c 'echo word; exit 3'
    same "$signal as the launcher waits" "$status:$out" "3:word"
    # Whoever sends it to the launcher means the program.
    run timeout 540 "$spur" -q sh -c "trap 'exit 7' $signal; kill -s $signal \$PPID
        while :; do sleep 0.05; done"
    same "$signal for the program" "$status" 7
done

# ---- what the program gets ----

# The handlers that note a crash are hidden from the program, not from the kernel: SigCgt shows them.

cat >dispositions <<'END'
grep 'Sig[^Q]' /proc/self/status
END
for ignored in PROF 'ALRM XCPU' 'PROF VTALRM ALRM XCPU' USR1; do
    # shellcheck disable=SC2086 # a list of words
    same "dispositions, $ignored ignored" \
        "$(trap '' $ignored && SPUR_CRASH=off "$spur" -q sh dispositions)" \
        "$(trap '' $ignored && sh dispositions)"
done

cat >timers.py <<'END'
import os, signal, sys
ALL = signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF
if len(sys.argv) > 1:
    for timer in ALL:
        signal.setitimer(timer, 10000, 3000 + timer)
    os.execvp(sys.argv[1], sys.argv[1:])
print([(0 < left < 10001, every) for left, every in map(signal.getitimer, ALL)])
END
all='[(True, 3000.0), (True, 3001.0), (True, 3002.0)]'
show="/usr/bin/python3 $PWD/timers.py"
# shellcheck disable=SC2086 # lists of words
{
    same "a caller's timers" "$($show "$spur" -q $show)" "$all"
    same "a caller's timers, within a job" "$(PMI_RANK=1 $show "$spur" -q $show)" "$all"
}

# ---- a preloaded library that makes timers in every process, here in the launcher only ----

cat >library.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
static void nothing(int sig)
{
    (void)sig;
}
__attribute__((constructor)) static void begin(void)
{
    const struct itimerval often = {{10000, 0}, {10000, 0}};
    const int timers[] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};
    const int signals[] = {SIGALRM, SIGVTALRM, SIGPROF};
    for (int i = 0; i < 3 && strcmp(program_invocation_short_name, "spur") == 0; i++) {
        signal(signals[i], nothing);
        setitimer(timers[i], &often, 0);
    }
}
END
gcc -shared -fPIC library.c -o library.so
none='[(False, 0.0), (False, 0.0), (False, 0.0)]'
for rank in '' 1; do
    # shellcheck disable=SC2086 # a list of words
    same "timers of a library in the launcher, rank '$rank'" \
        "$(PMI_RANK=$rank LD_PRELOAD=$PWD/library.so "$spur" -q $show)" "$none"
done

# ---- the profiler of gperftools ----

cat >burn.c <<'END'
#include <time.h>
int main(void)
{
    while (clock() < CLOCKS_PER_SEC / 50)
        ;
    return 5;
}
END
gcc burn.c -o burn
ended=
mkdir profiles
for number in $(seq 40); do
    LD_PRELOAD=libprofiler.so.0 CPUPROFILE=$PWD/profiles/of_$number CPUPROFILE_FREQUENCY=4000 \
        PMI_RANK=$([ $((number % 4)) -gt 0 ] || echo 1) "$spur" -q ./burn 2>>said
    ended="$ended $?"
done
same "ends" "$(echo "$ended" | tr ' ' '\n' | sort | uniq -c | tr -s ' \n' ' ')" " 1 40 5 "
grep -v PROFILE: said >faults && fault "said: $(cat faults)"
written=$(find profiles -name 'of_*' -size +1000c | wc -l)
[ "$written" -ge 40 ] || fault "$written of 40 profiles are written: $(ls -l profiles)"
finish
