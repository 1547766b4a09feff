# SPDX-License-Identifier: BSD-3-Clause
"""Call stacks as an archive has them and as gdb shows them, in one form: lists of "function@file:line"."""

import os
import re
import subprocess

from judge.otf2_read import UNDEFINED32 as UNDEFINED
from patience import HANG_S

SAMPLING = 21
UNKNOWN = "??"
LOOP = "_PyEval_EvalFrameDefault"  # the interpreter of Python
# What a thread or main() is called by. gdb stops at main() by itself, but not in a Fortran program.
BELOW = {"start_thread", "clone", "clone3", "__clone3", "__clone", "_start", "__libc_start_main",
         "__libc_start_main_impl", "__libc_start_call_main", "__libc_start_main@@GLIBC_2.34"}


def function_name(name):
    """Without what only one of the two says: arguments, return types, clones of the compiler."""
    name = re.sub(r" \[clone [^]]*\]", "", name)
    name = re.sub(r"\((?!\)|anonymous|lambda).*?\)(?= const|$|::)", "()", name) if "{" not in name else name
    if re.fullmatch(r".*\+0x[0-9a-f]+|\[jit\]|\?\?", name):
        return UNKNOWN if "+" in name or name == UNKNOWN else name
    name = name.replace("(anonymous namespace)", "@")
    depth, end, begin = 0, len(name), 0
    for at, letter in enumerate(name):
        if letter in "(" and depth == 0 and not name[:at].endswith("operator"):
            end = at
            break
        depth += (letter in "<{") - (letter in ">}")
        if letter == " " and depth == 0 and not name[:at].endswith("operator"):
            begin = at + 1
    return name[begin:end].replace("@", "(anonymous namespace)").replace(" ", "")


def is_script(frame):
    """Is it a function of Python's?"""
    return ".py:" in frame or "@<" in frame


def place(function, file, line):
    return f"{function}@{os.path.basename(file)}:{line}" if line else function


class Paths:
    """The calling contexts of an archive."""

    def __init__(self, archive):
        self.archive = archive

    def values(self, space, number):
        return self.archive.spaces[space][number][1]

    def nodes(self, context):
        """From a context up to the root: region, its name, file, line."""
        while context != UNDEFINED:
            node = self.values("CallingContext", context)
            region = self.values("Region", node["region"])
            file, line = "", 0
            if node["sourceCodeLocation"] != UNDEFINED:
                where = self.values("SourceCodeLocation", node["sourceCodeLocation"])
                file, line = self.archive.string(where["file"]), where["lineNumber"]
            yield region, self.archive.string(region["name"]), file, line
            context = node["parent"]

    def frames(self, context, named=function_name):
        """The frames above the leaf. A region says where the frame that it is open in stands now."""
        found, now = [], None
        nodes = self.nodes(context)
        next(nodes)
        for region, name, file, line in nodes:
            if region["paradigm"] != SAMPLING:
                now = now or ((file, line) if line else None)
                continue
            if now:
                file, line = now
                now = None
            found.append(place(named(name), file, line))
        return found

    def of(self, name, named=function_name):
        """The stacks at each entry of a region, of all locations, sorted."""
        found = []
        for location in self.archive.locations:
            for kind, _, values, _ in self.archive.events(location):
                if kind != "CallingContextEnter":
                    continue
                region = self.values("CallingContext", values[0])["region"]
                if self.archive.name_of("Region", region) == name:
                    found.append(self.frames(values[0], named))
        return sorted(found)


FRAME = re.compile(r"#\d+ +(?:0x[0-9a-f]+ in )?(.+?) \((?:[^()]|\([^()]*\))*\)(?: const)?"
                   r"(?: at (.+):(\d+)| from .*)?$")


def by_gdb(command, function, folder):
    """The stacks at each call of a function of a library, sorted; the command runs under gdb."""
    script = os.path.join(folder, "gdb.script")
    with open(script, "w", encoding="utf-8") as file:
        file.write("set breakpoint pending on\nset width 0\nset height 0\nset confirm off\n"
                   "set print frame-arguments none\nset print entry-values no\n"
                   "set debuginfod enabled off\n"
                   f"break {function}\ncommands\nsilent\nbt\necho ----\\n\ncontinue\nend\nrun\n")
    done = subprocess.run(["gdb", "-q", "-nx", "-batch", "-x", script, "--args", *command],
                          cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=HANG_S, check=False)
    stacks, frames = [], []
    for line in done.stdout.decode(errors="replace").splitlines():
        frame = FRAME.match(line.replace("<optimized out>", ""))
        if frame:
            frames.append((frame.group(1), frame.group(2) or "", int(frame.group(3) or 0)))
        elif line == "----":
            while frames and frames[-1][0] in BELOW:
                frames.pop()
            stacks.append([place(function_name(name), file, number)
                           for name, file, number in frames[1:]])
            frames = []
    return sorted(stacks)
