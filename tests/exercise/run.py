#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
The exercise of CONTRIBUTING.md: `run.py BUILD` adds a family of wrappers (getrandom) and a source of metrics
(uptime) to a copy of the tree. It builds the agent of the copy, and traces a program. What lies beside this
file is all that is added: no file of the tree is touched, but the page of the settings, which is printed from
the tables. What the addition does not change is not compiled again: its objects are those of BUILD.
"""
import json
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

# Instead of the compiler: takes an object that lies below "same", and else starts the compiler.
LAUNCHER = """#!/bin/sh
for word; do
    [ "$last" != -o ] || object=$word
    last=$word
done
[ -e "${0%/*}/same/$object" ] || exec "$@"
exec cp "${0%/*}/same/$object" "$object"
"""

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


def compiled(build):
    """{object: what the preprocessor is told} of a build folder."""
    rows = json.loads((build / "compile_commands.json").read_text())
    commands = [row["command"] for row in rows]
    return {re.search(r" -o (\S+)", words)[1]: re.findall(r" -D(\S+)", words) for words in commands}


def same_objects(product, copy):
    """The objects of the product whose sources are the same in the copy, those that are generated, too."""
    places = ((product, copy / "build"), (ROOT, copy))
    known = {}

    def is_same(path):
        if path not in known:
            real = pathlib.Path(os.path.normpath(product / path))
            other = [there / real.relative_to(here) for here, there in places if here in real.parents][:1]
            known[path] = all(real.exists() and it.exists() and it.read_bytes() == real.read_bytes()
                              for it in other)
        return known[path]

    told, told_there = compiled(copy / "build"), compiled(product)
    for block in run("ninja", "-n", "-C", product, "--quiet", "-t", "deps").split("\n\n"):
        made, *needed = block.splitlines() or [""]
        made = made.split(":")[0]
        if made in told and told[made] == told_there.get(made) and all(map(is_same, map(str.strip, needed))):
            yield made


def build(product, copy):
    shutil.copytree(ROOT, copy, ignore=LEFT_OUT, symlinks=True)
    for family in (copy / "wrappers").glob("*/CMakeLists.txt"):
        if family.parent.name not in BUILT:
            family.unlink()
    for path in added():
        (copy / path.parent).mkdir(parents=True, exist_ok=True)
        shutil.copy(HERE / path, copy / path)
    launcher = copy / "launcher"
    launcher.write_text(LAUNCHER)
    launcher.chmod(0o755)
    # The objects of the build may be made for link time optimisation, too, which takes long.
    run("cmake", "-S", copy, "-B", copy / "build", "-G", "Ninja", "-DSPUR_TESTS=OFF", "-DSPUR_WERROR=ON",
        "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_C_FLAGS=-O0 -DNDEBUG -fno-lto",
        f"-DCMAKE_C_COMPILER_LAUNCHER={launcher}")
    taken = list(same_objects(product, copy))
    expect(len(taken) > 100, f"only {len(taken)} objects of the build are those of the copy")
    for name in taken:
        (copy / "same" / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / "same" / name).symlink_to(product / name)
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
        build(product, copy)
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
