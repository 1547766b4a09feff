#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/launch agent/process
# shellcheck source-path=SCRIPTDIR disable=SC2016,SC2317,SC2329 # job scripts expand; functions are arguments
# spur under Slurm: a cluster of this test's own, with four nodes on this machine. Jobs end as they do without
# spur, and each step of a job leaves one archive.
. "$(dirname "$0")/expect.sh"

# ---- the cluster ----

cluster=$(mktemp -d)
trap 'stop; rm -rf "$scratch" "$cluster"' EXIT
stop()
{
    if squeue -h 2>/dev/null | grep -q .; then # something has failed
        scancel --signal=KILL --user="$(id -un)" && sleep 2
    fi
    for file in "$cluster"/*.pid; do
        [ -s "$file" ] || continue
        kill "$(cat "$file")" 2>/dev/null
        for _ in 1 2 3 4 5 6 7 8 9 10; do
            kill -0 "$(cat "$file" 2>/dev/null)" 2>/dev/null || break
            sleep 0.3
        done
    done
}

# start FIRST_PORT: false if a port is taken.
start()
{
    cat >"$cluster/slurm.conf" <<END
ClusterName=spur
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmctldPort=$1
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthInfo=socket=$cluster/munge.socket
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool-%n
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd-%n.pid
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/slurmd-%n.log
SlurmdParameters=config_overrides
TmpFS=$cluster/tmp-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
KillWait=2
NodeName=n[1-4] NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=[$(($1 + 1))-$(($1 + 4))] CPUs=8
PartitionName=main Nodes=ALL Default=YES State=UP
END
    rm -rf "$cluster/state" && mkdir "$cluster/state"
    slurmctld -f "$cluster/slurm.conf" || return
    for node in n1 n2 n3 n4; do
        mkdir -p "$cluster/spool-$node" "$cluster/tmp-$node"
        slurmd -N $node -f "$cluster/slurm.conf" || return
    done
}

# cluster_is UP: waits until all nodes answer.
cluster_is_up()
{
    n=0
    until [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 4 ]; do
        n=$((n + 1))
        [ $n -lt 600 ] || return
        sleep 0.1
    done
}

for tool in munged slurmctld slurmd srun; do
    command -v $tool >/dev/null || fault "no $tool: install the Debian packages slurm-wlm and munge"
done
dd if=/dev/urandom of="$cluster/key" bs=1024 count=1 2>/dev/null && chmod 400 "$cluster/key"
chmod 755 "$cluster"
munged --force --key-file="$cluster/key" --socket="$cluster/munge.socket" --pid-file="$cluster/munged.pid" \
    --log-file="$cluster/munged.log" --seed-file="$cluster/seed" || fault "munged does not start"
export SLURM_CONF="$cluster/slurm.conf"
for try in 1 2 3; do
    start $((20000 + ($$ * 7 + try * 1000) % 10000)) && break
    stop
done
cluster_is_up || { fault "the cluster does not start: $(tail -n 5 "$cluster"/slurmctld.log)" && finish; }

# ---- jobs ----

PATH=$(dirname "$spur"):$PATH
cat >ring.c <<'END'
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>
/* ring ROUNDS STATUS */
int main(int argc, char **argv)
{
    int rank, size, got;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < atoi(argv[1]); i++) {
        MPI_Sendrecv(&i, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT, (rank + size - 1) % size, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        usleep(1000);
    }
    MPI_Finalize();
    return atoi(argv[2]);
}
END
for mpi in mpich openmpi; do
    mpicc.$mpi -o ring.$mpi ring.c || fault "the program is not built"
done

# archive WHAT PATTERN RANKS MESSAGES: there is one such archive, its steps are whole.
archive()
{
    what=$1 ranks=$3 messages=$4
    # shellcheck disable=SC2086 # a pattern
    set -- $2
    same "$what: archives" $# 1
    run "$spur" check "$1"
    same "$what: check" "$status" 0
    same "$what: ranks" "$("$spur" print -G "$1/traces.otf2" | grep -c '^LOCATION  ')" "$ranks"
    same "$what: messages" "$("$spur" print "$1/traces.otf2" | grep -c '^MPI_SEND ')" "$messages"
    rm -rf "$1"
}

# wait_for COMMAND...: until it is true.
wait_for()
{
    n=0
    until "$@"; do
        n=$((n + 1))
        [ $n -lt 450 ] || { fault "not in time: $*" && return; }
        sleep 0.1
    done
}
is_over() { ! squeue -h -j "$job" 2>/dev/null | grep -q .; }
# has_sent ARCHIVE: four ranks have sent messages: under load that takes a while.
has_sent()
{
    [ "$(find "$1/.spur" -name segment 2>/dev/null | wc -l)" = 4 ] || return
    rm -rf seen
    "$spur" snapshot "$1" -o seen >/dev/null 2>&1 &&
        [ "$("$spur" print seen/traces.otf2 | grep -c '^MPI_SEND ')" -gt 4 ]
}
# killed_job WHAT ARCHIVE: a job was killed in the middle of its messages. They are kept, of all four ranks.
killed_job()
{
    [ -e "$2/traces.otf2" ] || run "$spur" recover "$2"
    messages=$("$spur" print "$2/traces.otf2" | grep -c '^MPI_SEND ')
    [ "$messages" -gt 4 ] || fault "$1: $messages messages are kept"
    same "$1: ranks" "$("$spur" print -G "$2/traces.otf2" | grep -c '^LOCATION  ')" 4
}

cat >signalled.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
static void *nothing(void *argument) { return argument; }
/* signalled FILE: makes it, and ends with the signal. */
int main(int argc, char **argv)
{
    sigset_t set;
    int got;
    pthread_t thread;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, NULL, nothing, NULL);
    pthread_join(thread, NULL);
    fclose(fopen(argv[argc - 1], "w"));
    return sigwait(&set, &got) == 0 && got == SIGUSR1 ? 7 : 1;
}
END
gcc -pthread -o signalled signalled.c
printf '#!/bin/sh\nsrun -n 1 spur -o "$1" ./signalled "$1.ready"\n' >waits
# signalled_job WHAT ARCHIVE: $job ends as the program does that got the signal.
signalled_job()
{
    wait_for is_over
    has "$1" "$(scontrol show job "$job")" "ExitCode=7:0"
    run "$spur" check "$2"
    same "$1: check" "$status:$(echo "$out" | cut -d " " -f 1-4)" "0:0 faults, 0 remarks"
}

# A job that its time limit ends, by SIGTERM and then SIGKILL, and one that asks for a signal before: while the others
# run. Slurm counts in minutes, and looks every 30 s, so the ends are brought forward.
printf '#!/bin/sh\nsrun --mpi=pmi2 -n 4 -N 4 spur -o limited ./ring.mpich 1000000 0\n' >script
limited=$(sbatch --parsable -N 4 -n 4 -t 1 -o limited.out script) || fault "sbatch fails"
warned=$(sbatch --parsable -n 1 -t 5 --signal=USR1@240 -o warned.out waits warned) || fault "sbatch fails"
wait_for has_sent limited
wait_for [ -e warned.ready ]
{ scontrol update "JobId=$limited" EndTime=now+1 && scontrol update "JobId=$warned" EndTime=now+200; } ||
    fault "the ends are not brought forward"

# Each MPI library by what it understands of Slurm: ranks on nodes of their own, and a status to be kept.
for mpi in mpich:pmi2 openmpi:pmix; do
    run srun --mpi="${mpi#*:}" -n 4 -N 4 "$spur" "./ring.${mpi%:*}" 10 3
    same "srun, $mpi" "$status" 3
    archive "srun, $mpi" "spur-ring.*-[0-9]*-*" 4 40
done
run "$spur" -o outside srun --mpi=pmi2 -n 4 -N 2 ./ring.mpich 10 0
same "srun behind spur" "$status" 0
archive "srun behind spur" outside 4 40

# A heterogeneous job: its parts are jobs of their own, and one step, as MPICH has it. Open MPI 4 crashes.
run salloc -Q -n 2 -N 1 : -n 2 -N 1 srun --mpi=pmi2 --het-group=0,1 "$spur" ./ring.mpich 10 0
same "a heterogeneous job" "$status" 0
archive "a heterogeneous job" "spur-ring.mpich-[0-9]*-*" 4 40

# The tasks of a step share the work on an archive, and the first one prints.
"$1/tests/fixture-many" many 6 1000 >/dev/null
run "$spur" report --threads 1 many
alone=$out
for mpi in mpich:pmi2 openmpi:pmix; do
    run srun --mpi="${mpi#*:}" -n 3 -N 3 "$spur" report --verbose many
    same "report by srun, $mpi" "$status:$out" "0:$alone"
    has "workers of srun, $mpi" "$err" "3 workers (MPI) have sent notes"
done

cat >tasks.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void *nothing(void *argument) { return argument; }
int main(void)
{
    pthread_t thread;
    char name[32];
    if (pthread_create(&thread, NULL, nothing, NULL) || pthread_join(thread, NULL))
        return 1;
    snprintf(name, sizeof name, "task.%s", getenv("SLURM_PROCID"));
    fclose(fopen(name, "w"));
    for (int task = 0; task < 3; task++)
        for (snprintf(name, sizeof name, "task.%d", task); access(name, F_OK);)
            usleep(10000);
    return 0;
}
END
gcc -pthread -o tasks tasks.c
# Without MPI: the tasks of a step are one archive, too, if each records something before one ends.
run srun -n 3 -N 3 "$spur" ./tasks
same "tasks" "$status" 0
run "$spur" check spur-tasks-*
same "tasks: check" "$status" 0
same "tasks: processes" "$("$spur" print -G spur-tasks-*/traces.otf2 | grep -c '^LOCATION_GROUP ')" 3

# A batch script with two launches, as an array of two jobs.
cat >script <<'END'
#!/bin/sh
spur mpirun.mpich -n 2 ./ring.mpich 10 0 && srun --mpi=pmi2 -n 2 -N 2 spur -o "step-$SLURM_ARRAY_TASK_ID" ./ring.mpich 10 0
END
job=$(sbatch --parsable --wait -N 2 -n 2 --array=0,9 -o "out-%a" script) || fault "sbatch fails: $(cat out-*)"
for task in 0 9; do
    same "array: properties" "$("$spur" print -G "step-$task/traces.otf2" |
        sed -n 's/.*Name: "\(BATCH_SYSTEM\|JOB_[A-Z]*\)".*Value: "\([^"]*\)".*/\1=\2/p' | sort | uniq -c | tr -s ' \n' ' ')" \
        " 2 BATCH_SYSTEM=Slurm 2 JOB_ID=$job 2 JOB_NODES=n[1-2] 2 JOB_PARTITION=main 2 JOB_TASK=$task "
    archive "array, mpirun" "spur-ring.mpich-${job}_$task-*" 2 20
    archive "array, srun" "step-$task" 2 20
done

# scancel: a signal of the user's reaches the program; what was recorded until a job is cancelled is kept.
job=$(sbatch --parsable -n 1 -o scancelled.out waits scancelled)
wait_for [ -e scancelled.ready ]
scancel --signal=USR1 "$job.0" || fault "scancel --signal fails"
signalled_job "scancel --signal" scancelled

printf '#!/bin/sh\nsrun --mpi=pmi2 -n 4 -N 4 spur -o cancelled ./ring.mpich 100000 0\n' >script
job=$(sbatch --parsable -N 4 -n 4 -o cancelled.out script)
wait_for has_sent cancelled
scancel "$job"
wait_for is_over
killed_job scancel cancelled

job=$limited
wait_for is_over
killed_job "the time limit" limited
has "the time limit" "$(scontrol show job "$job")" "JobState=TIMEOUT"
job=$warned
signalled_job "sbatch --signal" warned
finish
