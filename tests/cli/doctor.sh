#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/doctor
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/expect.sh"

# One line of the doctor's about $1 has $2; its status is $3.
says()
{
    run "$spur" doctor "$1"
    has "doctor $1" "$out" "$2"
    same "status of doctor $1" "$status" "$3"
    same "errors of doctor $1" "$err" ""
}

echo 'int main(void) { return 0; }' >plain.c
cat >mpi.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    return MPI_Finalize();
}
END
echo 'int MPI_Init(void) { return 0; } int main(void) { return MPI_Init(); }' >inside.c
gcc plain.c -o plain
gcc -static plain.c -o static
gcc -fsanitize=address plain.c -o sanitized
mpicc.mpich mpi.c -o mpich
mpicc.openmpi mpi.c -o openmpi
gcc inside.c -o inside
cat >omp.c <<'END'
int main(void)
{
    int n = 0;
#pragma omp parallel reduction(+ : n)
    n++;
    return n == 0;
}
END
gcc -fopenmp omp.c -o gomp
clang -fopenmp omp.c -o libomp
echo 'void GOMP_parallel(void) {} int main(void) { return 0; }' >gomp_inside.c
gcc gomp_inside.c -o gomp_inside
cat >allocator.c <<'END'
#include <stddef.h>
static char room[1 << 20];
static size_t used;
void *malloc(size_t n) { used += (n + 15) / 16 * 16; return room + used - (n + 15) / 16 * 16; }
void free(void *p) { (void)p; }
int main(void) { return malloc(1) == 0; }
END
gcc -fno-builtin allocator.c -o allocator
gcc -fno-builtin -fPIC -shared -Dmain=unused allocator.c -o libbare.so
gcc plain.c -Wl,--no-as-needed "$PWD/libbare.so" -o bare
gcc plain.c -Wl,--no-as-needed -l:libjemalloc.so.2 -o jemalloc
printf '#!%s\n' "$PWD/plain" >script && chmod +x script
printf '#!/no/such/interpreter\n' >orphan && chmod +x orphan
echo text >text && chmod +x text
head -c 100 plain >short && chmod +x short
printf '\177ELF\002\001\001 a rest without sense' >torn && chmod +x torn
cp plain setuid && chown nobody setuid && chmod u+s setuid

says ./plain "will be traced" 0
says ./plain "a reading takes " 0
says ./plain "MPI        none linked" 0
says ./plain "/libc.so.6: recorded with --memory" 0
says ./jemalloc "/libjemalloc.so.2: recorded with --memory" 0
says ./allocator "--memory records nothing: the program contains an allocator" 0
says ./bare "libbare.so has no malloc_usable_size()" 0
says ./sanitized "--memory records nothing: AddressSanitizer keeps the memory" 0
says ./mpich "MPICH family" 0
says ./openmpi "Open MPI" 0
says true "/true: native" 0
says ./script "run by $PWD/plain" 0
says ./static "link it without -static" 1
says ./inside "MPI        statically linked into the program" 1
says ./sanitized "verify_asan_link_order=0" 0
run "$spur" -q ./sanitized
same "status of a sanitized program" "$status:$err" "0:"
for runtime in gomp libomp; do
    says ./$runtime "parallel regions, barriers, tasks and locks are traced" 0
    OMP_NUM_THREADS=2 "$spur" -q -o $runtime.archive ./$runtime
    has "what the doctor says of $runtime" "$("$spur" report --by region $runtime.archive)" 'omp parallel'
    rm -r $runtime.archive
done
# OpenCL: a loader that takes layers, one that does not, none that is linked; what is there already.
cat >opencl.c <<'END'
int clGetPlatformIDs(unsigned, void *, unsigned *);
int main(void)
{
    unsigned n;
    return clGetPlatformIDs(0, 0, &n);
}
END
gcc opencl.c -l:libOpenCL.so.1 -o opencl
echo 'int clGetPlatformIDs(void) { return 0; }' | gcc -shared -fPIC -x c - -Wl,-soname,libOpenCL.so.1 -o libOpenCL.so.1
gcc opencl.c "$PWD/libOpenCL.so.1" -Wl,-rpath,"$PWD" -o opencl_old
echo 'int clGetPlatformIDs(void) { return 0; } int main(void) { return clGetPlatformIDs(); }' |
    gcc -x c - -o opencl_inside
says ./opencl "/libOpenCL.so.1 takes layers: calls, kernels and copies are traced" 0
says ./opencl_old "$PWD/libOpenCL.so.1 takes no layers: calls of what is linked with it are traced, those" 0
says ./opencl_inside "opencl_inside takes no layers, so OpenCL is not recorded; link it with a library" 1
says ./plain "/libOpenCL.so.1 takes layers, and is traced if the program loads it" 0
case $out in *OPENCL_LAYERS*) fault "layers that are not there: $out" ;; esac
export OPENCL_LAYERS=/opt/other.so
says ./opencl "OPENCL_LAYERS is /opt/other.so: spur adds itself" 0
unset OPENCL_LAYERS
LD_LIBRARY_PATH=$PWD "$spur" doctor ./plain >old || fault "the doctor fails with a loader that is old"
has "a loader that is old" "$(cat old)" "libOpenCL.so.1 takes no layers: calls of what is linked"
mkdir loader
cat >versioned.c <<'END'
#include <string.h>
const char *layers = "OPENCL_LAYERS";
int clGetICDLoaderInfoOCLICD(int what, unsigned long size, char *value, void *size_ret)
{
    strcpy(value, what == 3 ? "Fake ICD" : what == 2 ? "7.8" : "");
    return 0;
}
END
gcc -shared -fPIC versioned.c -Wl,-soname,libOpenCL.so.1 -o loader/libOpenCL.so.1
LD_LIBRARY_PATH=$PWD/loader "$spur" doctor ./plain >versioned || fault "the doctor fails with a loader that tells its version"
has "the version of the loader" "$(cat versioned)" "the loader is Fake ICD 7.8"
# Level Zero: the loader, and one that calls its own functions without asking the linker.
echo 'int zeInit(int flags); int main(void) { return zeInit(0); }' >zero.c
gcc zero.c -lze_loader -o zero
mkdir closed
echo 'int zeGetCommandListProcAddrTable(void) { return 0; } int zeInit(void) { return zeGetCommandListProcAddrTable(); }' |
    gcc -shared -fPIC -Wl,-Bsymbolic -x c - -Wl,-soname,libze_loader.so.1 -o closed/libze_loader.so.1
says ./zero "/libze_loader.so.1 lets the agent in: calls, kernels and copies are traced; not tried on hardware" 0
says ./plain "/libze_loader.so.1 lets the agent in, if the program loads it" 0
gcc zero.c closed/libze_loader.so.1 -Wl,-rpath,"$PWD/closed" -o zero_closed
says ./zero_closed "PROBLEM  Level Zero $PWD/closed/libze_loader.so.1 fills its tables without the agent" 1
# HIP: a runtime that registers itself, one without rocprofiler-sdk beside, and an old one.
mkdir rocm rocm_bare
echo 'int register_it(void) { return 0; }' >register.c
echo 'int register_it(void); int hipInit(int flags) { return flags + register_it(); }' >runtime.c
echo 'int hipInit(int flags); int main(void) { return hipInit(0); }' >hip.c
for folder in rocm rocm_bare; do
    gcc -shared -fPIC register.c -Wl,-soname,librocprofiler-register.so.0 -o $folder/librocprofiler-register.so.0
    gcc -shared -fPIC runtime.c $folder/librocprofiler-register.so.0 -Wl,-rpath,"$PWD/$folder" \
        -Wl,-soname,libamdhip64.so.6 -o $folder/libamdhip64.so.6
    gcc hip.c $folder/libamdhip64.so.6 -Wl,-rpath,"$PWD/$folder" -o hip_$folder
done
gcc -shared -fPIC register.c -o rocm/librocprofiler-sdk.so
mkdir old_rocm
echo 'int hipInit(int flags) { return flags; }' |
    gcc -shared -fPIC -x c - -Wl,-soname,libamdhip64.so.5 -o old_rocm/libamdhip64.so.5
gcc hip.c old_rocm/libamdhip64.so.5 -Wl,-rpath,"$PWD/old_rocm" -o hip_old
says ./hip_rocm "calls, kernels and copies are traced by $PWD/rocm/librocprofiler-sdk.so; not tried on hardware" 0
says ./hip_rocm_bare "no librocprofiler-sdk.so beside $PWD/rocm_bare/librocprofiler-register.so.0" 1
says ./hip_old "old_rocm/libamdhip64.so.5 does not use rocprofiler-register" 1
# CUDA: a driver, a CUPTI beside the runtime, in CUDA_HOME, or none; who else has the variable; rights.
echo 'int cuDriverGetVersion(int *n) { *n = 13020; return 0; }' |
    gcc -shared -fPIC -x c - -Wl,-soname,libcuda.so.1 -o libcuda.so.1
cupti='int cuptiSubscribe(void) { return 0; } int cuptiGetVersion(unsigned *n) { *n = NUMBER; return 0; }'
mkdir -p kit/lib64 kit/extras/CUPTI/lib64 home/lib64
echo "$cupti" | gcc -shared -fPIC -DNUMBER=130001 -x c - -o kit/extras/CUPTI/lib64/libcupti.so.13
echo "$cupti" | gcc -shared -fPIC -DNUMBER=17 -x c - -o home/lib64/libcupti.so.12
echo 'int cudaFree(void *p) { return p != 0; }' |
    gcc -shared -fPIC -x c - -Wl,-soname,libcudart.so.13 -o kit/lib64/libcudart.so.13
echo 'int cudaFree(void *p); int main(void) { return cudaFree(0); }' |
    gcc -x c - -L kit/lib64 -l:libcudart.so.13 -Wl,-rpath,"$PWD/kit/lib64" -o cuda
echo 'const char *driver = "libcuda.so.1"; int main(void) { return *driver == 0; }' | gcc -x c - -o cuda_static
says ./cuda "CUPTI is $PWD/kit/extras/CUPTI/lib64/libcupti.so.13, version 130001: calls, kernels and copies" 0
CUDA_HOME=$PWD/home
export CUDA_HOME
says ./cuda_static "CUPTI is $PWD/home/lib64/libcupti.so.12, version 17" 0
unset CUDA_HOME
LD_LIBRARY_PATH=$PWD "$spur" doctor ./cuda >with_driver || fault "the doctor fails with a driver"
has "a driver" "$(cat with_driver)" "the driver (libcuda.so.1) is for CUDA 13.2"
CUDA_INJECTION64_PATH=/opt/other.so
export CUDA_INJECTION64_PATH
says ./cuda_static "PROBLEM  CUDA       CUDA_INJECTION64_PATH is /opt/other.so, so CUDA is not recorded" 1
says ./plain "ok       CUDA       CUDA_INJECTION64_PATH is /opt/other.so" 0
unset CUDA_INJECTION64_PATH
# Where neither the toolkits of the machine nor anything else is there, there is none.
cat >without.sh <<'END'
for folder in /usr/local /opt; do
    mount --bind "$1" $folder || exit 9
done
shift
exec "$@"
END
mkdir empty
if unshare -m true 2>unshared; then
    status=0
    unshare -m sh without.sh "$PWD/empty" "$spur" doctor ./cuda_static >without || status=$?
    same "status without CUPTI" $status 1
    has "no CUPTI" "$(cat without)" "PROBLEM  CUDA       no CUPTI is found: only calls of the driver are recorded"
else
    echo "a machine without CUPTI is not tried: $(cat unshared)"
fi
if [ ! -e /dev/nvidiactl ]; then
    says ./plain "no driver (libcuda.so.1) on this machine: no program can use CUDA here" 0
    says ./plain "NVML       absent: no power, clocks and use of GPUs" 0
fi
says ./gomp_inside "libgomp is statically linked" 1
says ./plain "libunwind.so.8 is present: --unwind records call stacks" 0
says ./plain "--metrics takes its counters" 0
case $out in *"this version"*) fault "what is not so any more: $out" ;; esac
says ./setuid "trace a copy" 1
says ./orphan "/no/such/interpreter is not found" 1
says ./text "neither an ELF program" 1
says ./short "PROBLEM" 1
says ./torn "PROBLEM" 1
says no-such-program "not found" 1
says ./ "is a directory" 1
says ./plain.c "neither an ELF program nor a script" 1
cp plain unmarked && chmod -x unmarked
says ./unmarked "not executable" 1
says ./plain "clock " 0

# ---- the file that execvp() and the kernel would take, and no other ----

printf '#!plain\n' >here && printf '#!true\n' >nowhere && chmod +x here nowhere
says ./here "run by ./plain" 0
says ./nowhere "its interpreter true is not found" 1
before=$PATH
PATH=$before:
says plain "./plain: native" 0
PATH=$before
says plain "not found" 1

# ---- hostile files: an answer, never a crash ----

size=$(wc -c <mpich)
number=1
while [ $number -le 60 ]; do
    cp mpich hostile
    # Bytes at places that differ from round to round, half of them in the header.
    printf '\377\177' | dd of=hostile bs=1 conv=notrunc status=none seek=$((16 + number % 48))
    printf '\200\377\377' | dd of=hostile bs=1 conv=notrunc status=none \
        seek=$((number * 7919 % size))
    printf '\377\377\377\377' | dd of=hostile bs=1 conv=notrunc status=none \
        seek=$((size - 1 - number * 31 % 2000))
    run timeout 540 "$spur" doctor ./hostile
    [ "$status" -le 1 ] || fault "doctor ends with $status for hostile file $number"
    number=$((number + 1))
done
finish
