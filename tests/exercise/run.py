#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
The exercise of CONTRIBUTING.md: `run.py BUILD` adds a family of wrappers (getrandom) and a source of metrics
(uptime) to a copy of the tree. It builds the agent of the copy, and traces a program. What lies beside this
file is all that is added: no file of the tree is touched, but the page of the settings, which is printed from
the tables. Commands of BUILD read the archive.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HANG_S = 540  # a guard, no budget
LEFT_OUT = shutil.ignore_patterns(".git", ".ci", "build*", "tests", "*.pyc")
# What families stand on, and one beside the new one. The code of the others is not built.
BUILT = ("kit", "process")

PROGRAM = r"""
#include <sys/random.h>
#include <unistd.h>
int main(void)
{
    char bytes[16];
    return getrandom(bytes, sizeof bytes, 0) != sizeof bytes || getentropy(bytes, sizeof bytes) != 0;
}
"""


def run(*words, **settings):
    env = {key: value for key, value in os.environ.items() if not key.startswith("SPUR_")}
    env.update(settings)
    done = subprocess.run([str(word) for word in words], env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=HANG_S,
                          check=False)
    if done.returncode != 0:
        sys.exit(f"FAULT: {' '.join(map(str, words))} ends with {done.returncode}:\n{done.stdout[-4000:]}")
    return done.stdout


def added():
    return [path.relative_to(HERE) for layer in ("wrappers", "agent")
            for path in sorted((HERE / layer).rglob("*")) if path.is_file()]


def expect(condition, what):
    if not condition:
        sys.exit(f"FAULT: {what}")


def check_places():
    """A family is one folder, a source one file, and both are new."""
    rooms = {str(path.parent) for path in added() if path.parts[0] == "wrappers"}
    sources = [str(path) for path in added() if path.parts[0] == "agent"]
    expect(len(rooms) == 1, f"the family lies in {rooms}")
    expect(sources == ["agent/metrics/sources/metric_uptime.c"], f"the source is {sources}")
    for path in added():
        expect(not (ROOT / path).exists(), f"{path} is part of the tree")


def build(copy):
    shutil.copytree(ROOT, copy, ignore=LEFT_OUT, symlinks=True)
    for family in (copy / "wrappers").glob("*/CMakeLists.txt"):
        if family.parent.name not in BUILT:
            family.unlink()
    for path in added():
        (copy / path.parent).mkdir(parents=True, exist_ok=True)
        shutil.copy(HERE / path, copy / path)
    run("cmake", "-S", copy, "-B", copy / "build", "-G", "Ninja", "-DSPUR_TESTS=OFF", "-DSPUR_WERROR=ON",
        "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_C_FLAGS=-O0 -DNDEBUG -fno-lto")
    run("ninja", "-C", copy / "build", "spur", "spur-metrics", "spur-settings")


def traced(product, copy, name, **settings):
    """What the archive of the program says, as `spur print` has it."""
    archive = copy / name
    run(copy / "program", LD_PRELOAD=copy / "build/lib/libspur.so", SPUR_DIR=str(archive), **settings)
    run(product / "bin/spur", "check", archive)
    return run(product / "bin/spur", "print", "-A", archive)


def main():
    product = pathlib.Path(sys.argv[1]).resolve()
    check_places()
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "copy"
        build(copy)
        run(copy / "scripts/check_layers")
        (copy / "program.c").write_text(PROGRAM, encoding="utf-8")
        run("cc", "-o", copy / "program", copy / "program.c")

        libexec = copy / "build/libexec/spur"
        expect("| `getrandom` | no | random bytes" in run(libexec / "spur-settings", "--markdown"),
               "the page of the settings does not list the family")
        expect("uptime:seconds" in run(libexec / "spur-metrics"), "spur metrics does not list the source")

        said = traced(product, copy, "both", SPUR_WRAP="getrandom", SPUR_METRICS="uptime:seconds")
        for call in ("getrandom", "getentropy"):
            entered = re.findall(rf'^ENTER .*"{call}"', said, re.M)
            expect(len(entered) == 1, f"{call} was not recorded:\n{said}")
        expect(re.search(r'^METRIC .*uptime', said, re.M), f"no uptime was recorded:\n{said}")
        expect('"RANDOM"' in run(product / "bin/spur", "print", "-G", copy / "both"), "no source file")
    print(f"{len(added())} files added, none touched")


main()
