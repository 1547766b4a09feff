# SPDX-License-Identifier: BSD-3-Clause
"""Programs that read their input, say "equal" at their end, and are attached to in between."""

import subprocess

from patience import HANG_S


class Attached:
    """In `folder` are the programs and the archives; `fault` is told what went wrong."""

    def __init__(self, spur, folder, fault):
        self.spur, self.folder, self.fault = spur, folder, fault

    def archive(self, name):
        return self.folder / f"archive.{name}"

    def start(self, name, *words):
        return subprocess.Popen([self.folder / name, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                text=True)

    def order(self, word, process, name=""):
        """`spur attach` or `spur detach`, begun; its standard error is a pipe."""
        options = ["-o", self.archive(name)] if word == "attach" else []
        return subprocess.Popen([self.spur, word, *options, str(process.pid)], stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True)

    def ended(self, what, process):
        """As it would have, without spur."""
        try:
            out = process.communicate(timeout=HANG_S)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            self.fault(f"{what}: it hangs")
            return
        if (process.returncode, out.splitlines()[-1:]) != (5, ["equal"]):
            self.fault(f"{what}: status {process.returncode}, output {out!r}")
