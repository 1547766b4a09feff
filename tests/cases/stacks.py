# SPDX-License-Identifier: BSD-3-Clause
"""
SPUR_UNWIND: the stacks of calls are those that gdb shows at the same calls: in C, C++ and Fortran,
optimized and without frame pointers, with inlined functions, a deep recursion, a team of OpenMP,
Python; in stripped programs, plugins that are gone at the end, and code made at run time.
"""

import os
import shutil
import signal
import subprocess

from call_stacks import LOOP, Paths, by_gdb, is_script

of = "agent/stacks"
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs", "stacks")
FAST = ("-O2", "-g", "-fomit-frame-pointer", "-pthread")
NO_WAY = ("spur: SPUR_UNWIND: neither libunwind.so.8 nor process_vm_readv(2) can be used, calls are recorded"
          " without their stacks; install libunwind8")
# Executes its arguments; process_vm_readv(2) fails from then on, by four instructions of BPF.
FORBID = """
import ctypes, os, struct, sys
code = struct.pack("<" + "HBBI" * 4, 0x20, 0, 0, 0, 0x15, 0, 1, 310, 6, 0, 0, 0x00050001, 6, 0, 0, 0x7fff0000)
kept = ctypes.create_string_buffer(code, len(code))
filter = struct.pack("<HxxxxxxQ", 4, ctypes.addressof(kept))
prctl = ctypes.CDLL(None).prctl
prctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_ulong]
assert prctl(38, 1, None, 0, 0) == 0 and prctl(22, 2, filter, 0, 0) == 0
os.execv(sys.argv[1], sys.argv[1:])
"""
PYTHON = "import threading; t = threading.Thread(target=print); t.start(); t.join()"


class Stacks:
    """Programs, built in the folder of the run."""

    def __init__(self, run):
        self.run = run
        self.folder = os.path.join(run.scratch, "built")
        os.makedirs(self.folder)
        for tool in ("gdb", "g++", "gfortran", "strip", "addr2line"):
            run.expect(shutil.which(tool), f"{tool} to be there")

    def tool(self, *words):
        done = subprocess.run(words, cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        self.run.expect(done.returncode == 0, f"{words} to work: {done.stderr.decode()}")
        return done.stdout.decode()

    def build(self, name, source, *flags, compiler="gcc"):
        path = os.path.join(self.folder, name)
        self.tool(compiler, os.path.join(SOURCES, source), "-o", path, *flags)
        return path

    def trace(self, label, command, frames=256, env=None):
        run = self.run
        result, archive = run.record(label, ["--unwind", str(frames), *command],
                                     {"SPUR_PTHREAD": "all", **(env or {})})
        run.equal([line for line in result.spur if "UNWIND" in line], [], label)
        return run.judge(archive)

    def as_gdb(self, label, command, function="sem_post", seen=list):
        """Traced and in gdb, which sees `seen` of a stack."""
        want = by_gdb(command, function, self.folder)
        got = sorted(map(seen, Paths(self.trace(label, command).archive).of(function)))
        self.run.expect(want, f"{label}: that gdb sees a call")
        for line in (f"got {stack}" for stack in got if stack not in want):
            print(line[:2000])
        for line in (f"gdb {stack}" for stack in want if stack not in got):
            print(line[:2000])
        self.run.equal(len(got), len(want), f"{label}: number of calls")
        self.run.expect(got == want, f"{label}: the stacks of gdb")
        return got


def in_c(stacks):
    got = stacks.as_gdb("c", [stacks.build("c", "stacks.c", *FAST)])
    calls = stacks.trace("own", [os.path.join(stacks.folder, "c")]).regions()
    stacks.run.equal(sorted(calls), ["pthread_create", "pthread_join", "sem_init", "sem_post"],
                     "calls, and none of libunwind's")
    stacks.run.equal(max(map(len, got)), 205, "depth of the recursion and what is inlined")
    stacks.as_gdb("c-plain", [stacks.build("plain", "stacks.c", "-O0", "-g", "-pthread")])


def jumps(stacks):
    """Frames that are gone: by the call sites that the debug information has of both standards."""
    for label, flags in (("tail", ()), ("tail-4", ("-gdwarf-4",))):
        got = stacks.as_gdb(label, [stacks.build(label, "tail.c", *FAST, *flags)])
        stacks.run.expect(max(map(len, got)) == 4, f"{label}: frames that jumped on, got {got}")
    inlined = stacks.build("tail-inlined", "tail.c", *FAST, "-DINLINED")
    got = Paths(stacks.trace("tail-inlined", [inlined]).archive).of("sem_post")
    names = [[frame.partition("@")[0] for frame in stack] for stack in got]
    stacks.run.expect(["posts", "jumps", "jumps_twice", "jumps_from_here", "jumps_inlined", "main"]
                      in names, f"a function that was inlined into one that jumped, got {names}")


def limited(stacks):
    """The innermost frames, and no more, whatever the depth is. Inlined functions do not count."""
    trace = stacks.trace("limited", [os.path.join(stacks.folder, "plain")], frames=5)
    every = Paths(stacks.trace("every", [os.path.join(stacks.folder, "plain")]).archive)
    want = sorted(stack[:5 + sum("inlined@" in frame or "innermost@" in frame for frame in stack)]
                  for stack in every.of("sem_post"))
    stacks.run.equal(Paths(trace.archive).of("sem_post"), want, "the innermost frames")


def in_other_languages(stacks):
    stacks.as_gdb("cxx", [stacks.build("cxx", "stacks.cpp", *FAST, compiler="g++")])
    stacks.as_gdb("fortran", [stacks.build("fortran", "stacks.f90", "-O1", "-g",
                                           compiler="gfortran")])


def in_rust(stacks):
    """Without debug information, as most programs are."""
    program = stacks.build("rust", "rust.c", "-O2", "-s", "-rdynamic", "-pthread")
    got = Paths(stacks.trace("rust", [program]).archive).of("sem_post", lambda name: name)
    stacks.run.equal(got, [["mycrate::foo", "mycrate::foo::bar", "std::mem::align_of::<f64>",
                            "main"]], "Rust's names")


def in_runtimes(stacks):
    stacks.as_gdb("openmp", [stacks.build("openmp", "openmp.c", *FAST, "-fopenmp")])
    stacks.as_gdb("python", ["/usr/bin/python3", "-c", PYTHON], "pthread_create", in_c_alone)


def in_c_alone(stack):
    """Functions of Python that call each other are one function in C."""
    found = []
    for frame in stack:
        frame = LOOP if is_script(frame) else frame
        if frame != LOOP or found[-1:] != [LOOP]:
            found.append(frame)
    return found


def stripped(stacks):
    """Functions are called by where they begin: the symbols of the program as it was tell which these are."""
    full = stacks.build("full", "stacks.c", *FAST)
    path = os.path.join(stacks.folder, "stripped")
    stacks.tool("strip", full, "-o", path)
    with_names = Paths(stacks.trace("full", [full]).archive).of("sem_post")
    without = Paths(stacks.trace("stripped", [path]).archive).of("sem_post", lambda name: name)
    symbols = [line.split() for line in stacks.tool("nm", full).splitlines()]
    named = {f"stripped+{int(words[0], 16):#x}": words[2] for words in symbols if len(words) == 3}
    got = sorted([named.get(frame, frame).partition("@")[0] for frame in stack] for stack in without)
    want = sorted([frame.partition("@")[0] for frame in stack
                   if frame.partition("@")[0] not in ("innermost", "inlined")] for stack in with_names)
    stacks.run.equal(got, want, "functions of the stripped program")


def plugins(stacks):
    """They are gone when names are looked for, and lie at the same addresses one after another."""
    one, two = (stacks.build(f"{name}.so", "plugin.c", "-O2", "-g", "-shared", "-fPIC",
                             f"-DNAME={name}", f"-DROOM={room}")
                for name, room in (("work_one", 64), ("work_two", 4096)))
    program = stacks.build("plugins", "plugins.c", *FAST)
    stacks.as_gdb("plugins", [program, one, two, one])


def made_at_run_time(stacks):
    program = stacks.build("jit", "jit.c", *FAST)
    got = Paths(stacks.trace("jit", [program]).archive).of("sem_post")
    stacks.run.equal([[frame.partition("@")[0] for frame in stack] for stack in got],
                     [["made_function", "main"]], "code with a perf map")


def killed(stacks):
    """What is open is left in its context."""
    run = stacks.run
    program = stacks.build("killed", "killed.c", *FAST)
    _, archive = run.record("killed", ["--unwind", "20", program], status=-signal.SIGKILL)
    trace = run.judge(archive, unfinished=True)
    kinds = trace.kinds()
    run.equal([kinds[f"CallingContext{what}"] for what in ("Enter", "Leave")], [3, 3], "records")
    path = Paths(trace.archive).of("sem_post")[0]
    run.equal([path[0].partition("@")[0], path[-1]], ["die", "main@killed.c:20"], "the callback")


def without_libunwind(stacks):
    """Something of its name is there that is no library: spur follows stacks by itself."""
    folder = os.path.join(stacks.run.scratch, "nolib")
    os.makedirs(folder)
    for name in ("libunwind.so.8", "libunwind.so"):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write("no library\n")
    hidden = {"LD_LIBRARY_PATH": folder}
    for name in ("c", "cxx", "openmp"):
        command = [os.path.join(stacks.folder, name)]
        got, want = (Paths(stacks.trace(f"{name}.{label}", command, env=env).archive).of("sem_post")
                     for label, env in (("hidden", hidden), ("shown", {})))
        stacks.run.expect(want and got == want, f"{name}: the stacks of libunwind, without it")
    nothing_helps(stacks, hidden)


def nothing_helps(stacks, hidden):
    run = stacks.run
    result, archive = run.record("forbidden", ["--unwind", "9", os.path.join(stacks.folder, "c")],
                                 {"SPUR_PTHREAD": "all", **hidden}, before=["/usr/bin/python3", "-c", FORBID])
    run.equal(result.spur[:-1], [NO_WAY], "what is said")
    kinds = run.judge(archive).kinds()
    run.equal("CallingContextEnter" in kinds, False, "calling contexts")
    run.expect(kinds["Enter"] > 10, "Enter records all the same")


def main(run):
    stacks = Stacks(run)
    in_c(stacks)
    jumps(stacks)
    limited(stacks)
    in_other_languages(stacks)
    in_rust(stacks)
    in_runtimes(stacks)
    stripped(stacks)
    plugins(stacks)
    made_at_run_time(stacks)
    killed(stacks)
    without_libunwind(stacks)
