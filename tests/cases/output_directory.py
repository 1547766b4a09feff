# SPDX-License-Identifier: BSD-3-Clause
"""An output directory that cannot be used: one line that names it, and the program runs."""

import glob
import os
import subprocess

of = "tools/launch"


def refused(run, folder, form):
    """Run the serial program with output `folder`; it must run as ever, with one line more."""
    program = run.command(["{programs}/serial"])
    if form == "preload":
        result = run.execute(run.preloading() + program, "run", {"SPUR_DIR": folder})
    else:
        result = run.execute([run.spur, "-o", folder] + program, "run")
    label = f"{form}, {folder}"
    run.equal((result.status, result.stdout, result.stderr), (3, "sum 15\n", "this is stderr"),
              label)
    run.equal(len(result.spur), 1, f"lines of spur, {label} ({result.spur})")
    run.expect(folder in result.spur[0], f"the line to name {folder}: {result.spur[0]}")


def main(run):
    full = os.path.join(run.scratch, "full")
    os.makedirs(full)
    a_file = os.path.join(full, "mine.txt")
    with open(a_file, "w", encoding="utf-8") as file:
        file.write("mine\n")
    refused(run, full, "outer")
    for form in ("outer", "preload"):
        refused(run, a_file, form)
        # Not even root can make a directory in these.
        refused(run, os.path.join(a_file, "below"), form)
        refused(run, "/proc/spur-archive", form)
    run.equal(os.listdir(full), ["mine.txt"], "files of the full directory")
    with open(a_file, encoding="utf-8") as file:
        run.equal(file.read(), "mine\n", "the file that was there")
    never_overwritten(run)
    one_line(run)
    one_session(run)
    one_start(run)


def one_start(run):
    """The directory of a start that has recorded nothing yet is refused to others until the start ends."""
    folder = os.path.join(run.scratch, "taken")
    waits = [run.spur, "-o", folder, "sh", "-c", "echo; read line; exit 5"]
    with subprocess.Popen(waits, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as first:
        first.stdout.readline()
        run.expect(not os.path.exists(folder), "nothing recorded yet")
        refused(run, folder, "outer")
        first.kill()  # the claim of a killed launcher counts no more
        first.stdin.close()
    run.execute([run.spur, "-o", folder] + run.command(["{programs}/serial"]), "run")
    run.judge(folder)


def one_session(run):
    """What one process starts is one archive: its children finish nothing while it runs."""
    archive = os.path.join(run.scratch, "shell")
    program = run.command(["{programs}/serial"])[0]
    result = run.execute(run.preloading() + ["sh", "-c", f"{program}; {program}; exit 4"], "shell",
                         {"SPUR_DIR": archive})
    run.equal((result.status, len(result.spur)), (4, 1), f"status and lines: {result.spur}")
    run.equal(glob.glob(archive + "*"), [archive], "archives of one session")
    run.equal(len(run.judge(archive).processes()), 2, "processes")


def one_line(run):
    """A name that a terminal would act on, or that holds the end of a line, is shown in one line."""
    folder = os.path.join(run.scratch, "a\nb\033[2J\tc")
    for number, form in enumerate((run.preloading(), [run.spur, "-o", folder])):
        result = run.execute(form + run.command(["{programs}/thread_names"]), "line",
                             {"SPUR_DIR": folder})
        run.equal(len(result.spur), 1, f"lines of {form}: {result.spur}")
        run.equal(result.stderr, "", f"what else {form} says")
        run.expect("/a\\nb\\033[2J\\011c" in result.spur[0], f"the folder in {result.spur}")
        run.expect(os.path.exists(os.path.join(folder, "traces.otf2")), "the archive")
        os.rename(folder, f"{folder}{number}")
    for words in (["recover"], ["check"], ["report"], ["unpack"], ["off"], ["snapshot"]):
        result = run.execute([run.spur] + words + [folder], "line")
        run.equal(len(result.spur), 1, f"lines of {words}: {result.spur}")
        run.equal(result.stderr, "", f"what else {words} says")
        run.expect("/a\\nb\\033[2J\\011c" in result.spur[0], f"the folder in {result.spur}")


def never_overwritten(run):
    """An empty directory is used; one that holds an archive is not."""
    archive = os.path.join(run.scratch, "archive")
    os.makedirs(archive)
    run.execute([run.spur, "-o", archive] + run.command(["{programs}/serial"]), "run")
    first = run.judge(archive).archive.anchor.trace_id
    for form in ("outer", "preload"):
        refused(run, archive, form)
        run.equal(run.judge(archive).archive.anchor.trace_id, first, f"trace id ({form})")
