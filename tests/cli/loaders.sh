#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source-path=SCRIPTDIR disable=SC2016 # the loader expands, not this script
# Programs that load libraries by other ways than usual end as without spur, and are recorded.
. "$(dirname "$0")/expect.sh"

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
# What runs in another namespace calls the library there: not seen, and unharmed.
records "a namespace of its own" 3:16 ./calls.enable "$PWD/apart/libwork.so"
# The loader as the command: it loads the program itself.
records "the loader" 3:6 "$(ldd calls.enable | sed -n 's/^[[:space:]]*\(\/[^ ]*ld-[^ ]*\) .*/\1/p')" ./calls.enable
finish
