# SPDX-License-Identifier: BSD-3-Clause
"""The table as a Fortran program, for each of the three bindings."""

import re

from emitter import IDENTIFIER, Emitter
from prototypes import INTEGER_ADDRESSES
from table import HANDLES, TEXT_LENGTH

KINDS = {"MPI_Aint": "MPI_ADDRESS_KIND", "MPI_Count": "MPI_COUNT_KIND",
         "MPI_Offset": "MPI_OFFSET_KIND"}
CONSTANTS = {"true": ".true.", "false": ".false.", "MPI_INT": "MPI_INTEGER",
             "MPI_DOUBLE": "MPI_DOUBLE_PRECISION"}
BINDINGS = {"mpif": ("", "include 'mpif.h'"), "mod": ("use mpi", ""), "f08": ("use mpi_f08", "")}


class FortranEmitter(Emitter):
    def __init__(self, prototypes, binding, library, has):
        tags = {"f", binding, library} | ({"f77"} if binding != "f08" else set())
        super().__init__(prototypes, tags, has)
        self.binding = binding

    def begin(self):
        self.put("! Made from the table of calls: not to be edited.", 0)
        uses, includes = BINDINGS[self.binding]
        self.put("module scenes", 0)
        for line in (uses, "use iso_c_binding", "use support", "implicit none", includes):
            if line:
                self.put(line)
        self.put("contains", 0)

    def open_scene(self, function, chosen):
        self.put(f"subroutine {function}", 0)
        self.bases = {name: self.base_of(variable, chosen)
                      for name, variable in self.scene.variables.items()}
        for name, variable in self.scene.variables.items():
            self.declare(name, variable)
        for statement, _ in chosen:
            if statement.kind == "decl":
                self.put(statement.text)
        for name, variable in self.scene.variables.items():
            self.initialise(name, variable)

    def base_of(self, variable, chosen):
        base = super().base_of(variable, chosen)
        old = any(statement.name in INTEGER_ADDRESSES and variable.name in statement.arguments
                  for statement, _ in chosen if statement.kind == "call")
        return "int" if variable.kind == "auto" and old else base

    def declare(self, name, variable):
        base, first = self.bases[name], []
        if variable.kind == "ptr":
            return
        if variable.kind == "flag":
            kind = "logical"
        elif variable.kind == "double":
            kind = "double precision"
        elif variable.kind == "text":
            kind = f"character(len={TEXT_LENGTH})"
        elif base in KINDS:
            kind = f"integer({KINDS[base]})"
        elif self.binding == "f08" and variable.kind in HANDLES or variable.kind == "status":
            kind = f"type({HANDLES.get(variable.kind, ['MPI_Status'])[0]})"
            if self.binding != "f08":
                kind, first = "integer", ["MPI_STATUS_SIZE"]
        else:
            kind = "integer"
        if variable.kind == "triples":
            first = ["3"]
        bounds = first + ([f"0:{variable.length - 1}"] if variable.length else [])
        self.put(f"{kind} :: {name}" + (f"({', '.join(bounds)})" if bounds else ""))

    def initialise(self, name, variable):
        values = [self.expression(value) for value in variable.values]
        if variable.kind == "status" and self.binding == "f08":
            self.put(f"{name}%MPI_SOURCE = 0; {name}%MPI_TAG = 0")
        elif variable.kind in HANDLES and values and variable.length:
            for i, value in enumerate(values):
                self.put(f"{name}({i}) = {value}")
        elif variable.kind == "triples":
            self.put(f"{name} = reshape([{', '.join(values)}], [3, {variable.length}])")
        elif variable.kind not in ("ptr", "session"):  # MPICH's modules have no MPI_SESSION_NULL
            default = HANDLES[variable.kind][1] if variable.kind in HANDLES else \
                {"flag": ".false.", "text": "' '"}.get(variable.kind, "0")
            value = f"[{', '.join(values)}]" if values and variable.length else \
                values[0] if values else default
            self.put(f"{name} = {value}")

    def close_scene(self, function):
        self.put(f"end subroutine {function}\n", 0)

    def expression(self, text):
        if text.startswith('"'):
            return "'" + text[1:-1].replace("'", "''") + "'"
        text = re.sub(r"\[(.+?)\]", r"(\1)", text)
        text = re.sub(r"\w+", lambda match: CONSTANTS.get(match[0], match[0]), text)
        return text.replace("!=", "/=")

    def argument(self, text, parameter, prototype):
        if self.variable(text) and parameter.is_array and text.endswith("]"):
            return self.expression(text)[:-1] + ":)"
        if self.variable(text) or text.startswith(('"', "MPI_")):
            return self.expression(text)
        if parameter.base in KINDS and not parameter.is_pointer and \
                prototype.name not in INTEGER_ADDRESSES:
            return f"int({self.expression(text)}, {KINDS[parameter.base]})"
        return self.expression(text)

    def routine(self, prototype):
        """The large forms are overloads of one name."""
        name = prototype.name
        return name[:-2] if name.endswith("_c") and name[:-2] in self.prototypes else name

    def arguments(self, prototype, statement):
        if statement.kind == "raw":
            return [statement.text] if statement.text else []
        return [self.argument(text, parameter, prototype) for text, parameter in
                zip(statement.arguments, prototype.parameters)]

    def write(self, statement, prototype, depth):
        kind = statement.kind
        if kind in ("call", "raw"):
            arguments = self.arguments(prototype, statement) + ["error"]
            self.put(f"call {self.routine(prototype)}({', '.join(arguments)})", depth)
            error = "0" if statement.is_tried else "error"
            self.put(f"call log_call_f('{self.key(statement)}', '{prototype.name}', {error})", depth)
            for argument, variable in self.outputs(prototype, statement):
                self.show(argument, variable, depth)
        elif kind == "value":
            arguments = ", ".join(self.arguments(prototype, statement))
            self.put(f"{statement.target} = {prototype.name}({arguments})", depth)
            self.put(f"call log_call_f('{self.key(statement)}', '{prototype.name}', 0)", depth)
        elif kind == "set":
            self.put(f"{self.expression(statement.target)} = {self.expression(statement.text)}",
                     depth)
        elif kind == "show":
            self.show(statement.text, self.variable(statement.text), depth)
        elif kind == "do":
            self.put(statement.text, depth)
        elif kind == "if":
            self.put(f"if ({self.expression(statement.text)}) then", depth)
        elif kind == "else":
            self.put("else", depth)
        elif kind == "end":
            self.put("end if", depth)

    def show(self, argument, variable, depth):
        name, at = variable.name, self.expression(argument)
        is_whole = IDENTIFIER.match(argument)[2] is None
        length = variable.length if variable.length and is_whole else 1
        if not variable.length or not is_whole:
            listed = "[{}]"
        else:
            listed = "{}"
        if variable.kind == "text":
            text = f"call log_text_f('{name}', {at})"
        elif variable.kind == "status":
            for i in range(length):
                self.show_status(name, at, i if variable.length and is_whole else None, depth)
            return
        elif variable.kind == "flag":
            text = f"call log_ints_f('{name}', {listed.format(f'merge(1, 0, {at})')}, {length})"
        elif variable.kind == "double":
            text = f"call log_doubles_f('{name}', {listed.format(at)}, {length})"
        elif self.bases.get(name) in KINDS:
            text = f"call log_longs_f('{name}', {listed.format(f'int({at}, c_long_long)')}, {length})"
        elif variable.kind == "triples":
            text = f"call log_ints_f('{name}', {at}, {3 * length})"
        else:
            text = f"call log_ints_f('{name}', {listed.format(at)}, {length})"
        self.put(text, depth)

    def show_status(self, name, at, index, depth):
        if self.binding == "f08":
            fields = [f"{at}{'' if index is None else f'({index})'}%{field}"
                      for field in ("MPI_SOURCE", "MPI_TAG")]
        else:
            fields = [f"{at}({field}{'' if index is None else f', {index}'})"
                      for field in ("MPI_SOURCE", "MPI_TAG")]
        self.put(f"call log_status_f('{name}', {fields[0]}, {fields[1]})", depth)

    def finish(self, acts):
        self.put("end module scenes\n\nprogram all", 0)
        self.put("use scenes")
        self.put("implicit none")
        self.put("character(len=32) :: act")
        self.put("call log_act_f(act)")
        for act, functions in acts.items():
            self.put(f"if (act == '{act}') then")
            for function in functions:
                self.put(f"call {function}", 2)
            self.put("end if")
        self.put("call log_write_f")
        self.put("end program all", 0)
