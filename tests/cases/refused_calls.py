# SPDX-License-Identifier: BSD-3-Clause
"""
A sandbox refuses a system call, with EPERM or ENOSYS. The program runs as it does there without spur. The
archive is made, by `spur COMMAND` and `spur recover`, and is as good as ever; or a line says that something
was refused, and the archive can be made outside of the sandbox. `spur report` prints the same.

Those that were once mistaken, and a few more, or with FAULTS=all each one. SEED=N repeats a run.
"""

import errno
import os
import random
import re
import shutil
import time

import left_over

of = "base agent/process"
SEED = int(os.environ.get("SEED", time.time_ns() % 10**9))
SAMPLE = os.environ.get("FAULTS", "3")
SETTINGS = {"SPUR_SAMPLE": "200", "SPUR_UNWIND": "8", "SPUR_IO": "posix"}
ERRORS = (errno.EPERM, errno.ENOSYS)

PROGRAM = "{programs}/thread_locks"

# Without these nothing is recorded, and a line says so.
RECORDING = {"access", "clone", "ftruncate", "mkdirat", "pipe2"}
# Without these no archive is made, and a line says so.
FINISHING = {"getdents64", "mkdirat", "pwrite64", "renameat", "symlinkat"}
READING = {"access"}
ALWAYS = (("renameat2", errno.ENOSYS), ("process_vm_readv", errno.EPERM), ("ftruncate", errno.EPERM),
          ("pwrite64", errno.EPERM), ("clone", errno.EPERM), ("dup3", errno.EPERM),
          ("readlink", errno.EPERM))


class Sandbox:
    def __init__(self, run, left, whole, reported):
        self.run, self.left, self.whole, self.reported = run, left, whole, reported
        self.program = run.command([PROGRAM])
        self.refusal = f"{run.programs}/host_refusal"

    def within(self, call, error, words, env=None):
        return self.run.execute([self.refusal, call, str(error), *words], "within", env)

    def path(self, name):
        path = os.path.join(self.run.scratch, name)
        shutil.rmtree(path, ignore_errors=True)
        return path

    def told(self, what, lines, error):
        """One line, of what was refused."""
        why = os.strerror(error)
        self.run.expect(len(lines) == 1 and why in lines[0] and "as its owner" not in lines[0],
                        f"{what}: one line with '{why}': {lines}")

    def records(self, call, error):
        archive, what = self.path("archive"), f"{call}, {errno.errorcode[error]}"
        plain = self.within(call, error, self.program)
        traced = self.within(call, error, [self.run.spur, "-o", archive, *self.program], SETTINGS)
        self.run.equal((traced.status, traced.stdout, traced.stderr),
                       (plain.status, plain.stdout, plain.stderr), f"{what}: the program")
        if call in RECORDING or call in FINISHING:
            self.told(what, traced.spur, error)
        if call in RECORDING:
            self.run.expect(not os.path.exists(archive), f"{what}: nothing is left")
            return
        if call in FINISHING:
            self.run.execute([self.run.spur, "recover", archive], "outside")
        self.run.equal(locks(self.run, archive), self.whole, f"{what}: locks in the archive")
        for line in traced.spur:
            is_true = "spur-code:" not in line or os.strerror(error) in line
            self.run.expect(is_true and "is not the file" not in line, f"{what}: {line}")

    def others(self, call, error):
        """What is made of what a run has left, and of an archive."""
        session, what = self.path("session"), f"{call}, {errno.errorcode[error]}"
        self.left.put(session)
        result = self.within(call, error, [self.run.spur, "recover", session])
        if call in FINISHING:
            self.run.equal(result.status, 1, f"{what}: status of recover")
            self.told(f"{what}, recover", result.spur, error)
            result = self.run.execute([self.run.spur, "recover", session], "outside")
        self.run.equal(result.status, 0, f"{what}: status of recover")
        self.run.spur_check(session, False)
        result = self.within(call, error, [self.run.spur, "report", session + ".whole"])
        if call in READING:
            self.told(f"{what}, report", result.spur, error)
        else:
            self.run.equal((result.status, result.stdout), (0, self.reported), f"{what}: the report")


def locks(run, archive):
    run.spur_check(archive, False)
    return len(re.findall(r"^ENTER .*pthread_mutex_lock", run.says("print", archive), re.MULTILINE))


def main(run):
    print(f"SEED={SEED}")
    chance = random.Random(SEED)
    refusal = f"{run.programs}/host_refusal"
    calls = run.execute([refusal, "list"], "list").stdout.split()
    left = left_over.leave(run, ["sh", "-c", PROGRAM + "; kill -9 $$"], "left", {}, ())
    whole = os.path.join(run.scratch, "session.whole")
    run.execute([run.spur, "-o", whole, *run.command([PROGRAM])], "whole", SETTINGS)
    reported = run.says("report", whole)
    sandbox = Sandbox(run, left, locks(run, whole), reported)
    every = [(call, error) for call in calls for error in ERRORS]
    drawn = every if SAMPLE == "all" else [*ALWAYS, *chance.sample(every, int(SAMPLE))]
    for call, error in drawn:
        print(f"{call}, {errno.errorcode[error]}:")
        sandbox.records(call, error)
        sandbox.others(call, error)
