# SPDX-License-Identifier: BSD-3-Clause
"""
SPUR_CONTAINER=sion: the archive that the launcher, the last process or `spur recover` makes is in SION
containers, one of each kind for each host. Of what killed runs of threads and of both MPIs have left,
`spur recover` makes the plain twin and the containers: each location's bytes are the same, and so is
what `spur print` says. `spur pack` makes the same containers of the plain files, byte by byte. No file
of a location is made on the way. Any number of threads copy.
"""

import os
import re
import shutil
import subprocess
import sys

import left_over

of = "finish writer"

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import containers  # noqa: E402

SMALL = {"SPUR_BUFFER": "512K", "SPUR_CONTAINER": "sion"}
GATHERED = ["sh", "-c", "{programs}/thread_many 40 0; kill -9 $$"]
# The name, the program, further settings, what launches it.
SOURCES = (("threads", ["{programs}/thread_left", "15000"], {}, ()),
           ("gathered", GATHERED, {}, ()),
           ("gathered-stacks", GATHERED, {"SPUR_UNWIND": "4"}, ()),
           ("stacks", ["{programs}/thread_left", "3000"], {"SPUR_UNWIND": "4"}, ()),
           ("ring", ["{programs}/thread_left", "15000"], {"SPUR_FLUSH": "ring"}, ()),
           ("mpich", ["{programs}/left.mpich", "30"], {}, ("mpirun.mpich", "-n", "2")),
           ("openmpi", ["{programs}/left.openmpi", "30"], {},
            ("mpirun.openmpi", "-q", "--oversubscribe", "-n", "2")))


def contents(archive):
    """Of each location and kind, as containers.streams() has it."""
    found = {}
    for name in os.listdir(os.path.join(archive, "traces")):
        location, kind = name.split(".")
        with open(os.path.join(archive, "traces", name), "rb") as file:
            found[int(location), kind] = file.read()
    return found


def raw(archive):
    """The containers and the rank map."""
    found = {}
    for name in ["traces.srm"] + [os.path.join("traces", name)
                                  for name in os.listdir(os.path.join(archive, "traces"))]:
        with open(os.path.join(archive, name), "rb") as file:
            found[name] = file.read()
    return found


def taken_out(run, archive, what):
    """The plain archive that spur makes of a copy has what a decoder of the tests finds in the containers."""
    plain = archive + ".plain"
    shutil.copytree(archive, plain)
    run.says("unpack", plain)
    run.equal(contents(plain) == containers.streams(archive, True), True, f"{what}: unpacked")
    return plain


def look(run, archive, n_files, what, unfinished=False):
    """It is right, in so many containers of each kind, and nothing else is there."""
    run.equal(sorted(os.listdir(archive)), ["traces", "traces.def", "traces.otf2", "traces.srm"], what)
    run.equal(sorted(os.listdir(os.path.join(archive, "traces"))),
              sorted(f"{file}.{kind}" for file in range(n_files) for kind in ("evt", "def")), what)
    run.spur_check(archive, unfinished)
    plain = taken_out(run, archive, what)
    number = [] if n_files == 1 else ["--containers", str(n_files)]
    run.says("pack", *number, plain)
    run.equal(raw(plain) == raw(archive), True, f"{what}: packed again")


def recover(run, left, name, *options):
    session = os.path.join(run.scratch, name)
    left.put(session)
    done = run.execute([run.spur, "recover", *options, session], "recover")
    run.equal((done.status, len(done.spur)), (0, 1), f"{name}: {done.spur}")
    return session


def killed(run):
    for name, words, settings, launcher in SOURCES:
        left = left_over.leave(run, words, "left." + name, {**SMALL, **settings}, launcher)
        plain = recover(run, left, name + ".none", "--container", "none")
        run.equal(os.path.exists(os.path.join(plain, "traces.srm")), False, f"{name}: plain")
        packed = recover(run, left, name + ".sion")
        run.equal(containers.streams(packed) == contents(plain), True, f"{name}: bytes of each location")
        run.equal(run.says("print", packed) == run.says("print", plain), True, f"{name}: spur print")
        look(run, packed, 1, name, True)
        if launcher:
            several = recover(run, left, name + ".sion2", "--container", "sion:2")
            run.equal(containers.streams(several) == contents(plain), True, f"{name}: two containers")
            look(run, several, 2, name + ", two", True)


def few_files(run):
    """However many locations there are: no file is made of each, nor a second name, nor is one renamed."""
    left = left_over.leave(run, GATHERED, "left.few", SMALL)
    session, log = os.path.join(run.scratch, "few"), os.path.join(run.scratch, "few.strace")
    left.put(session)
    program = os.path.join(run.build, "libexec", "spur", "spur-finish")
    subprocess.run(["strace", "-f", "-qq", "-y", "-o", log, "-e",
                    "trace=openat,openat2,linkat,renameat,mkdirat", program, "--recover", session],
                   env=run.environment({}), check=True, capture_output=True)
    with open(log, encoding="utf-8", errors="replace") as file:
        lines = [line for line in file if not re.search(r"= -1 E", line)]
    made = {re.search(r'"([^"]*)"', line)[1] for line in lines if "O_CREAT" in line or "mkdirat" in line}
    print(f"  made: {sorted(made)}")
    run.expect(8 <= len(made) <= 14, f"files and folders that are made: {len(made)}")
    moved = [line for line in lines if "linkat" in line or "renameat" in line]
    run.expect(0 < len(moved) <= 4, f"files that get names: {moved}")


def by_threads(run):
    """Several threads copy to one container: the same bytes, and one line if there is no room."""
    left = left_over.leave(run, ["{programs}/left.mpich", "40"], "left.threads", SMALL,
                           ("mpirun.mpich", "-n", "5"))
    alone = raw(recover(run, left, "alone", "--threads", "1"))
    session, log = os.path.join(run.scratch, "threads"), os.path.join(run.scratch, "threads.strace")
    container = os.path.join(session, "traces", "0.evt")
    program = os.path.join(run.build, "libexec", "spur", "spur-finish")
    for failing in (["-e", "inject=pwrite64:error=ENOSPC"], []):
        left.put(session)
        strace = ["strace", "-f", "-qq", "-y", "-o", log, "-P", container, "-e", "trace=pwrite64", *failing]
        done = subprocess.run([*strace, program, "--recover", "--threads", "3", session],
                              env=run.environment({}), capture_output=True, check=False, text=True)
        with open(log, encoding="utf-8", errors="replace") as file:
            writers = {line.split()[0] for line in file if "pwrite64" in line}
        run.equal(len(writers), 3, "threads that write")
        if failing:
            said = done.stderr.splitlines()
            run.equal((done.returncode != 0, len(said)), (True, 1), f"no room: {said}")
            run.expect(container in said[0] and "No space left" in said[0], f"no room: {said}")
            run.equal(os.path.exists(os.path.join(session, "traces")), False, "no room: nothing is left")
            shutil.rmtree(session)
    run.equal(raw(session) == alone, True, "by three threads")


def ended(run):
    """By the launcher, by the last process, and on two hosts."""
    many, = run.command(["{programs}/thread_many"])
    for library, launcher in (("mpich", ["mpirun.mpich"]),
                              ("openmpi", ["mpirun.openmpi", "-q", "--oversubscribe"])):
        words = [*launcher, "-n", "3", *run.command([f"{{programs}}/ring.{library}"])]
        _, archive = run.record("ring." + library, ["--container", "sion", *words])
        look(run, archive, 1, library)
    archive = os.path.join(run.scratch, "last")
    run.execute([many, "5", "0"], "last.run",
                {"LD_PRELOAD": run.library, "SPUR_DIR": archive, "SPUR_CONTAINER": "sion"})
    look(run, archive, 1, "by the last process")
    archive = os.path.join(run.scratch, "hosts")
    inner = f"hostname other && {many} 3 0"
    run.execute([run.spur, "--container", "sion", "-f", "thread_many", "-o", archive, "sh", "-c",
                 f"{many} 3 0; unshare -u sh -c '{inner}'"], "hosts.run")
    look(run, archive, 2, "two hosts")


def main(run):
    killed(run)
    few_files(run)
    by_threads(run)
    ended(run)
