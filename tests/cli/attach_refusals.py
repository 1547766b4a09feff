# SPDX-License-Identifier: BSD-3-Clause
"""
attach_refusals.py SPUR FOLDER: programs of each kind that cannot be recorded, and orders that make no sense.
Each program says "ready", and then what it is told.
"""

import errno
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

from patience import HANG_S  # noqa: E402
from seeded import Seeded  # noqa: E402

SPUR, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
BUILD = pathlib.Path(SPUR).parent.parent
PAGES = pathlib.Path(__file__).resolve().parent.parent.parent / "docs"
NOBODY = 65534
IS_ROOT = os.getuid() == 0
tester = Seeded("ATTACH_REFUSALS", str(FOLDER))
fault, same = tester.fault, tester.same

ECHO = r"""
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <linux/filter.h>
#include <linux/seccomp.h>
#endif
static int echo(void)
{
    char text[9];
    long n = write(1, "ready\n", 6) == 6 ? read(0, text, sizeof text) : 0;
    return n <= 0 || write(1, text, (size_t)n) != n;
}
"""
MAIN = "int main(void) { %s return echo(); }\n"
SEALED = """
    struct sock_filter all[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog filter = {1, all};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
        return 1;
"""
TRACED = """
    int ends[2];
    char is_held = 0;
    pid_t parent = getpid(), child = pipe(ends) ? -1 : fork();
    if (child == 0) {
        is_held = ptrace(PTRACE_SEIZE, parent, NULL, NULL) == 0;
        if (write(ends[1], &is_held, 1) == 1)
            pause();
        return 0;
    }
    if (read(ends[0], &is_held, 1) != 1 || !is_held)
        return 1;
    int status = echo();
    kill(child, SIGKILL);
    return status;
"""
# What libraries of a program that has changed its user must not do, they have been told at its start.
CHANGED = "if (setresuid(geteuid(), geteuid(), geteuid())) return 1;"
HIDDEN = "if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)) return 1;"
# The parent waits until its child has gone: nothing interrupts that.
LENT = "pid_t child = vfork(); if (child == 0) _exit(echo()); return child < 0;"
HANDLER = """
static int status = 1;
static void handle(int number)
{
    (void)number;
    status = echo();
}
int main(void)
{
    signal(SIGUSR1, handle);
    raise(SIGUSR1);
    return status;
}
"""
THREAD = """
static void *wait_there(void *id)
{
    *(volatile long *)id = syscall(SYS_gettid);
    pause();
    return id;
}
int main(void)
{
    pthread_t thread;
    volatile long id = 0;
    if (pthread_create(&thread, NULL, wait_there, (void *)&id))
        return 1;
    while (!id)
        usleep(1000);
    printf("%ld\\n", id);
    fflush(stdout);
    return echo();
}
"""
LEFT = """
static pthread_t first;
static void *wait_there(void *unused)
{
    exit(pthread_join(first, NULL) ? 1 : echo());
    return unused;
}
int main(void)
{
    pthread_t thread;
    first = pthread_self();
    if (pthread_create(&thread, NULL, wait_there, NULL))
        return 1;
    pthread_exit(NULL);
}
"""
# int $0x80 with read(0, text, 9), write(1, text, n), exit(0)
OTHER = r"""
.globl _start
_start: mov $4, %eax
        mov $1, %ebx
        mov $ready, %ecx
        mov $6, %edx
        int $0x80
        mov $3, %eax
        xor %ebx, %ebx
        mov $text, %ecx
        mov $9, %edx
        int $0x80
        mov %eax, %edx
        mov $4, %eax
        mov $1, %ebx
        mov $text, %ecx
        int $0x80
        mov $1, %eax
        xor %ebx, %ebx
        int $0x80
.data
ready:  .ascii "ready\n"
text:   .skip 16
"""


def run(*command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=HANG_S)


def build(name, body, *options, compiler="gcc", suffix="c"):
    """`body`: what main() does first, or all of it."""
    source = FOLDER / f"{name}.{suffix}"
    if suffix == "c":
        body = ECHO + (body if "main(" in body or "nothing" in body else MAIN % body)
    source.write_text(body)
    done = run(compiler, "-O1", "-pthread", "-o", FOLDER / name, source, *options)
    if done.returncode:
        fault(f"{name}: {done.stderr}")
    return FOLDER / name


def make_root(program):
    """A folder with a program and the libraries that it needs, and no more."""
    root = FOLDER / "root"
    for library in [word for word in run("ldd", program).stdout.split() if word.startswith("/")]:
        (root / library[1:]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, root / library[1:])
    shutil.copy(program, root / "echo")
    return root


def is_executed(program):
    """Some kernels are made for programs of 64 bits alone."""
    try:
        subprocess.run([program], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       check=False, timeout=HANG_S)
    except OSError as error:
        if error.errno != errno.ENOEXEC:
            raise
        return False
    return True


def programs():
    """What it is, its command, how it is started, what begins the command of spur, what spur says."""
    echo = build("echo", "")
    fake = build("libspur.so", "int nothing;\n", "-shared", "-fPIC")
    static = "it is linked statically: there is no loader that could load the agent"
    elsewhere = ("it does not see the libraries of spur: it runs in a container or another root; "
                 "install spur there")
    setuid = "it has the rights of another user than the one who started it (setuid)"
    place = "none of its threads was at a place where that is safe; try again"
    forbidden = ("the kernel does not permit it; kernel.yama.ptrace_scope must be 0 ('sysctl "
                 "kernel.yama.ptrace_scope'), or run 'spur attach' as root or with CAP_SYS_PTRACE")
    without = ["setpriv", "--bounding-set=-sys_ptrace", "--inh-caps=-sys_ptrace"] if IS_ROOT else []
    inside = ["unshare", "--user", "--map-root-user"]
    yield "static", [build("static", "", "-static")], {}, [], static
    yield "static-pie", [build("static_pie", "", "-static-pie", "-fPIE")], {}, [], static
    yield ("musl", [build("musl", "", compiler="musl-gcc")], {}, [],
           "it uses musl, which the agent is not made for")
    other = build("other", OTHER, "-m32", "-nostdlib", "-static", "-no-pie", suffix="s")
    if is_executed(other):
        yield "32 bits", [other], {}, [], "it is a program for another processor, or of 32 bits"
    else:
        print("not tried: a program of 32 bits, which the kernel of this machine does not execute")
    yield ("a sanitizer", [build("asan", "", "-fsanitize=address")], {}, [],
           "it is built with a sanitizer, which must know of all threads")
    yield ("seccomp", [build("sealed", SEALED)], {}, [],
           "it has made the kernel forbid it system calls (seccomp)")
    yield "a tracer", [build("traced", TRACED)], {}, [], "a debugger or another tracer holds it already"
    yield "no dumps", [build("hidden", HIDDEN)], {}, without, forbidden
    yield ("a container", [*inside, "--mount", "sh", "-c", f"mount -t tmpfs none {BUILD} && exec {echo}"], {},
           [], elsewhere)
    yield "another root", [*inside, "--root", make_root(echo), "/echo"], {}, [], elsewhere
    yield ("since its start", [echo], {"env": {**os.environ, "LD_PRELOAD": str(fake)}}, [],
           "spur records it already, since its start")
    yield "no first thread", [build("left", LEFT)], {}, [], "its first thread has ended before the others"
    yield "vfork", [build("lent", LENT)], {}, [], place
    yield "a handler", [build("handler", HANDLER)], {}, [], place
    if IS_ROOT:  # nobody else can be another one
        yield ("another user", ["setpriv", f"--reuid={NOBODY}", "cat"], {}, [],
               "it belongs to another user; run 'spur attach' as that user")
        yield "setuid", ["setpriv", f"--ruid={NOBODY}", echo], {}, [], setuid
        yield "setuid before", ["setpriv", f"--ruid={NOBODY}", build("changed", CHANGED)], {}, [], setuid


def ended(what, process):
    same(f"{what}: output", process.communicate("on\n", timeout=HANG_S)[0], "on\n")
    same(f"{what}: end", process.returncode, 0)


def start(command, **options):
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **options)


def refused(what, pid, begins, says, word="attach"):
    """A check that waits for the command of spur."""
    archive = FOLDER / f"refused.{what.replace(' ', '_')}"
    options = ["-o", archive] if word == "attach" else []
    command = subprocess.Popen([*begins, SPUR, word, *options, str(pid)], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)

    def check():
        got = command.communicate(timeout=HANG_S)
        same(what, (command.returncode, *got), (1, "", f"spur: process {pid}: {says}\n"))
        same(f"{what}: directory", archive.exists(), False)
    return check


def kinds():
    """Two of them take the ten seconds that spur tries, so all run at the same time."""
    rows = []
    for what, command, options, begins, says in programs():
        process = start(command, **options)
        if command[-1] == "cat":
            process.stdin.write("ready\n")
            process.stdin.flush()
        same(f"{what}: it runs", process.stdout.readline(), "ready\n")
        rows.append((what, process, refused(what, process.pid, begins, says)))
    for what, process, check in rows:
        check()
        ended(what, process)


def numbers():
    """Of no process that could be recorded."""
    refused("no process", 1 << 30, [], "there is no such process")()
    ending = subprocess.Popen(["true"])
    os.waitid(os.P_PID, ending.pid, os.WEXITED | os.WNOWAIT)
    refused("a zombie", ending.pid, [], "it is ending")()
    ending.wait()
    if os.path.exists("/proc/2/status") and not os.path.exists("/proc/2/exe"):  # not in a container
        refused("the kernel", 2, [], "it is a thread of the kernel")()
    threads = start([build("threads", THREAD)])
    thread = int(threads.stdout.readline())
    threads.stdout.readline()
    refused("a thread", thread, [], "it is a thread; give the number of its process")()
    ended("a thread", threads)
    got = run(SPUR, "attach", "12x")
    same("no number", (got.returncode, got.stderr.count("12x is not the number of a process")), (2, 1))


def replaced():
    """The file of the C library is removed while a program runs, as in an upgrade. Root still has it."""
    folder = FOLDER / "replaced"
    folder.mkdir()
    path = [word for word in run("ldd", FOLDER / "echo").stdout.split() if word.endswith("/libc.so.6")][0]
    shutil.copy(path, folder)
    process = start([FOLDER / "echo"], env={**os.environ, "LD_LIBRARY_PATH": str(folder)})
    process.stdout.readline()
    (folder / "libc.so.6").unlink()
    few = "-sys_admin,-checkpoint_restore"
    without = ["setpriv", f"--bounding-set={few}", f"--inh-caps={few}"] if IS_ROOT else []
    refused("replaced", process.pid, without,
            "the file of its C library was replaced since it has started; start it anew")()
    if IS_ROOT:
        got = run(SPUR, "attach", "-o", FOLDER / "of_root", process.pid)
        same("replaced, by root", (got.returncode, got.stderr), (0, ""))
    ended("replaced", process)


def heard():
    """What spur has to say in a process is said by the command. The program's output stays its own."""
    little = 1000
    tight = start([FOLDER / "echo"], stderr=subprocess.PIPE, preexec_fn=lambda: resource.setrlimit(
        resource.RLIMIT_FSIZE, (little, little)))
    # Nothing of CUDA and NVTX is recorded from the middle on, whoever has them.
    other = {name: "/nowhere/libother.so" for name in ("CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH")}
    process = start([FOLDER / "echo"], stderr=subprocess.PIPE, env={**os.environ, **other})
    for one in tight, process:
        one.stdout.readline()
    refused("no room", tight.pid, [],
            f"nothing is recorded: cannot write to {FOLDER}/refused.no_room: File too large; raise the limit "
            "on the size of files (ulimit -f), or bound what is kept with SPUR_FLUSH=ring")()
    archive = FOLDER / "heard"
    got = run(SPUR, "attach", "-o", archive, process.pid)
    same("heard: attach", (got.returncode, got.stderr), (0, ""))
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (little // 10, resource.RLIM_INFINITY))
    got = run(SPUR, "detach", process.pid)
    begins = f"spur: process {process.pid}: {archive} cannot be finished: "
    same("heard: detach", (got.returncode, got.stderr[:len(begins)], got.stderr.count("\n")), (0, begins, 1))
    for what, one in ("no room", tight), ("heard", process):
        same(f"{what}: output", one.communicate("on\n", timeout=HANG_S), ("on\n", ""))
        same(f"{what}: end", one.returncode, 0)


def stays():
    """What the page says that each command leaves in a process, in KiB."""
    said = int(re.search(r"(\d+) KiB of memory for each", (PAGES / "attach.md").read_text()).group(1))
    process = start([FOLDER / "echo"])
    process.stdout.readline()
    sizes = []
    for _ in range(4):
        run(SPUR, "attach", "-o", FOLDER / "stays", process.pid)
        pages = int(pathlib.Path(f"/proc/{process.pid}/statm").read_text().split()[0])
        sizes.append(pages * resource.getpagesize() >> 10)
    same("stays", sizes[3] - sizes[1], 2 * said)
    ended("stays", process)


def late():
    """The runtime of clang has started: nobody can tell it of a tool any more, and there is no other tool."""
    process = start([build("omp", "\n#pragma omp parallel\n;\n", "-fopenmp", compiler="clang")])
    process.stdout.readline()
    got = run(SPUR, "attach", "-o", FOLDER / "late", process.pid)
    same("late", (got.returncode, got.stderr),
         (0, f"spur: process {process.pid}: its OpenMP runtime asks for tools (OMPT) at its start only: "
             "regions that it runs are not recorded; start the program with spur\n"))
    ended("late", process)


def settings():
    """Wrong ones are refused before anything is done; paths mean what they mean where the command runs."""
    process = start([FOLDER / "echo"], cwd="/", stderr=subprocess.PIPE)
    process.stdout.readline()
    pid, archive = process.pid, FOLDER / "settings"
    late = "'spur attach' is too late for it"
    for name, value, says in (("IO", "bad", '"bad", only posix'), ("MPI", "bad", '"bad"'),
                              ("PTHREAD", "bad", "is not auto"), ("METRICS", "bad", "there is no metric bad"),
                              ("METRICS_ASYNC", "bad", "there is no metric bad"), ("WRAP", "bad", "=bad"),
                              ("METRICS_AT", "bad", "=bad"), ("SAMPLE", "bad", "=bad"),
                              ("NOTHING", "1", "=1 is not a setting"), ("FILTER", "bad", "No such file"),
                              ("LOCAL", "/nowhere", "No such file"), ("MEMORY", "on", late),
                              ("PYTHON", "on", late)):
        got = subprocess.run([SPUR, "attach", "-o", archive, str(pid)], capture_output=True, text=True,
                             env={**os.environ, f"SPUR_{name}": value}, cwd=FOLDER)
        same(f"{name}: how it ends", (got.returncode, got.stdout, got.stderr.count("\n")), (1, "", 1))
        is_said = got.stderr.startswith(f"spur: SPUR_{name}") and says in got.stderr
        if not is_said or "ignored" in got.stderr:
            fault(f"{name}: {got.stderr!r}")
        same(f"{name}: directory", archive.exists(), False)
    with open(f"/proc/{pid}/maps", encoding="ascii") as maps:
        same("spur in it", "libspur" in maps.read(), False)
    (FOLDER / "some.filter").write_text("SCOREP_REGION_NAMES_BEGIN\nEXCLUDE x\nSCOREP_REGION_NAMES_END\n")
    # Within a session of its own, which is no matter to the process.
    words = f"{SPUR} attach -o {archive} {pid} && {SPUR} detach {pid}"
    got = subprocess.run([SPUR, "-o", FOLDER / "session", "sh", "-c", words], capture_output=True, text=True,
                         env={**os.environ, "SPUR_FILTER": "some.filter"}, cwd=FOLDER)
    same("in a session", (got.returncode, len(got.stdout.splitlines())), (0, 2))
    same("in a session: check", run(SPUR, "check", archive).returncode, 0)
    same("what the program says", (process.communicate("on\n", timeout=HANG_S), process.returncode),
         (("on\n", ""), 0))


def orders():
    """Attached twice, to another directory, detached twice, detached where nothing is recorded."""
    process = start([FOLDER / "echo"], cwd=FOLDER)
    process.stdout.readline()
    pid, once = process.pid, FOLDER / "once"
    refused("detached first", pid, [], "it is not recorded; if it was, and has executed another program "
            "since, that has ended the recording", "detach")()
    with open(f"/proc/{pid}/maps", encoding="ascii") as maps:
        same("spur in it", "libspur" in maps.read(), False)
    for options in ["-o", once], [], ["-o", once]:
        got = subprocess.run([SPUR, "attach", *options, str(pid)], capture_output=True, text=True,
                             cwd=FOLDER)
        same(f"attach {options}", (got.returncode, got.stdout, got.stderr),
             (0, f"process {pid} is recorded to {once}\n", ""))
    same("directories", [path.name for path in FOLDER.glob("spur-*")], [])
    refused("elsewhere", pid, [], f"it is recorded already, to {once}")()
    got = run(SPUR, "detach", pid)
    same("detach", (got.returncode, got.stdout, got.stderr),
         (0, f"process {pid} is not recorded any more\n", ""))
    same("check", run(SPUR, "check", once).returncode, 0)
    refused("detached again", pid, [], "it is not recorded any more", "detach")()
    refused("attached again", pid, [], "it was recorded before, and a process can be recorded once")()
    ended("orders", process)
    preloaded = start([FOLDER / "echo"], env={**os.environ, "LD_PRELOAD": str(FOLDER / "libspur.so")})
    preloaded.stdout.readline()
    refused("since its start", preloaded.pid, [],
            "spur records it since its start; 'spur detach' ends what 'spur attach' has begun", "detach")()
    ended("since its start", preloaded)


def at_once(number):
    """Several commands for one process: one of them does it, and each of the others says why it has not."""
    process = start([FOLDER / "echo"], cwd=FOLDER)
    process.stdout.readline()
    folders = [FOLDER / f"at_once.{number}.{i}" for i in range(4)]

    def all_say(*commands):
        begun = [subprocess.Popen(list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True) for words in commands]
        return sorted(command.communicate(timeout=HANG_S)[0] for command in begun)
    said = all_say(*[(SPUR, "attach", "-o", folder, process.pid) for folder in folders])
    done = [folder for folder in folders if folder.exists()]
    same("folders", len(done), 1)
    same("attached at once", said, [f"process {process.pid} is recorded to {done[0]}\n"] +
         3 * [f"spur: process {process.pid}: it is recorded already, to {done[0]}\n"])
    said = all_say(*[(SPUR, "detach", process.pid)] * 4)
    same("detached at once", said, [f"process {process.pid} is not recorded any more\n"] +
         3 * [f"spur: process {process.pid}: it is not recorded any more\n"])
    same("at once: check", run(SPUR, "check", done[0]).returncode, 0)
    ended("at once", process)


def main():
    print(f"{tester.name}={tester.seed}", flush=True)
    kinds()
    numbers()
    replaced()
    heard()
    late()
    stays()
    settings()
    orders()
    for number in range(3):
        at_once(number)
    sys.exit(tester.faults != 0)


main()
