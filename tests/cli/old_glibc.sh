#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: portable
# shellcheck source-path=SCRIPTDIR
# Programs that are linked for an older glibc need no younger function, and run. scripts/portable can
# link the products so, and looks at files with every glibc.
root=$(readlink -f "$(dirname "$0")/../..")
. "$(dirname "$0")/expect.sh"
build=$(dirname "$(dirname "$spur")")

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

# Data with several names is one thing: libc sets the environment as __environ.
cat >data.c <<'END'
#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
int main(void)
{
    tzset();
    printf("%s %s %ld %s\n", environ ? environ[0] : "none", program_invocation_name, timezone, tzname[0]);
    return 0;
}
END
gcc -D_GNU_SOURCE data.c -o data -L"$PWD/stubs" || fault "the program with data is not linked"
run env -i TZ=UTC+3 ./data
same "data of the C library" "$out" "TZ=UTC+3 ./data 10800 UTC"

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
# No product needs a function that glibc 2.28 has not at all.
for file in "$build"/lib/libspur*.so "$build"/libexec/spur/*; do
    head -c 4 "$file" | grep -q ELF && printf '%s\n' "$file"
done >products
# shellcheck disable=SC2046 # a list of words
run "$root/scripts/old_glibc" --names 2.28 $(cat products)
same "functions that the older glibc lacks" "$out$err" ""
gcc -D_GNU_SOURCE young.c -o young || fault "gettid() is not linked"
run "$root/scripts/old_glibc" --names 2.28 young
same "a function that it lacks" "$out" "young: gettid needs GLIBC_2.30"

# Files are looked at as the C library does, by functions of our own.
cat >look.c <<'END'
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
static void say(int status, const struct stat *info)
{
    if (status)
        printf("%d %d\n", status, errno);
    else
        printf("%o %ld %ld %d %d %ld %ld\n", info->st_mode, (long)info->st_size, (long)info->st_ino,
               (int)info->st_nlink, (int)info->st_uid, (long)info->st_mtim.tv_sec, info->st_mtim.tv_nsec);
}
int main(void)
{
    struct stat info;
    say(stat("link", &info), &info);
    say(lstat("link", &info), &info);
    say(fstat(open("file", O_RDONLY), &info), &info);
    say(fstatat(open(".", O_RDONLY), "link", &info, AT_SYMLINK_NOFOLLOW), &info);
    say(stat("nothing", &info), &info);
    say(fstat(1000, &info), &info);
    return 0;
}
END
echo words >file && ln -s file link
gcc -D_GNU_SOURCE -I"$root" -include portable/old_stat.h look.c "$root/portable/old_stat.c" -o look_old \
    -L"$PWD/stubs" || fault "looking at files is not linked for the older glibc"
gcc -D_GNU_SOURCE -include sys/stat.h look.c -o look_new || fault "looking at files is not linked"
same "what is seen" "$(./look_old)" "$(./look_new)"
same "what needs a younger one" "$("$root/scripts/old_glibc" --check 2.28 look_old)" ""

run "$root/scripts/old_glibc" --check old calls.c
has "a version that is none" "$err" "old_glibc: old is no version of glibc, such as 2.28"
finish
