#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: wrappers/kit agent/process
# shellcheck source-path=SCRIPTDIR disable=SC2016 # the loader expands, not this script
# Programs that load libraries by other ways than usual end as without spur, and are recorded.
. "$(dirname "$0")/expect.sh"

prefix=$(dirname "$(dirname "$spur")")
mkdir apart
cat >work.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static void *thread(void *number)
{
    free(malloc(100));
    return number;
}
int work(int n)
{
    int sum = 0;
    for (long i = 0; i < n; i++) {
        pthread_t t;
        void *number;
        if (pthread_create(&t, NULL, thread, (void *)i) || pthread_join(t, &number))
            return -1000;
        sum += (int)(long)number;
    }
    return sum;
}
END
cat >calls.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
int work(int n);
int main(int argc, char **argv)
{
    int (*other)(int);
    int sum = work(4);
    if (argc > 1) {
        /* A second copy, with a C library of its own. */
        void *space = dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW);
        *(void **)&other = space ? dlsym(space, "work") : NULL;
        if (!other)
            return puts(dlerror());
        sum += other(5);
        if (other == work || dlclose(space))
            return 1;
    }
    printf("%d\n", sum);
    return 3;
}
END
gcc -shared -fPIC work.c -o apart/libwork.so
for tags in disable enable; do
    gcc calls.c -Lapart -lwork '-Wl,-rpath,$ORIGIN/apart' -Wl,--$tags-new-dtags -o "calls.$tags"
done

# records WHAT SHOULD COMMAND...: the output and status are those, and four threads are recorded.
records()
{
    what=$1 should=$2
    shift 2
    for options in "" "--memory" "--io posix,isoc" "--sample 100 --unwind 4"; do
        rm -rf archive
        # shellcheck disable=SC2086 # a list of words
        run "$spur" -o archive $options "$@"
        same "$what $options" "$status:$out" "$should"
        run "$spur" check archive
        same "$what $options, checked" "$status" 0
        same "threads of $what $options" "$("$spur" print archive/traces.otf2 |
            grep -c 'ENTER .*"pthread_create"')" 4
    done
}
records "a library by RPATH" 3:6 ./calls.disable
records "a library by RUNPATH" 3:6 ./calls.enable
# What prelink leaves behind: libraries have places of their own, and lie there. The loader says that they were moved
# by 0 bytes, as it says of a program.
mkdir placed
gcc -g -shared -fPIC work.c -Wl,-Ttext-segment=0x3f00000000 -o placed/libwork.so
gcc calls.c -no-pie -Lplaced -lwork '-Wl,-rpath,$ORIGIN/placed' -o calls.placed
gcc calls.c -Wl,-Ttext-segment=0x2000000000 -Lplaced -lwork '-Wl,-rpath,$ORIGIN/placed' -o calls.placed_pie
has "where the library lies" "$(LD_DEBUG=files ./calls.placed 2>&1 | sed -n '/file=libwork.so.*generating/,/base:/p')" \
    "base: 0x0000000000000000"
for program in calls.placed calls.placed_pie; do
    records "a library with a place of its own" 3:6 ./$program
    rm -rf archive
    run "$spur" -q -o archive --sites ./$program
    line=$(grep -n 'pthread_create(' work.c | cut -d : -f 1)
    has "lines of a library with a place of its own" "$("$spur" report --by sites archive)" "work.c:$line "
done
# What runs in another namespace calls the library there: not seen, and unharmed.
records "a namespace of its own" 3:16 ./calls.enable "$PWD/apart/libwork.so"
# The loader as the command: it loads the program itself.
records "the loader" 3:6 "$(ldd calls.enable | sed -n 's/^[[:space:]]*\(\/[^ ]*ld-[^ ]*\) .*/\1/p')" ./calls.enable

# ---- programs that no agent can be loaded into, found in PATH: counted, and unharmed ----

cat >exits.c <<'END'
#include <sys/auxv.h>
int main(void) { return getauxval(AT_SECURE) ? 5 : 4; }
END
mkdir -p first/of_musl first/of_pie second
cp exits.c first/of_secure # not executable
# A glibc without the newest version that the agent needs, as older ones are; and another loader.
needed=$(readelf -V "$prefix/lib/libspur.so" | grep -o 'GLIBC_2\.[0-9]*' | sort -V | tail -n 1)
loader=$(ldd calls.enable | sed -n 's/^[[:space:]]*\(\/[^ ]*ld-[^ ]*\) .*/\1/p')
library=$(ldd calls.enable | sed -n 's/.*libc\.so\.6 => \([^ ]*\) .*/\1/p')
mkdir aged aged/lib
sed "s/$needed\x00/GLIBC_2.0x\x00/" "$library" >aged/lib/libc.so.6
cp "$loader" aged/lib/loader.so.2
printf '\1' | dd of=aged/lib/loader.so.2 bs=1 seek=15 conv=notrunc status=none # which nobody reads
chmod 755 aged/lib/*
ln -s lib/loader.so.2 aged/ld.so.2
ln -s "$PWD/aged/ld.so.2" second/ld.so.2
gcc -fno-stack-protector -nostartfiles -x c - -o second/of_old -Wl,-dynamic-linker,"$PWD/second/ld.so.2" \
    -Wl,-rpath,"$PWD/aged/lib" <<'END'
#include <unistd.h>
void _start(void) { _exit(4); }
END
musl-gcc exits.c -o second/of_musl || fault "install the Debian package musl-tools"
gcc -static-pie exits.c -o second/of_pie
gcc exits.c -o second/of_secure
chmod u+s second/of_secure
gcc exits.c -o second/of_capable && setcap cap_net_raw+ep second/of_capable
printf '#! %s\n' "$PWD/second/of_musl" >second/by_musl
printf '#!%s -x\n' "$PWD/second/by_musl" >second/by_script
chmod 755 second/by_musl second/by_script
cat >starts.c <<'END'
#define _GNU_SOURCE
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
/* starts HOW NAME: ends as the program of this name, which a child becomes. */
int main(int argc, char **argv)
{
    char *how = argv[1], **words = argv + 2;
    int status;
    pid_t child = 0;
    if (strcmp(how, "posix_spawnp") == 0) {
        if (posix_spawnp(&child, argv[2], NULL, NULL, words, environ))
            return 90;
    } else if ((child = strcmp(how, "vfork") == 0 ? vfork() : fork()) == 0) {
        if (strcmp(how, "execlp") == 0)
            execlp(argv[2], argv[2], (char *)NULL);
        if (strcmp(how, "execvpe") == 0)
            execvpe(argv[2], words, environ);
        execvp(argv[2], words);
        _exit(91);
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 92;
}
END
gcc -w starts.c -o starts
chmod 711 .. . && mkdir -m 777 theirs
# As another user, whom the setuid program gives rights.
for name in of_musl:4 by_musl:4 by_script:4 of_old:4 of_pie:4 of_secure:5 of_capable:5; do
    for how in execvp execlp execvpe vfork posix_spawnp; do
        run setpriv --reuid=65534 --regid=65534 --clear-groups env PATH="first:$PWD/second:$PATH" \
            "$spur" -o theirs/archive ./starts $how "${name%:*}"
        same "$how of ${name%:*}" "$status:$out" "${name#*:}:"
        has "count of $how of ${name%:*}" "$err" "1 program not traced"
        same "lines of $how of ${name%:*}" "$(printf '%s\n' "$err" | wc -l)" 1
        rm -rf theirs/archive
    done
done
rm -rf archive
# As the command: untraced, after a line that says why.
for name in of_musl by_musl by_script of_old; do
    run "$spur" -o archive second/$name
    same "$name as the command" "$status:$out" "4:"
    has "$name as the command" "$err" "second/$name runs untraced"
    same "lines of $name as the command" "$(printf '%s\n' "$err" | wc -l)" 1
done
has "an older glibc" "$err" "spur: second/of_old has a C library without $needed, which this spur needs"
run "$spur" doctor second/of_old
has "what the doctor says of an older glibc" "$status:$out" "PROBLEM  program    second/of_old has a C library without"
# Loaders as the command, and within.
musl=$(readelf -l second/of_musl | sed -n 's/.*interpreter: \(.*\)].*/\1/p')
for command in "$musl second/of_musl" "second/ld.so.2 second/of_old"; do
    # shellcheck disable=SC2086 # a list of words
    run "$spur" -o archive $command
    same "$command" "$status:$out" "4:"
    has "$command" "$err" "${command%% *} runs untraced"
    run "$spur" -o archive sh -c "$command; exit \$?"
    same "$command, within" "$status:$out" "4:"
    has "$command, within" "$err" "1 program not traced"
    same "lines of $command, within" "$(printf '%s\n' "$err" | wc -l)" 1
    rm -rf archive
done
run "$spur" -o archive "$loader" /bin/true
has "a loader whose program records nothing" "$err" "nothing was recorded: $loader made no MPI"
# Without a slash execve() means the working directory, whatever PATH says.
cat >here.c <<'END'
#include <unistd.h>
int main(void) { return execve("of_musl", (char *[]){"of_musl", NULL}, (char *[]){NULL}); }
END
gcc here.c -o here && cp second/of_musl of_musl
run "$spur" -o archive sh -c './here; exit $?'
same "execve() of a bare name" "$status:$out" "4:"
rm -rf archive of_musl

# The runtime of AddressSanitizer wants to be the first library, unless it is told not to mind.
gcc -fsanitize=address exits.c -o of_asan
sed 's/^int main/const char *__asan_default_options(void) { return "handle_segv=0"; }\n&/' exits.c |
    gcc -fsanitize=address -x c - -o of_asan_options
run "$spur" -o archive sh -c './of_asan; exit $?'
same "AddressSanitizer in a child" "$status:$out" "4:"
same "lines of AddressSanitizer in a child" "$(printf '%s\n' "$err" | wc -l)" 1
run env LD_PRELOAD="$prefix/lib/libspur.so" ./of_asan
same "AddressSanitizer without the launcher" "$status:$out$err" "4:"
rm -rf archive
# The launcher tells one that has options of its own.
run "$spur" -o archive ./of_asan_options
same "AddressSanitizer with options" "$status:$out" "4:"

# ThreadSanitizer: no report of the agent's, with locks of libunwind neither; those of the program are there.
gcc -g -fsanitize=thread work.c calls.c -o calls.tsan
gcc -g -fsanitize=thread -x c - -o races.tsan <<'END'
#include <pthread.h>
static int sum;
static void *add(void *nothing)
{
    for (int i = 0; i < 1000; i++)
        sum++;
    return nothing;
}
int main(void)
{
    pthread_t t;
    if (pthread_create(&t, 0, add, 0))
        return 1;
    add(0);
    return pthread_join(t, 0);
}
END
run "$spur" -o archive ./races.tsan
has "a race of the program's own" "$status:$err" "ThreadSanitizer: data race"
rm -rf archive
for options in "" "--sample 1000 --unwind 10"; do
    # shellcheck disable=SC2086 # a list of words
    run "$spur" -o archive $options ./calls.tsan
    same "ThreadSanitizer $options" "$status:$out" "3:6"
    same "lines with ThreadSanitizer $options" "$(printf '%s\n' "$err" | wc -l)" 1
    rm -rf archive
done

# ---- a spur within a session: one agent, that of the session; none where the program has none ----

mkdir other other/lib
cp -r "$prefix/bin" other/
ln -s "$prefix/libexec" other/libexec
cp "$prefix"/lib/libspur.so "$prefix"/lib/libspur-memory.so other/lib/
for inner in "$spur" "$PWD/other/bin/spur" "$PWD/other/bin/spur --memory"; do
    # shellcheck disable=SC2016 # the inner shell expands
    run "$spur" -o archive sh -c "$inner sh -c 'echo \$LD_PRELOAD; ./calls.enable'"
    same "status of $inner" "$status:${out##*
}" "3:6"
    same "agents with $inner" "$(echo "$out" | grep -o '[^:]*libspur\.so')" "$prefix/lib/libspur.so"
    same "threads with $inner" "$("$spur" print archive/traces.otf2 |
        grep -c 'ENTER .*"pthread_create"')" 4
    rm -rf archive
    # The line, and nothing of a loader that dies.
    run "$spur" -o archive sh -c "$inner second/of_musl; exit \$?"
    same "a program of musl by $inner" "$status:$out" "4:"
    has "why not by $inner" "$err" "second/of_musl runs untraced"
    same "nothing but lines of spur by $inner" "$(printf '%s\n' "$err" | grep -vc '^spur: ')" 0
    rm -rf archive
done
# Its own archive is there already: untraced is untraced, and other libraries stay.
mkdir full && "$spur" -q -o full/archive ./calls.enable >/dev/null
gcc -shared -fPIC -x c /dev/null -o empty.so
# shellcheck disable=SC2016 # the inner shell expands
run env LD_PRELOAD="$PWD/empty.so" "$spur" -o archive sh -c "$spur -o full/archive sh -c 'echo \$LD_PRELOAD'"
same "libraries of an untraced program" "$status:$out" "0:$PWD/empty.so"
has "why it is untraced" "$err" "runs untraced"
rm -rf archive
finish
