#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source-path=SCRIPTDIR
# Programs that are linked for an older glibc need no younger function, and run.
root=$(readlink -f "$(dirname "$0")/../..")
. "$(dirname "$0")/expect.sh"

"$root/scripts/old_glibc" "$PWD/stubs" 2.28 || fault "there are no libraries to link with"
cat >calls.c <<'END'
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
static void *thread(void *number)
{
    *(double *)number = pow(*(double *)number, 3.0);
    return NULL;
}
int main(void)
{
    double number = 2.0;
    pthread_t t;
    pthread_create(&t, NULL, thread, &number);
    pthread_join(t, NULL);
    printf("%.0f %d\n", number, dlopen("libm.so.6", RTLD_NOW) != NULL);
    return 0;
}
END
gcc calls.c -o old -L"$PWD/stubs" -lm || fault "the program is not linked for the older glibc"
gcc calls.c -o new -lm || fault "the program is not linked"
run ./old
same "of the older glibc" "$out" "8 1"
run "$root/scripts/old_glibc" --check 2.28 old
same "what is too young in it" "$out$err" ""
run "$root/scripts/old_glibc" --check 2.28 new
has "what is too young otherwise" "$out" "new: dlopen needs GLIBC_2.34"

# What the older glibc does not have is found out when it is linked.
cat >young.c <<'END'
#include <unistd.h>
int main(void)
{
    return gettid() == 0;
}
END
gcc -D_GNU_SOURCE young.c -o young -L"$PWD/stubs" 2>linked && fault "gettid() is linked for the older glibc"
has "the linker" "$(cat linked)" "undefined reference to \`gettid'"
run "$root/scripts/old_glibc" --check old calls.c
has "a version that is none" "$err" "old_glibc: old is no version of glibc, such as 2.28"
finish
