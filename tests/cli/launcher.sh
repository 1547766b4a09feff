#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/launch agent/process
# shellcheck source-path=SCRIPTDIR disable=SC2016 # the program expands, not this script
. "$(dirname "$0")/expect.sh"

# ---- a program that records nothing: one line, nothing left behind ----

run "$spur" /bin/true
same "status of true" "$status" 0
same "output of true" "$out" ""
same "a word about nothing" "$err" \
    "spur: nothing was recorded: /bin/true made no MPI, OpenMP or thread call (see 'spur doctor /bin/true')"
same "files" "$(ls -A)" ""
run "$spur" -q /bin/true
same "quiet" "$err" ""
run "$spur" ls -A
same "what the program sees" "$out" ""

# ---- what no library can be loaded into: the true reason, and the remedy ----

echo 'int main(void) { return 4; }' >plain.c
gcc -static plain.c -o static
gcc plain.c -o setuid
printf '#!%s\n' "$PWD/static" >script && chmod +x script
why='so the loader ignores preloaded libraries; trace a copy without that right'
chown nobody:nogroup setuid
for right in u+s:setuid g+s:setgid; do
    chmod "ug-s,${right%:*}" setuid
    run "$spur" ./setuid
    same "status of ${right#*:}" "$status" 4
    same "why not ${right#*:}" "$err" \
        "spur: nothing was recorded: ./setuid is ${right#*:}, $why (see 'spur doctor ./setuid')"
done
why='is statically linked, so no library can be loaded into it; link it without -static'
for command in static script; do
    run "$spur" "$PWD/$command"
    same "status of $command" "$status" 4
    same "why not $command" "$err" \
        "spur: nothing was recorded: $PWD/static $why (see 'spur doctor $PWD/$command')"
done
# What it starts is recorded, and looks like all.
echo '#include <stdlib.h>
int main(void) { return system("sh -c true; exit 4") >> 8; }' >starts.c
gcc -static starts.c -o static
run "$spur" -o started ./static
same "status of a static program that starts others" "$status" 4
has "lines of a static program that starts others" "$err" "spur: only what ./static has started is recorded: it $why"
run "$spur" -o within sh -c './static; exit $?'
same "lines of a static program within" "$status:$(printf '%s\n' "$err" | wc -l)" 4:1
rm -rf plain.c starts.c static setuid script started within

# ---- another C library: said before anything is started, and the program is unharmed ----

echo 'int main(void) { return 4; }' >plain.c
musl-gcc plain.c -o musl || fault "install the Debian package musl-tools"
gcc -static-pie plain.c -o static_pie
printf '#!%s\n' "$PWD/musl" >script && chmod +x script
why='is for musl libc, this spur for glibc; build either for the other'
for command in ./musl ./script "mpirun.mpich -n 1 ./musl"; do
    # Hydra dies of SIGPIPE in one of 200 runs under load, with true(1) and without spur as well.
    for _ in 1 2 3; do
        # shellcheck disable=SC2086 # a list of words
        run "$spur" -o for_musl $command
        [ "$status:$command" = "141:mpirun.mpich -n 1 ./musl" ] || break
    done
    same "status of $command" "$status" 4
    has "why not $command" "$err" "/musl $why; ${command%% *} runs untraced"
    same "lines about $command" "$(echo "$err" | grep -c spur):$(ls -d for_musl 2>/dev/null)" "1:"
done
# Started by a program that is traced: it dies of none of the libraries, and is counted.
run "$spur" -o of_shell --memory sh -c './musl; echo $?'
same "status in a shell" "$status:$out" "0:4"
rm -rf of_shell
run "$spur" doctor ./musl
has "doctor of musl" "$out" "./musl $why"
run "$spur" ./static_pie
same "status of a static program that is moved" "$status" 4
has "why not" "$err" "./static_pie is statically linked, so no library can be loaded into it"
rm -f plain.c musl static_pie script

# ---- a launcher that starts nothing is what went wrong ----

printf '#!/bin/sh\nexit 5\n' >mpirun && chmod +x mpirun
run "$spur" ./mpirun -n 2 /bin/true
same "status of the launcher" "$status" 5
same "what failed" "$err" \
    "spur: nothing was recorded: ./mpirun failed, and /bin/true made no MPI, OpenMP or thread call (see 'spur doctor /bin/true')"
rm mpirun

# ---- calls that the settings keep out: that is what is said ----

run env SPUR_PTHREAD=contended SPUR_WRAP=pthread SPUR_MPI=default "$spur" -f all /bin/true
same "settings that let nothing pass" "$err" \
    "spur: nothing was recorded: /bin/true made no MPI, OpenMP or thread call that passes SPUR_WRAP=pthread, SPUR_PTHREAD=contended (see 'spur doctor /bin/true')"
for form in "-u LD_PRELOAD" -uLD_PRELOAD --unset=LD_PRELOAD; do
    # shellcheck disable=SC2086 # a list of words
    run "$spur" env $form /bin/true
    has "env $form" "$err" "/bin/true runs without the agent, since the command takes LD_PRELOAD from the program (see"
done
run "$spur" --io isoc /bin/true
has "files are asked for" "$err" "made no MPI, OpenMP, thread or file call that passes SPUR_IO=isoc (see"
run "$spur" -f none --start off /bin/true
has "programs that are not followed" "$err" "thread call that passes SPUR_FOLLOW=none (see"

# ---- files may not be large: the agent says so, the launcher nothing, and lives ----

cat >locks.c <<'END'
#include <pthread.h>
int main(void)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    return pthread_mutex_lock(&lock);
}
END
gcc locks.c -o locks
run sh -c "ulimit -f 100; '$spur' -o limited ./locks"
same "status under a limit" "$status" 0
same "what is said of a limit" "$err" \
    "spur: nothing is recorded: cannot write to $PWD/limited: File too large; raise the limit on the size of files (ulimit -f), or bound what is kept with SPUR_FLUSH=ring"
rm -f locks.c locks

# ---- the command's end is spur's end ----

run "$spur" -q sh -c 'echo out; echo err >&2; exit 3'
same "status" "$status" 3
same "output" "$out" out
same "errors" "$err" err
for signal in TERM SEGV KILL HUP; do
    run sh -c "\"$spur\" -q sh -c 'kill -s $signal \$\$'; exit \$?"
    sh -c "sh -c 'kill -s $signal \$\$'; exit \$?" 2>/dev/null
    same "death by $signal" "$status" "$?"
done
run "$spur" no-such-command
same "not found" "$status:$err" "127:spur: no-such-command: command not found"
printf '#!/nowhere/sh\n' >script && chmod +x script
run "$spur" ./script
same "no interpreter" "$status:$err" "127:spur: ./script: the interpreter that it names does not exist"
touch plain
run "$spur" ./plain
same "not executable" "$status:$err" "126:spur: ./plain: Permission denied"
rm plain

# ---- standard input, signals, descriptors, environment ----

same "standard input" "$(echo word | "$spur" -q cat)" word
"$spur" -q -o loop sh -c 'trap "exit 9" TERM; touch ready; while :; do sleep 0.05; done' &
launcher=$!
while [ ! -e ready ]; do sleep 0.05; done
kill -TERM "$launcher"
wait "$launcher"
same "a forwarded TERM" "$?" 9
rm -rf ready loop
same "descriptors" "$("$spur" -q ls /proc/self/fd)" "$(ls /proc/self/fd)"
# Not SigQ, how many signals wait for any process of the user.
same "ignored signals" "$("$spur" -q grep 'Sig[^Q]' /proc/self/status)" \
    "$(grep 'Sig[^Q]' /proc/self/status)"
ours='^(LD_PRELOAD|OPENCL_LAYERS|CUDA_INJECTION64_PATH|NVTX_INJECTION64_PATH|SPUR_[A-Z_]*|_)='
env | grep -vE "$ours" | sort >../before
"$spur" -q env | grep -vE "$ours" | sort >../after
same "environment" "$(diff ../before ../after)" ""

# ---- what starts: the launcher, which makes the command ----

strace -f -qq -e trace=execve,execveat,fork,vfork,clone,clone3 -o ../calls "$spur" -q /bin/true
same "programs" "$(grep -c 'exec.* = 0$' ../calls)" 2
same "processes" "$(grep -cE '(fork|clone3?)\(.* = [0-9]+$' ../calls)" 1
mkdir bin && ln -s "$spur" bin/
same "by a link" "$(PATH=$PWD/bin:$PATH spur -q echo word)" word
same "from its folder" "$(cd "${spur%/*}" && PATH='' ./spur -q -o "$scratch/some" /bin/echo word)" word

# ---- the launch script of a source tree ----

mkdir -p tree/scripts && cp "$(dirname "$0")/../../scripts/spur" tree/scripts/
run tree/scripts/spur -q echo word
same "a tree that is not built" "$status $err" \
    "127 spur: $PWD/tree/build/bin/spur is not there; build it: $PWD/tree/scripts/setup"
ln -s "${spur%/bin/spur}" tree/build
run tree/scripts/spur -q sh -c 'echo "$0 $1"; exit 3' word "two words"
same "by the launch script" "$status $out" "3 word two words"
rm -r tree

# ---- the command is the one that is executed: no word of the shell's, no file that lies here ----

printf '#!/bin/sh\necho "options: $ASAN_OPTIONS"\n' >bin/test && chmod +x bin/test
echo libasan.so >./test && chmod +x test
same "options for another's needs" "$(PATH=$PWD/bin:$PATH "$spur" -q test)" "options: "
rm test && mkfifo test
same "a pipe is not looked at" "$(PATH=$PWD/bin:$PATH timeout 540 "$spur" -q nice test)" "options: "
rm -r bin test
echo '#!/bin/sh
: libasan.so; echo "options: $ASAN_OPTIONS"' >script && chmod +x script
same "options for a script" "$(ASAN_OPTIONS=a=1 "$spur" -q ./script)" \
    "options: a=1:verify_asan_link_order=0"
rm script

# ---- the output directory ----

mkdir full && touch full/file
for dir in full full/file /proc/nowhere missing/parent; do
    run "$spur" -o "$dir" sh -c 'echo "$LD_PRELOAD"; exit 5'
    same "status with -o $dir" "$status" 5
    same "untraced with -o $dir" "$out" ""
    has "-o $dir is named" "$err" "$dir"
    same "lines about -o $dir" "$(echo "$err" | wc -l)" 1
done
same "nothing made of them" "$(ls -A full):$(ls -A)" "file:full"
rm -r full
line='not a
folder' && touch "$line"
run "$spur" -o "$line" true
same "a name with a line's end" "$status:$err" \
    "0:spur: output directory $PWD/not a\\nfolder exists and is no directory; true runs untraced"
rm "$line"
for temporary in /proc/nowhere ../before; do
    has "without room for markers" "$(TMPDIR=$temporary "$spur" -q sh -c 'echo "$SPUR_DIR"')" \
        "$PWD/spur-sh-20"
done
mkdir ../markers && TMPDIR=$PWD/../markers "$spur" -q -f none sh -c 'ls "$TMPDIR"' >../marker
same "markers" "$(wc -l <../marker):$(ls ../markers)" "1:"
same "directory for the agent" "$("$spur" -q -o some sh -c 'echo "$SPUR_DIR"')" "$PWD/some"
has "default name" "$("$spur" -q sh -c 'echo "$SPUR_DIR"')" "$PWD/spur-sh-20"
has "name with a launcher" "$("$spur" -q env -i A=b PATH="$PATH" sh -c 'echo "$SPUR_DIR"')" "$PWD/spur-sh-20"
for _ in 1 2 3; do "$spur" -q sh -c 'sleep 0.4; echo "$SPUR_DIR"' & done >../names
wait
same "names of runs of one second" "$(sort -u ../names | wc -l)" 3

# ---- inner form, nesting ----

run env PMI_RANK=1 "$spur" sh -c 'echo "${SPUR_DIR-unset}:${SPUR_SESSION-unset}:$LD_PRELOAD"'
has "inner form" "$out" "/libspur.so"
case $out in *:launched:*) fault "inner form waits: $out" ;; esac
run "$spur" -q "$spur" sh -c 'echo "$LD_PRELOAD:$SPUR_DIR"'
same "preloaded once" "$(echo "$out" | grep -o libspur.so | wc -l)" 1
same "errors of a session in a session" "$err" ""
run "$spur" -o nested sh -c '"$0" true; "$0" -q true; :' "$spur"
has "a session in a session" "$err" "3 processes"
case $err in *untraced*) fault "the launcher counts as untraced: $err" ;; esac
rm -r nested
run env LD_PRELOAD=libm.so.6 "$spur" -q sh -c 'echo "$LD_PRELOAD"'
has "behind other preloads" "$out" "libm.so.6:"

# ---- spur's own arguments ----

run "$spur" --version
has "version" "$out" "spur "
run "$spur" --help
has "help" "$out" "usage: spur"
run "$spur" help settings
has "settings" "$out" SPUR_BUFFER
for wrong in --unknown -o "help nothing" "doctor" "recover"; do
    # shellcheck disable=SC2086 # a list of words
    run "$spur" $wrong
    same "status of a wrong '$wrong'" "$status" 2
    same "lines about a wrong '$wrong'" "$(echo "$err" | wc -l)" 1
done

# ---- a part of spur is not installed ----

mkdir -p alone/bin
cp "$spur" alone/bin
for part in "report install spur anew" "otf2-config (package libspur-otf2-dev)" "unpack without zlib"; do
    run alone/bin/spur "${part%% *}"
    same "status without ${part%% *}" "$status" 127
    same "lines without ${part%% *}" "$(echo "$err" | wc -l)" 1
    has "without ${part%% *}" "$err" "spur-${part%% *}: No such file or directory: "
    has "without ${part%% *}" "$err" "${part#* }"
done
rm -r alone

# ---- a sandbox that forbids to wait for signals ----

run timeout 20 strace -qq -o ../calls -e trace=rt_sigtimedwait -e inject=rt_sigtimedwait:error=EPERM \
    "$spur" -q -o sandbox sh -c 'exit 7'
same "status in a sandbox" "$status" 7
same "lines in a sandbox" "$err" ""
rm -r sandbox

# ---- no process beside the launcher ----

for call in clone pipe2; do
    run timeout 20 strace -qq -o ../calls -e trace=$call -e inject=$call:error=EAGAIN \
        "$spur" -o alone sh -c 'echo "$SPUR_SESSION$LD_PRELOAD"; exit 7'
    same "without $call" "$status:$out:$err" "7::spur: cannot start a process beside this one: \
Resource temporarily unavailable; sh runs untraced"
    [ ! -e alone ] || fault "without $call: there is a directory"
done

# ---- bad options: refused before anything starts, and named as they were typed ----

# $1: why; the rest: the option.
refuses()
{
    why=$1
    shift
    run "$spur" "$@" -o refused touch started
    same "status of $*" "$status" 2
    has "what is said of $*" "$err" "spur: $* $why"
    same "lines about $*" "$(echo "$err" | wc -l):$out" "1:"
    same "what $* leaves" "$(ls -d started refused 2>/dev/null)" ""
}
printf 'SCOREP_REGION_NAMES_BEGIN\nSCOREP_REGION_NAMES_END\nEXCLUDE a\n' >bad.filter
refuses "is neither a rate from 1 to 10000 a second nor EVENT:PERIOD" --sample abc
refuses "is neither a rate from 1 to 10000 a second nor EVENT:PERIOD" --sample=0
refuses "names no event that can be sampled" --sample coffees:10
refuses "is not a number from 0 to 1024" --unwind 5000
refuses "is not a number from 0 to 1024" --unwind=x
refuses "is neither on nor off" --start maybe
refuses "is neither auto nor all" --polls some
refuses "is not a time" --min-duration 10parsecs
refuses "must not be empty" --follow=
refuses "cannot be read: No such file or directory" --filter /nonexist
refuses "is no filter: in line 3 a word" --filter bad.filter
refuses "must not be empty" --filter=
refuses "names rusage:minflts, which is no metric; similar: rusage:minflt" --metrics rusage:minflts
refuses "names perf:no-such, which is no metric; " --metrics=rusage:minflt,perf:no-such
run "$spur" -q --metrics rusage:minflt,rusage:nvcsw --sample 100 --unwind 4 --min-duration 1us true
same "good options" "$status:$err" "0:"
rm bad.filter
finish
