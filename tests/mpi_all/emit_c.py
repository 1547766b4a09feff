# SPDX-License-Identifier: BSD-3-Clause
"""The table as a C program."""

from emitter import IDENTIFIER, Emitter
from table import HANDLES, TEXT_LENGTH

TYPES = {"text": "char", "ptr": "void *", "status": "MPI_Status"}
# How a value is put into the results.
SHOWN = {"int": "ints", "MPI_Fint": "ints", "double": "doubles", "MPI_Aint": "longs",
         "MPI_Count": "longs", "MPI_Offset": "longs"}


class CEmitter(Emitter):
    def begin(self):
        self.put("/* Made from the table of calls: not to be edited. */", 0)
        self.put('#include <mpi.h>\n#include "support.h"', 0)
        for prototype in self.prototypes.values():
            if not prototype.is_declared:
                self.put(f"#undef {prototype.name}\n{prototype.returns} {prototype.name}"
                         f"({prototype.text});", 0)

    def open_scene(self, function, chosen):
        self.bases = {name: self.base_of(variable, chosen)
                      for name, variable in self.scene.variables.items()}
        self.put(f"static void {function}(int *argc, char ***argv)\n{{", 0)
        for name, variable in self.scene.variables.items():
            self.declare(name, variable)
        for statement, _ in chosen:
            if statement.kind == "decl":
                self.put(statement.text + ";")
        self.put("(void)argc, (void)argv;")

    def declare(self, name, variable):
        base = self.bases[name]
        size = f"[{variable.length}]" if variable.length else ""
        if variable.kind == "text":
            size = f"[{TEXT_LENGTH}]"
        size += "[3]" if variable.kind == "triples" else ""
        values = ", ".join(map(self.expression, variable.values))
        if not values and variable.kind in HANDLES:
            values = HANDLES[variable.kind][1] if not variable.length else \
                f"[0 ... {variable.length - 1}] = {HANDLES[variable.kind][1]}"
        initial = f"{{{values or 0}}}" if size or variable.kind == "status" else values or "0"
        self.put(f"{TYPES.get(base, base)} {name}{size} = {initial};")
        self.put(f"(void){name};")

    def close_scene(self, function):
        self.put("}\n", 0)

    def expression(self, text):
        return {"true": "1", "false": "0"}.get(text, text)

    def argument(self, text, parameter):
        variable = self.variable(text)
        if not variable:
            return self.expression(text)
        is_element = IDENTIFIER.match(text)[2] is not None
        is_array = (variable.length or variable.kind == "text") and not is_element
        if not parameter.is_pointer or is_array:
            return text
        if variable.kind == "ptr" and not parameter.name.startswith(("baseptr", "buffer_addr")):
            return text
        return "&" + text

    def call(self, prototype, statement):
        if statement.kind == "raw":
            return f"{prototype.name}({statement.text})"
        if prototype.name in ("MPI_Init", "MPI_Init_thread"):
            statement.arguments = ["argc", "argv"] + statement.arguments[-2:]
        arguments = [self.argument(text, parameter) for text, parameter in
                     zip(statement.arguments, prototype.parameters)]
        if len(arguments) != len(prototype.parameters) or \
                len(arguments) != len(statement.arguments):
            raise SystemExit(f"{self.key(statement)}: {prototype.name} has other parameters")
        return f"{prototype.name}({', '.join(arguments)})"

    def write(self, statement, prototype, depth):
        kind = statement.kind
        if kind in ("call", "raw"):
            self.put(f'log_call("{self.key(statement)}", "{prototype.name}", '
                     f"{self.call(prototype, statement)}{' * 0' * statement.is_tried});", depth)
            for argument, variable in self.outputs(prototype, statement):
                self.show(argument, variable, depth)
        elif kind == "value":
            self.put(f"{statement.target} = {self.call(prototype, statement)};", depth)
            self.put(f'log_call("{self.key(statement)}", "{prototype.name}", 0);', depth)
        elif kind == "set":
            self.put(f"{statement.target} = {self.expression(statement.text)};", depth)
        elif kind == "show":
            self.show(statement.text, self.variable(statement.text), depth)
        elif kind == "do":
            self.put(statement.text + ";", depth)
        elif kind == "if":
            self.put(f"if ({statement.text}) {{", depth)
        elif kind == "else":
            self.put("} else {", depth)
        elif kind == "end":
            self.put("}", depth)

    def show(self, argument, variable, depth):
        name = variable.name
        if variable.kind == "text":
            self.put(f"log_text(\"{name}\", {name}, sizeof {name});", depth)
            return
        is_whole = IDENTIFIER.match(argument)[2] is None
        at = argument if variable.length and is_whole else "&" + argument
        length = variable.length if variable.length and is_whole else 1
        if variable.kind == "status":
            for i in range(length):
                self.put(f"log_status(\"{name}\", ({at})[{i}].MPI_SOURCE, ({at})[{i}].MPI_TAG);",
                         depth)
            return
        if variable.kind == "triples":
            at, length = f"&{name}[0][0]", 3 * length
        shown = SHOWN[self.bases.get(name, "int")]
        self.put(f"log_{shown}(\"{name}\", {at}, {length});", depth)

    def finish(self, acts):
        self.put("int main(int argc, char **argv)\n{", 0)
        self.put("const char *const act = log_act(argc, argv);")
        for act, functions in acts.items():
            self.put(f'if (is_act(act, "{act}")) {{')
            for function in functions:
                self.put(f"{function}(&argc, &argv);", 2)
            self.put("}")
        self.put("return log_write();\n}", 0)
