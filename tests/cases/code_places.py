# SPDX-License-Identifier: BSD-3-Clause
"""
Regions of OpenMP constructs are named by their place: file and line, function, or module and offset. They lie
in a program, in a library, and in plugins that are loaded one after the other, whatever they were built with.
What they were linked with is drawn anew in each run; ELF_SEED=NUMBER draws the same again, ELF_ROUNDS how
often.
"""

import os
import random
import re
import shutil
import subprocess

of = "agent/stacks code"
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs", "places")
ROUNDS = int(os.environ.get("ELF_ROUNDS", "8"))
# One of each row. All files are linked so, but the second row's are the program's own.
ALL = [["-fuse-ld=bfd", "-fuse-ld=gold", "-fuse-ld=lld", "-fuse-ld=lld", "-fuse-ld=mold", "-fuse-ld=mold"],
       ["", "-Wl,-z,separate-code", "-Wl,-z,noseparate-code"],
       ["", "-Wl,--build-id=none", "-Wl,--build-id=sha1"],
       ["", "-Wl,-z,max-page-size=65536"],
       ["", "-Wl,-z,norelro", "-Wl,-z,now"],
       ["-gdwarf-4", "-gdwarf-5", "-gdwarf-5 -gsplit-dwarf"],
       ["", "-gz"]]
PROGRAM = ["-pie", "-no-pie -fno-pie"]
NO_LIBDW = "spur: libdw.so.1 (elfutils) cannot be used: code is named without file and line"


def places():
    """The constructs of the sources by name: "file:line"."""
    found = {}
    for file in os.listdir(SOURCES):
        with open(os.path.join(SOURCES, file), encoding="utf-8") as text:
            for number, line in enumerate(text, 1):
                mark = re.search(r"(?:/\*|!) place: (.+?)(?: \*/)?$", line.rstrip())
                if mark:
                    found[mark.group(1)] = f"{file}:{number}"
    return found


class Build:
    """The sources as somebody has built them, in a folder of the run."""

    def __init__(self, run, name, compiler="gcc"):
        self.run, self.name, self.compiler = run, name, compiler
        self.folder = os.path.join(run.scratch, name)
        os.makedirs(self.folder)

    def tool(self, *words):
        self.run.expect(shutil.which(words[0]), f"{words[0]} to be there")
        done = subprocess.run(words, cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        self.run.expect(done.returncode == 0, f"{words} to work: {done.stderr.decode()}")
        return done.stdout.decode()

    def one(self, source, out, *flags):
        path = os.path.relpath(os.path.join(SOURCES, source), self.folder)
        self.tool(self.compiler, "-O2", "-fopenmp", path, "-o", out, *flags)

    def all(self, *flags, main=()):
        """Program, library and both plugins with `flags`, the program with those of its own."""
        shared = ["-shared", "-fPIC", *flags]
        self.one("library.c", "libwork.so", *shared)
        self.one("plugin.c", "one.so", "-DONE", *shared)
        self.one("plugin.c", "two.so", *shared)
        self.one("main.c", "main", *flags, *main, "-L.", "-lwork", "-Wl,-rpath,$ORIGIN")

    def trace(self, form="outer", command="{f}/main {f}/one.so {f}/two.so", env=None, says=()):
        """The program's archive. `says`: what spur has to say."""
        run = self.run
        words = ["sh", "-c", command.format(f=self.folder)]
        archive = os.path.join(run.scratch, f"{self.name}.{form}")
        if form == "outer":
            words = [run.spur, "-o", archive] + words
        else:
            words = ["env", f"SPUR_DIR={archive}"] + run.preloading()[1:] + words
        result = run.execute(words, f"{self.name}.run", env)
        run.equal(result.status, 0, "exit status")
        said = [line for line in result.spur
                if re.search("libdw|spur-code|file that was run", line)]
        run.equal(said, list(says), "what spur says of names")
        return run.judge(archive)

    def names(self, *args, **options):
        """How often the constructs' regions are entered by the first thread of each process."""
        trace = self.trace(*args, **options)
        mains = [stream for stream in trace.streams if stream.is_main]
        return {name[len("!$omp "):]: count for name, count in trace.regions(mains).items()
                if name.startswith(("!$omp parallel", "!$omp barrier"))}


def lines(at, times=1):
    """What the C program does when every construct has its line."""
    return {f"parallel @{at['main parallel']}": 2 * times,
            f"barrier @{at['main barrier']}": 2 * times,
            f"parallel @{at['library parallel']}": times,
            f"parallel @{at['one parallel']}": times,
            f"parallel @{at['two parallel']}": times}


FUNCTIONS = {"parallel @own_work": 2, "barrier @own_work": 2, "parallel @library_work": 1,
             "parallel @plugin_work": 2}


def with_debug_information(run, at):
    """Two processes, of different load addresses, and both who may finish the session."""
    build = Build(run, "lines")
    build.all("-g")
    twice = "{f}/main {f}/one.so {f}/two.so; {f}/main {f}/two.so {f}/one.so"
    run.equal(build.names("outer", twice), lines(at, 2), "with -g")
    run.equal(build.names("preload"), lines(at), "with -g, finished by the program")
    archive = build.trace("definitions").archive
    for number, (_, region) in archive.spaces["Region"].items():
        if archive.name_of("Region", number) == f"!$omp parallel @{at['main parallel']}":
            text = {key: archive.string(region[key])
                    for key in ("canonicalName", "description", "sourceFile")}
            source = text.pop("sourceFile")
            run.equal(text, {"canonicalName": "omp parallel", "description": "parallel"}, "region")
            run.expect(source.startswith("/") and os.path.samefile(
                source, os.path.join(SOURCES, "main.c")), f"the path, not {source}")
            run.equal(region["beginLineNumber"], int(at["main parallel"].split(":")[1]), "line")
            return
    run.expect(False, "the region of the construct")


def without_libdw(run):
    """Something of its name is there that is no library."""
    build = Build(run, "hidden")
    build.all("-g")
    folder = os.path.join(run.scratch, "nolib")
    os.makedirs(folder)
    with open(os.path.join(folder, "libdw.so.1"), "w", encoding="utf-8") as file:
        file.write("no library\n")
    for form in ("outer", "preload"):
        run.equal(build.names(form, env={"LD_LIBRARY_PATH": folder}, says=[NO_LIBDW]), FUNCTIONS,
                  f"without libdw, {form}")


def without_debug_information(run, at):
    """Functions from the symbol tables; in what is stripped, of the dynamic one, or offsets."""
    build = Build(run, "symbols")
    build.all(main=["-no-pie"])
    run.equal(build.names(), FUNCTIONS, "without -g")
    stripped = Build(run, "stripped")
    stripped.all("-g")
    shutil.copy(os.path.join(stripped.folder, "main"), os.path.join(stripped.folder, "full"))
    for name in ("main", "libwork.so", "one.so", "two.so"):
        stripped.tool("strip", name)
    names = stripped.names()
    found = {}
    for name, count in names.items():
        offset = re.fullmatch(r"(\w+) @main\+(0x[0-9a-f]+)", name)
        if offset:
            place = stripped.tool("addr2line", "-e", "full", offset.group(2))
            name = f"{offset.group(1)} @{os.path.basename(place.split()[0])}"
        found[name] = count
    want = {name: count for name, count in lines(at).items() if "@main.c" in name}
    want.update({"parallel @library_work": 1, "parallel @plugin_work": 2})
    run.equal(found, want, f"stripped: {names}")


def separate_debug_information(run, at):
    """In a file of its own, beside a program without a build id; and both addresses as linked."""
    build = Build(run, "separate")
    build.all("-g", main=["-no-pie", "-Wl,--build-id=none"])
    for name in ("main", "libwork.so"):
        build.tool("objcopy", "--only-keep-debug", name, name + ".debug")
        build.tool("strip", name)
        build.tool("objcopy", f"--add-gnu-debuglink={name}.debug", name)
    run.equal(build.names(), lines(at), "with separate debug information")


def fortran(run, at):
    for flags, place in ((["-g"], at["fortran parallel"]), ([], "solver::solve")):
        build = Build(run, "fortran" + "".join(flags), "gfortran")
        build.one("solver.f90", "main", *flags)
        run.equal(build.names(command="{f}/main"), {f"parallel @{place}": 1}, f"Fortran {flags}")


def llvm_runtime(run, at):
    """What clang has built, and what gcc has built on the runtime of clang."""
    build = Build(run, "clang", "clang")
    build.all("-g")
    run.equal(build.names("preload"), lines(at), "clang and libomp")
    symbols = Build(run, "clang_symbols", "clang")
    symbols.all()
    run.equal(symbols.names().get("parallel @own_work"), 2, "clang without -g")
    runtime = os.path.realpath(build.tool("clang", "-print-file-name=libomp.so.5").strip())
    run.expect(os.path.isfile(runtime), f"libomp to be there: {runtime}")
    gcc = Build(run, "gcc_libomp")
    gcc.all("-g")
    os.symlink(runtime, os.path.join(gcc.folder, "libgomp.so.1"))
    run.equal(gcc.names(env={"LD_LIBRARY_PATH": gcc.folder}), lines(at), "gcc on libomp")


def is_possible(flags):
    """gold knows no -z separate-code."""
    return not ("-fuse-ld=gold" in flags and any("separate-code" in flag for flag in flags))


def draw(rng):
    while True:
        flags = " ".join(rng.choice(row) for row in ALL).split()
        if is_possible(flags):
            return flags, rng.choice(PROGRAM).split()


def drawn(run, at):
    seed = int(os.environ.get("ELF_SEED", random.SystemRandom().randrange(1 << 30)))
    print(f"  ELF_SEED={seed}")
    rng, faults = random.Random(seed), []
    for number in range(ROUNDS):
        flags, own = draw(rng)
        build = Build(run, f"round{number}")
        build.all("-g", *flags, main=own)
        got = build.names()
        if got != lines(at):
            faults.append(f"{flags} {own}: {got}")
    run.expect(not faults, f"ELF_SEED={seed}: lines of the constructs:\n  " + "\n  ".join(faults))


def main(run):
    at = places()
    with_debug_information(run, at)
    without_debug_information(run, at)
    without_libdw(run)
    separate_debug_information(run, at)
    fortran(run, at)
    llvm_runtime(run, at)
    drawn(run, at)
