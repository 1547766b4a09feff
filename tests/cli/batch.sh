#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/launch agent/state
# shellcheck source-path=SCRIPTDIR disable=SC2016 # other shells expand
# In a job of a batch system the archive's name has the job's number, and processes know the job.
build=$(readlink -f "$1")
. "$(dirname "$0")/expect.sh"
unset SLURM_JOB_ID PBS_JOBID LSB_JOBID FLUX_JOB_ID PALS_APID SLURM_PROCID

# job WHAT TAG PROPERTIES VARIABLE=VALUE...: the archive's name begins with TAG, both from the launcher and from the
# agent alone, and the process has these properties of a job, no others.
program=$build/tests/programs/thread_life
job()
{
    what=$1 tag=$2 properties=$3
    shift 3
    for form in "$spur -q" "env LD_PRELOAD=$build/lib/libspur.so"; do
        rm -rf spur-*
        # shellcheck disable=SC2086 # a list of words
        run env "$@" $form "$program"
        same "$what: the program" "$status" 0
        archive=$(echo spur-*)
        case $archive in
        "$tag"-20[0-9][0-9][0-9][0-9][0-9][0-9]-[0-9][0-9][0-9][0-9][0-9][0-9]) ;;
        *) fault "$what: the archive is $archive" ;;
        esac
        found=$("$spur" print -G "$archive/traces.otf2" |
            sed -n 's/.*Name: "\(BATCH_SYSTEM\|JOB_[A-Z]*\)".*Value: "\([^"]*\)".*/\1=\2/p' | sort | tr '\n' ' ')
        same "$what: properties" "$found" "$properties"
    done
}

job none spur-thread_life ""
job Slurm spur-thread_life-4711 "BATCH_SYSTEM=Slurm JOB_ID=4711 JOB_NODES=node[1-4] JOB_PARTITION=long " \
    SLURM_JOB_ID=4711 SLURM_JOB_NODELIST='node[1-4]' SLURM_JOB_PARTITION=long
job "an array of Slurm" spur-thread_life-4712_3 "BATCH_SYSTEM=Slurm JOB_ID=4712 JOB_TASK=3 " \
    SLURM_JOB_ID=4715 SLURM_ARRAY_JOB_ID=4712 SLURM_ARRAY_TASK_ID=3
job "the first of an array of Slurm" spur-thread_life-4712_0 "BATCH_SYSTEM=Slurm JOB_ID=4712 JOB_TASK=0 " \
    SLURM_JOB_ID=4713 SLURM_ARRAY_JOB_ID=4712 SLURM_ARRAY_TASK_ID=0
job "a first start" spur-thread_life-4711 "BATCH_SYSTEM=Slurm JOB_ID=4711 " SLURM_JOB_ID=4711 SLURM_RESTART_COUNT=0
job "a third start" spur-thread_life-4711-restart2 "BATCH_SYSTEM=Slurm JOB_ID=4711 JOB_RESTART=2 " \
    SLURM_JOB_ID=4711 SLURM_RESTART_COUNT=2
job "a second start in an array" spur-thread_life-4712_3-restart1 \
    "BATCH_SYSTEM=Slurm JOB_ID=4712 JOB_RESTART=1 JOB_TASK=3 " \
    SLURM_JOB_ID=4715 SLURM_ARRAY_JOB_ID=4712 SLURM_ARRAY_TASK_ID=3 SLURM_RESTART_COUNT=1
job PBS spur-thread_life-815 "BATCH_SYSTEM=PBS JOB_ID=815.head JOB_NODES=/var/spool/nodes JOB_PARTITION=workq " \
    PBS_JOBID=815.head PBS_NODEFILE=/var/spool/nodes PBS_QUEUE=workq
job "an array of PBS" spur-thread_life-815_0 "BATCH_SYSTEM=PBS JOB_ID=815[0].head JOB_TASK=0 " \
    'PBS_JOBID=815[0].head' PBS_ARRAY_INDEX=0
job LSF spur-thread_life-99 "BATCH_SYSTEM=LSF JOB_ID=99 JOB_NODES=a 4 b 4 JOB_PARTITION=normal " \
    LSB_JOBID=99 LSB_JOBINDEX=0 LSB_MCPU_HOSTS='a 4 b 4' LSB_QUEUE=normal
job "an array of LSF" spur-thread_life-99_1 "BATCH_SYSTEM=LSF JOB_ID=99 JOB_TASK=1 " LSB_JOBID=99 LSB_JOBINDEX=1
job "LSF, started again" spur-thread_life-99-restart "BATCH_SYSTEM=LSF JOB_ID=99 JOB_RESTART=Y " \
    LSB_JOBID=99 LSB_RESTART=Y
job Flux spur-thread_life-f2Fk "BATCH_SYSTEM=Flux JOB_ID=f2Fk " FLUX_JOB_ID=f2Fk
job "Flux with UTF-8" spur-thread_life-f2Fk_0 "BATCH_SYSTEM=Flux JOB_ID=ƒ2Fk JOB_TASK=0 " FLUX_JOB_ID=ƒ2Fk FLUX_JOB_CC=0
job "a hostile number" spur-thread_life "BATCH_SYSTEM=Slurm JOB_ID=../../x " SLURM_JOB_ID=../../x
job "two systems" spur-thread_life-1 "BATCH_SYSTEM=Slurm JOB_ID=1 " SLURM_JOB_ID=1 PBS_JOBID=2

# A program that takes its environment away before it is recorded is in the job, too.
cat >cleared.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static void *nothing(void *argument) { return argument; }
int main(void)
{
    pthread_t thread;
    strcpy(getenv("SLURM_JOB_ID"), "9");
    clearenv();
    return pthread_create(&thread, NULL, nothing, NULL) || pthread_join(thread, NULL);
}
END
gcc -pthread -o cleared cleared.c
program=./cleared
job "no environment" spur-cleared-4711 "BATCH_SYSTEM=Slurm JOB_ID=4711 " SLURM_JOB_ID=4711
# ---- the tasks of a step ----

for launcher in slurmstepd palsd flux-shell; do # by their names
    cp /bin/sh $launcher
done
cat >task.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *nothing(void *argument) { return argument; }
/* task OWN OTHER: makes the file OWN, and ends when there is OTHER. */
int main(int argc, char **argv)
{
    pthread_t thread;
    int failed = argc != 3 || pthread_create(&thread, NULL, nothing, NULL) || pthread_join(thread, NULL);
    fclose(fopen(argv[1], "w"));
    for (int i = 0; access(argv[2], F_OK) && i < 1000; i++)
        usleep(10000);
    return failed;
}
END
gcc -pthread -o task task.c

# step LAUNCHER VARIABLE=VALUE...: a task below each of two launchers, as on two hosts, is one archive.
step()
{
    launcher=$1
    shift
    rm -rf spur-task-* here there
    env "$@" ./"$launcher" -c '"$1" ./task here there; exit $?' sh "$spur" 2>/dev/null &
    run env "$@" ./"$launcher" -c '"$1" ./task there here; exit $?' sh "$spur"
    wait $! || fault "below $launcher: a task fails"
    same "below $launcher: status" "$status" 0
    same "below $launcher: processes" "$("$spur" print -G spur-task-*/traces.otf2 | grep -c '^LOCATION_GROUP ')" 2
}
step slurmstepd SLURM_PROCID=0 SLURM_JOB_ID=1 SLURM_STEP_ID=0
step palsd PALS_RANKID=0 PALS_APID=1
step flux-shell PMI_RANK=0 FLUX_JOB_ID=f1 SLURM_JOB_ID=1 SLURM_STEP_ID=0 # Flux within a job of Slurm

# A task that comes when the others have made the archive says that it is not in it.
run ./slurmstepd -c 'for SLURM_PROCID in 0 1; do export SLURM_PROCID && "$1" -o late ./task here here || exit; done' sh "$spur"
same "a late task" "$status:$(echo "$err" | tail -n 1)" "0:spur: output directory $PWD/late holds the archive of \
tasks that have ended, and task 1 is late; ./task runs untraced"
# If the archive was there before the step, one task says so.
touch -d '1 minute ago' late/traces.otf2
for task in 0 1; do
    run env SLURM_PROCID=$task ./slurmstepd -c '"$1" -o late ./task here here; exit $?' sh "$spur"
    said=$status:$err
    [ $task = 1 ] || same "an old archive" "$said" "0:spur: output directory $PWD/late holds an archive; ./task runs untraced"
done
same "an old archive, another task" "$said" 0:

# ---- a job that is started again ----

cat >lives.c <<'END'
#include <pthread.h>
#include <signal.h>
static void *nothing(void *argument) { return argument; }
/* With an argument it ends by SIGKILL. */
int main(int argc, char **argv)
{
    pthread_t thread;
    int failed = pthread_create(&thread, NULL, nothing, NULL) || pthread_join(thread, NULL);
    return argc > 1 ? raise(SIGKILL) : failed;
}
END
gcc -pthread -o lives lives.c
# processes DIR: of its archive; the name may be a pattern.
processes()
{
    for archive in $1; do
        "$spur" print -G "$archive/traces.otf2" | grep -c '^LOCATION_GROUP '
    done
}

# starts DIRECTORY SECOND OPTION...: the first start is killed; the second one has an archive of its own, and says where
# the events of the first one are.
starts()
{
    first=$1 second=$2
    shift 2
    rm -rf spur-* given*
    run env SLURM_PROCID=0 SLURM_JOB_ID=5 SLURM_STEP_ID=0 ./slurmstepd -c '"$@"; exit $?' sh "$spur" "$@" ./lives 9
    same "the first start" "$status" 137
    for left in $first; do
        first=$left
    done
    run env SLURM_PROCID=0 SLURM_JOB_ID=5 SLURM_STEP_ID=0 SLURM_RESTART_COUNT=1 \
        ./slurmstepd -c '"$@"; exit $?' sh "$spur" "$@" ./lives
    same "the second start" "$status:$(processes "$second")" 0:1
    has "the second start" "$err" "'spur recover $first' makes the archive of the earlier start"
    run "$spur" recover "$first"
    same "the first start: recover" "$status:$(processes "$first")" 0:1
}
starts 'spur-lives-5-2*' 'spur-lives-5-restart1-*'
starts "$PWD/given" given-restart1 -o given/
has "the second start, with a directory" "$(ls)" given-restart1

# Around a launcher, too: what the first start has made, or left, stays.
for restart in 0 1 1; do
    run env SLURM_JOB_ID=5 SLURM_RESTART_COUNT=$restart "$spur" -o around ./lives
done
same "around" "$status:$(processes around):$(processes around-restart1)" 0:1:1
has "around, a third time" "$err" "output directory $PWD/around-restart1 is not empty"

# The tasks of one srun may run different programs: then ranks must not wait for each other.
printf '#!/bin/sh\necho "$SPUR_SESSION"\n' >srun && chmod +x srun
run "$spur" -q ./srun -n 4 ./task
same "srun with one program" "$out" launched
run "$spur" -q ./srun -n 4 --multi-prog programs
same "srun with several programs" "$out" mixed
finish
