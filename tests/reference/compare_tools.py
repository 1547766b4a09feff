#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Run the reference library's own tools, and its Python module, on that library and on ours.

    compare_tools.py OUR_LIBRARY BIN PYTHON_FREE WHAT NAME...

WHAT is print, marker, snapshots, estimator, python-read or python-write; NAME... are archives of
../fixtures/make.py, made by the programs in BIN. Output, status and the files that are left behind must be
equal. Two things may differ: the texts of the libraries' own reports, and thumbnails, which the reference
library cannot read. PYTHON_FREE is the library that stands in the place of the module's own _otf2.so.
"""
import compileall
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", folder) for folder in ("fixtures", "lib")]

import make  # noqa: E402
import small_tables  # noqa: E402

MODULES = "/usr/lib/python3/dist-packages"

PRINT = ("", "-A", "-G", "-I", "-M", "-C", "--timestamps=offset -A", "--timestamps=plain", "-L 1",
         "-L 77", "--time 110 130", "--time 130 110", "--silent", "--silent -Werror",
         "--unwind-calling-context", "--system-tree", "-A --unwind-calling-context -L 0", "-s 40")

# What a variant of an archive has otherwise is its bytes; the choice of what is printed was tried on
# the archive itself.
PRINT_VARIANT = ("", "-A", "-I", "--silent -Werror", "-L 1 --timestamps=plain")

# "+" runs on a copy of the archive, of which each sees what the ones before have made.
MARKER = ("", "--defs-only", "--def markerGroup", "--def nothing", "+--add-def new kind HIGH",
          "+--add-def new kind LOW", "+--add-def new other NONE", "+--add new kind 100 GLOBAL remark",
          "+--add new kind 100+50 LOCATION:1 remark", "+--add new kind 100-200 COMM:0 remark",
          "+--add new kind 7 GLOBAL early", "+--add new none 100 GLOBAL remark",
          "+--add new kind 100 LOCATION:99 remark", "+--add new kind 100 GROUP:0 remark", "+",
          "+--clear-def new other", "+--remove-def new other", "+--clear-def new",
          "+--remove-def new", "+", "+--reset", "+", "+--add-def again kind MEDIUM", "+")

SNAPSHOTS = ("+-n 3", "+-n 3 --verbose", "+-p 50 --progress", "+")

ESTIMATOR = ["list definitions", "list events", "list types", "set Region 4", "set Metric 1",
             "set String 70000", "set Location 300", "get DefChunkSize", "get Timestamp",
             "get Enter", "get Leave", "get Metric  4", "get AttributeList",
             "get AttributeList UINT8 STRING DOUBLE", "get ProgramBegin 7", "get MpiSend",
             "get Nothing", "set Nothing 3", "nonsense", "", "exit"]


def fail(text):
    sys.exit(f"compare_tools.py: {text}")


class Side:
    """One of the two libraries, with a copy of each archive to work on."""

    def __init__(self, what, name, top, archives, library_dir, modules):
        self.name, self.folder = name, os.path.join(top, name)
        shutil.copytree(archives, self.folder)
        self.env = dict(os.environ, ASAN_OPTIONS="detect_leaks=0", PYTHONPATH=modules,
                        PYTHONDONTWRITEBYTECODE="1", PYTHONUNBUFFERED="", OTF2_PRINT_COLOR="0")
        if what == "print":
            self.env = small_tables.with_small_tables(self.env)
        if library_dir:
            self.env["LD_LIBRARY_PATH"] = library_dir

    def run(self, command, folder, text=""):
        """(status, lines) of a command in a folder."""
        done = subprocess.run(command, cwd=os.path.join(self.folder, folder), env=self.env,
                              input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=600, text=True, errors="replace")
        shown = done.stdout + re.sub(r"\[OTF2\].*\n", "", done.stderr)
        return done.returncode, [line for line in shown.replace(self.folder, "DIR").splitlines()
                                 if not line.startswith("THUMBNAIL_HEADER")]

    def files(self, folder):
        found = {}
        for top, _, names in os.walk(os.path.join(self.folder, folder)):
            for name in names:
                path = os.path.join(top, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, self.folder)] = file.read()
        return found


def compare_runs(what, theirs, ours):
    if theirs == ours:
        return 0
    at = next((i for i, (a, b) in enumerate(zip(theirs[1], ours[1])) if a != b),
              min(len(theirs[1]), len(ours[1])))
    print(f"{what}: status {theirs[0]} and {ours[0]}, line {at + 1} of {len(theirs[1])} and "
          f"{len(ours[1])}\n    reference: {(theirs[1][at:at + 1] or ['(end)'])[0][:300]}\n"
          f"    ours:      {(ours[1][at:at + 1] or ['(end)'])[0][:300]}")
    return 1


def without_id(name, data):
    """The anchor file but for its trace id, which each run makes anew, and with ours as version."""
    if not name.endswith(".otf2") or len(data) < 20:
        return data
    return make.as_newest(data[:-19] + data[-11:])


def compare_files(what, theirs, ours):
    wrong = sorted(set(theirs) ^ set(ours)) or \
        [name for name in theirs if without_id(name, theirs[name]) != without_id(name, ours[name])]
    if wrong:
        print(f"{what}: files differ: {wrong[:5]}")
    return bool(wrong)


def run_tool(tool, options, names, sides):
    """Each set of options on each archive; returns (runs, faults)."""
    runs = faults = 0
    for name in names:
        for option in PRINT_VARIANT if options is PRINT and "-" in name else options:
            words = option.lstrip("+").split()
            results = [side.run([tool, *words, "traces.otf2"], name, "\n" * 5000)
                       for side in sides]
            what = f"{tool} {option.lstrip('+')} {name}"
            if results[0][0] < 0:
                print(f"{what}: the tool crashes on its own library")
                continue
            runs += 1
            faults += compare_runs(what, *results)
            if option.startswith("+"):
                faults += compare_files(what, *(side.files(name) for side in sides))
    return runs, faults


def large_tables(tool, names, side):
    """What the tool says does not depend on how large its tables are; returns (runs, faults)."""
    faults = 0
    for name in names:
        small = side.run([tool, "-A", "traces.otf2"], name)
        env = dict(side.env)
        del side.env["LD_PRELOAD"]
        own = side.run([tool, "-A", "traces.otf2"], name)
        faults += compare_runs(f"{tool} with its own tables, {name}", own, small)
        side.env = env
    return len(names), faults


def run_estimator(sides):
    results = [side.run(["otf2-estimator"], "", "\n".join(ESTIMATOR) + "\n") for side in sides]
    all_events = "".join(f"get {line}\n" for line in results[0][1] if re.fullmatch(r"\w+", line))
    more = [side.run(["otf2-estimator"], "", all_events + "exit\n") for side in sides]
    return 2, compare_runs("otf2-estimator", *results) + compare_runs("all events", *more)


def python_read(names, sides):
    runs = faults = 0
    for name in names:
        for level in ([], ["low"]):
            command = ["/usr/bin/python3", os.path.join(HERE, "python_read.py"), "traces.otf2"]
            results = [side.run(command + level, name) for side in sides]
            runs += 1
            faults += compare_runs(f"python {name} {' '.join(level)}", *results)
            if not level and results[0][0]:
                fail(f"{name}: the reference does not read it: {results[0][1][-1:]}")
    return runs, faults


def python_write(names, sides):
    runs = faults = 0
    for name in names:
        command = ["/usr/bin/python3", os.path.join(HERE, "python_write.py"), "traces.otf2", "copy"]
        results = [side.run(command, name) for side in sides]
        if results[0][0]:
            fail(f"{name}: the reference does not write it: {results[0][1][-1:]}")
        faults += compare_runs(f"python writes {name}", *results)
        faults += compare_files(f"python writes {name}", *(side.files(name) for side in sides))
        read = ["/usr/bin/python3", os.path.join(HERE, "python_read.py"), "copy/traces.otf2"]
        faults += compare_runs(f"python reads what it wrote of {name}",
                               *(side.run(read, name) for side in sides))
        runs += 2
    return runs, faults


def private_modules(top, python_free):
    """The Python modules with another _otf2.so."""
    folder = os.path.join(top, "modules")
    for name in ("otf2", "_otf2"):
        shutil.copytree(os.path.join(MODULES, name), os.path.join(folder, name),
                        ignore=shutil.ignore_patterns("__pycache__", "_otf2.so"))
    shutil.copy(python_free, os.path.join(folder, "_otf2", "_otf2.so"))
    compileall.compile_dir(folder, quiet=1)  # once for all that import them
    return folder


def main():
    if len(sys.argv) < 5:
        fail(__doc__)
    library, bin_dir, python_free = map(os.path.abspath, sys.argv[1:4])
    what, names = sys.argv[4], sys.argv[5:]
    for path in library, python_free:
        if not os.path.isfile(path):  # the loader would take the reference in its place
            fail(f"{path} is missing")
    with tempfile.TemporaryDirectory() as top:
        private, archives = os.path.join(top, "lib"), os.path.join(top, "archives")
        os.mkdir(private)
        os.mkdir(archives)
        make.links(library, private)
        if what == "print":
            small_tables.use(os.path.dirname(bin_dir))
        if names:
            make.make(bin_dir, archives, None, names)
        modules = private_modules(top, python_free)
        sides = [Side(what, "theirs", top, archives, None, modules),
                 Side(what, "ours", top, archives, private, modules)]
        if what in ("print", "marker", "snapshots"):
            options = {"print": PRINT, "marker": MARKER, "snapshots": SNAPSHOTS}[what]
            runs, faults = run_tool("otf2-" + what, options, names, sides)
            if what == "print":
                more = large_tables("otf2-print", names[:2], sides[0])
                runs, faults = runs + more[0], faults + more[1]
        elif what == "estimator":
            runs, faults = run_estimator(sides)
        else:
            runs, faults = {"python-read": python_read, "python-write": python_write}[what](
                names, sides)
    print(f"{runs} runs compared, {faults} faults")
    if faults or not runs:
        fail(f"{faults} faults")


main()
