# SPDX-License-Identifier: BSD-3-Clause
"""
The table of calls: scenes/*.calls, read in the order of their names. A scene is a list of lines:

    scene NAME [once] [needs FUNCTION] [act ACT]
    int numbers[4] = 1, 2, 3, 4     a variable: TYPE NAME[LENGTH] = VALUES
    Send(numbers, 4, MPI_INT, peer, 1, MPI_COMM_WORLD)
    try Open_port(port)             a call whose results differ from run to run
    x = Aint_add(x, 8)              a function that is not an error code
    x = rank + 1                    an assignment
    show numbers                    its value belongs to the results
    if rank == 0 / else / end
    WHERE: statement                only there: c, f (all of Fortran), mpif, mod (use mpi), f08,
                                    f77 (mpif and mod), mpich, openmpi, small, large; of several
                                    languages, with commas, any
    WHERE: call Name(arguments)     with arguments as the language writes them
    WHERE: do code                  code of the language
    WHERE: decl code                a declaration of the language

Calls leave out "MPI_" and are written as in C, without & and with arrays from 0; Fortran's error
argument is added. Where the library has a function's large-count form, the scene is run a second
time with that form of all its functions, unless it is to be run `once`.

Types: int, double, flag, text, ptr, status, handles by their lower-case name (comm, type, ...),
triples (int[3]), fint (MPI_Fint), aint (MPI_Aint), count and disp (int, or MPI_Count and MPI_Aint in
the large form), and auto, the integer type of the first parameter that it is passed for.
"""

import glob
import os
import re

HANDLES = {"comm": ("MPI_Comm", "MPI_COMM_NULL"), "group": ("MPI_Group", "MPI_GROUP_NULL"),
           "type": ("MPI_Datatype", "MPI_DATATYPE_NULL"),
           "request": ("MPI_Request", "MPI_REQUEST_NULL"), "op": ("MPI_Op", "MPI_OP_NULL"),
           "errhandler": ("MPI_Errhandler", "MPI_ERRHANDLER_NULL"),
           "info": ("MPI_Info", "MPI_INFO_NULL"), "win": ("MPI_Win", "MPI_WIN_NULL"),
           "file": ("MPI_File", "MPI_FILE_NULL"), "message": ("MPI_Message", "MPI_MESSAGE_NULL"),
           "session": ("MPI_Session", "MPI_SESSION_NULL")}
# Integers as C has them in the small and in the large form.
INTEGERS = {"int": ("int", "int"), "flag": ("int", "int"), "fint": ("MPI_Fint", "MPI_Fint"),
            "aint": ("MPI_Aint", "MPI_Aint"), "count": ("int", "MPI_Count"),
            "disp": ("int", "MPI_Aint"), "triples": ("int", "int")}
TYPES = set(HANDLES) | set(INTEGERS) | {"double", "text", "ptr", "status", "auto"}
LANGUAGES = {"c", "f", "mpif", "mod", "f77", "f08"}
TEXT_LENGTH = 9000  # more than any MPI_MAX_... string of either library


class TableError(Exception):
    pass


class Variable:
    def __init__(self, kind, name, length, values):
        self.kind, self.name = kind, name
        self.length = length  # None: not an array
        self.values = values


# Known to all scenes.
GLOBALS = {name: Variable("int", name, None, []) for name in ("rank", "peer")}


class Statement:
    def __init__(self, kind, line, where, **more):
        self.kind, self.line, self.where = kind, line, where
        self.name = self.target = self.text = None
        self.is_tried = False
        self.arguments = []
        self.__dict__.update(more)

    def applies(self, tags):
        languages = LANGUAGES & set(self.where)
        return all(tag in tags for tag in set(self.where) - languages) and \
            (not languages or bool(languages & tags))


class Scene:
    def __init__(self, name, words):
        self.name, self.is_once, self.needs, self.act = name, "once" in words, None, "main"
        for word, value in zip(words, words[1:]):
            if word in ("needs", "act"):
                setattr(self, word, value)
        self.variables, self.statements = {}, []

    def calls(self):
        return [statement for statement in self.statements if statement.name]


def split_arguments(text):
    """At commas outside of brackets and quotes."""
    parts, depth, quoted, start = [], 0, False, 0
    for at, char in enumerate(text):
        if char == '"':
            quoted = not quoted
        elif not quoted and char in "([":
            depth += 1
        elif not quoted and char in ")]":
            depth -= 1
        elif char == "," and not depth and not quoted:
            parts.append(text[start:at].strip())
            start = at + 1
    last = text[start:].strip()
    return parts + [last] if last else parts


CALL = re.compile(r"^([A-Z]\w*)\((.*)\)$")


def parse_statement(text, line):
    where = ()
    match = re.match(r"^([a-z0-9,]+): (.*)$", text)
    if match:
        where, text = tuple(match[1].split(",")), match[2].strip()
    word, _, rest = text.partition(" ")
    if word in ("do", "decl"):
        return Statement(word, line, where, text=rest)
    if word == "call":
        name, arguments = CALL.match(rest).groups()
        return Statement("raw", line, where, name="MPI_" + name, text=arguments)
    if word in ("if", "else", "end"):
        return Statement(word, line, where, text=rest)
    if word == "show":
        return Statement("show", line, where, text=rest)
    match = CALL.match(rest if word == "try" else text)
    if match:
        return Statement("call", line, where, name="MPI_" + match[1], is_tried=word == "try",
                         arguments=split_arguments(match[2]))
    match = re.match(r"^(\w+(?:\[\w+\])?) = (.*)$", text)
    if not match:
        raise TableError(f"line {line}: {text}")
    value = CALL.match(match[2])
    if value:
        return Statement("value", line, where, name="MPI_" + value[1], target=match[1],
                         arguments=split_arguments(value[2]))
    return Statement("set", line, where, target=match[1], text=match[2])


def parse_file(path):
    scenes, scene = [], None
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    pending, start = "", 0
    for number, line in enumerate(lines, 1):
        line = line.split("#")[0].strip()
        if not pending:
            start = number
        pending = (pending + " " + line).strip()
        if not pending or pending.count("(") > pending.count(")") or pending.endswith("="):
            continue
        text, pending = pending, ""
        words = text.split()
        declared = re.match(r"^(\w+) (\w+)(?:\[(\d+)\])?(?: = (.*))?$", text)
        if words[0] == "scene":
            scene = Scene(words[1], words[2:])
            scenes.append(scene)
        elif declared and declared[1] in TYPES:
            kind, name, length, values = declared.groups()
            scene.variables[name] = Variable(kind, name, int(length) if length else None,
                                             split_arguments(values) if values else [])
        else:
            try:
                scene.statements.append(parse_statement(text, start))
            except (AttributeError, TableError) as error:
                raise TableError(f"{path}:{start}: cannot read: {text}") from error
    return scenes


def read_table(folder):
    scenes = []
    for path in sorted(glob.glob(os.path.join(folder, "*.calls"))):
        scenes += parse_file(path)
    names = [scene.name for scene in scenes]
    if len(set(names)) != len(names):
        raise TableError(f"two scenes of one name among {names}")
    return scenes
