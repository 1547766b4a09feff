# SPDX-License-Identifier: BSD-3-Clause
"""
bad_settings.py SPUR FOLDER: bad values of all settings, by the rows of settings/config.def. An option of
spur, and `spur attach`, refuse them before anything is started. A variable costs a program one line, and
nothing else.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

from patience import HANG_S  # noqa: E402
from seeded import Seeded  # noqa: E402

SPUR, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
tester = Seeded("BAD_SETTINGS", str(FOLDER))
fault, same = tester.fault, tester.same

PROGRAM = r"""
#include <pthread.h>
#include <stdio.h>

int main(void)
{
    char text[9] = "";
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    if (pthread_mutex_lock(&lock) || pthread_mutex_unlock(&lock) || !fgets(text, sizeof text, stdin))
        return 1;
    printf("%s", text);
    return 5;
}
"""

# What no value of that type is; any text may be the name of something.
OF_TYPE = {"TEXT": [""], "WORDS": ["", "bad"], "FAMILIES": ["bad", "mpi,bad"], "LEVEL": ["10"],
           "COUNT": ["1025", "-1"], "SIZE": ["", "4X"], "LIMIT": ["1G,", "x"], "SWITCH": ["maybe"]}
OF_SETTING = {"FILTER": ["/nowhere"], "METRICS_AT": ["all,bad", "every=x"], "METRICS_ASYNC": ["period=x"],
              "IO": ["none,bad"], "MPI": ["none,bad"], "IO_PATHS": ["none,bad"]}


def settings():
    """(name, bad values), and the option that sets it, if any."""
    text = (ROOT / "settings/config.def").read_text(encoding="utf-8")
    options = (ROOT / "tools/launch/launch_options.def").read_text(encoding="utf-8")
    option_of = {name: word for word, argument, name in re.findall(
        r'^OPTION\(\S+, "(\S+)", (\S+).*?"SPUR_(\w+)=', options, re.M) if argument != "NULL,"}
    for kind, name, rest in re.findall(r"^CONFIG\((\w+), +\w+, +(\w+),(.*)$", text, re.M):
        if '"set by' not in rest:
            yield name, OF_TYPE.get(kind, ["bad"]) + OF_SETTING.get(name, []), option_of.get(name)


def run(*words, out="on\n", **variables):
    folder = FOLDER / "run"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=HANG_S, input=out,
                          cwd=folder, env={**os.environ, **variables})


def names(line, name, value):
    """Does it say which setting it is about, and what of its value is wrong?"""
    return line.startswith("spur: ") and name in line and all(
        word in line for word in value.split(",")[-1:])


def by_variable(name, value, *begins, **more):
    """The program does what it does without spur; one line of those that it says is about the setting."""
    got = run(*begins, FOLDER / "program", **{f"SPUR_{name}": value}, **more)
    what = f"SPUR_{name}={value}, {'spur' if begins else 'LD_PRELOAD'}"
    same(f"{what}: the program", (got.returncode, got.stdout), (5, "on\n"))
    about = [line for line in got.stderr.splitlines() if f"SPUR_{name}" in line]
    if len(about) != 1 or not names(about[0], f"SPUR_{name}", value):
        fault(f"{what}: {got.stderr!r}")


def by_option(option, value):
    got = run(SPUR, f"--{option}={value}", "touch", "started")
    same(f"--{option}={value}: how it ends", (got.returncode, got.stdout, got.stderr.count("\n")), (2, "", 1))
    if not names(got.stderr, f"--{option}", value):
        fault(f"--{option}={value}: {got.stderr!r}")
    same(f"--{option}={value}: what it leaves", os.listdir(FOLDER / "run"), [])


def by_attach(process, name, value):
    got = run(SPUR, "attach", process.pid, **{f"SPUR_{name}": value})
    same(f"SPUR_{name}={value}: attach", (got.returncode, got.stdout, got.stderr.count("\n")), (1, "", 1))
    if not names(got.stderr, f"SPUR_{name}", value) or "ignored" in got.stderr:
        fault(f"SPUR_{name}={value}: {got.stderr!r}")
    same(f"SPUR_{name}={value}: what attach leaves", os.listdir(FOLDER / "run"), [])


def main():
    library = pathlib.Path(SPUR).resolve().parent.parent / "lib/libspur.so"
    (FOLDER / "program.c").write_text(PROGRAM)
    subprocess.run(["gcc", "-O1", "-o", FOLDER / "program", FOLDER / "program.c"], check=True)
    process = subprocess.Popen([FOLDER / "program"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    seen = 0
    for name, values, option in settings():
        seen += 1
        for value in values:
            if option:
                by_option(option, value)
            if name != "DIR":  # attach has -o
                by_attach(process, name, value)
            by_variable(name, value, LD_PRELOAD=str(library))
        by_variable(name, values[-1], SPUR)
    same("settings", seen > 25, True)
    same("the program", (process.communicate("on\n", timeout=HANG_S)[0], process.returncode), ("on\n", 5))
    sys.exit(tester.faults != 0)


main()
