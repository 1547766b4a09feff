#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source-path=SCRIPTDIR disable=SC2016,SC2317 # job scripts expand; functions are arguments
# spur under Slurm: a cluster of this test's own, with four nodes on this machine. Jobs end as they do without
# spur, and each step of a job leaves one archive.
. "$(dirname "$0")/expect.sh"

# ---- the cluster ----

cluster=$(mktemp -d)
trap 'stop; rm -rf "$scratch" "$cluster"' EXIT
stop()
{
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

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
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

# Each MPI library by what it understands of Slurm: ranks on nodes of their own, and a status to be kept.
for mpi in mpich:pmi2 openmpi:pmix; do
    run srun --mpi="${mpi#*:}" -n 4 -N 4 "$spur" "./ring.${mpi%:*}" 10 3
    same "srun, $mpi" "$status" 3
    archive "srun, $mpi" "spur-ring.*-[0-9]*-*" 4 40
done
run "$spur" -o outside srun --mpi=pmi2 -n 4 -N 2 ./ring.mpich 10 0
same "srun behind spur" "$status" 0
archive "srun behind spur" outside 4 40

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
job=$(sbatch --parsable --wait -N 2 -n 2 --array=5,9 -o "out-%a" script) || fault "sbatch fails: $(cat out-*)"
for task in 5 9; do
    archive "array, mpirun" "spur-ring.mpich-${job}_$task-*" 2 20
    archive "array, srun" "step-$task" 2 20
done

# A signal of the user's reaches the program. scancel: what was recorded is kept.
cat >signalled.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
static void *nothing(void *argument) { return argument; }
int main(void)
{
    sigset_t set;
    int got;
    pthread_t thread;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, NULL, nothing, NULL);
    pthread_join(thread, NULL);
    return sigwait(&set, &got) == 0 && got == SIGUSR1 ? 7 : 1;
}
END
gcc -pthread -o signalled signalled.c
printf '#!/bin/sh\nsrun -n 1 spur -o signalled.d ./signalled\n' >script
job=$(sbatch --parsable -n 1 -o signalled.out script)

# wait_for COMMAND...: until it is true.
wait_for()
{
    n=0
    until "$@"; do
        n=$((n + 1))
        [ $n -lt 300 ] || { fault "not in time: $*" && return; }
        sleep 0.1
    done
}
is_over() { ! squeue -h -j "$job" 2>/dev/null | grep -q .; }
has_begun() { [ -d "$1/.spur" ]; }
wait_for has_begun signalled.d
n=0
until is_over || [ $n -gt 600 ]; do
    scancel --signal=USR1 "$job.0" 2>/dev/null
    n=$((n + 1))
    sleep 0.1
done
has "the signal" "$(scontrol show job "$job")" "ExitCode=7:0"
run "$spur" check signalled.d
same "the signal: check" "$status" 0

printf '#!/bin/sh\nsrun --mpi=pmi2 -n 4 -N 4 spur -o cancelled ./ring.mpich 100000 0\n' >script
job=$(sbatch --parsable -N 4 -n 4 -o cancelled.out script)
are_four() { [ "$(find cancelled/.spur -name segment 2>/dev/null | wc -l)" = 4 ]; }
# They have sent messages: under load that takes a while.
has_sent()
{
    rm -rf cancelled.seen
    "$spur" snapshot cancelled -o cancelled.seen >/dev/null 2>&1 &&
        [ "$("$spur" print cancelled.seen/traces.otf2 | grep -c '^MPI_SEND ')" -gt 4 ]
}
wait_for are_four
wait_for has_sent
scancel "$job"
wait_for is_over
[ -e cancelled/traces.otf2 ] || run "$spur" recover cancelled
messages=$("$spur" print cancelled/traces.otf2 | grep -c '^MPI_SEND ')
[ "$messages" -gt 4 ] || fault "scancel: $messages messages are kept"
same "scancel: ranks" "$("$spur" print -G cancelled/traces.otf2 | grep -c '^LOCATION  ')" 4
finish
