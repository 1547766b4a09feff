# SPDX-License-Identifier: BSD-3-Clause
"""What the programs of all languages have in common: which calls of the table they make."""

import re

from table import GLOBALS, HANDLES, INTEGERS

IDENTIFIER = re.compile(r"^(\w+)(?:\[(.+)\])?$")

# Blocking functions fill their buffers; what others fill is shown when it is complete.
LATER = {"MPI_Request", "MPI_Win"}


class Emitter:
    """Writes a program to `lines`. Subclasses know a language."""

    def __init__(self, prototypes, tags, has):
        self.prototypes = prototypes  # by name, of all libraries: what exists is for `has` to say
        self.tags = set(tags)
        self.has = has
        self.lines = []
        self.missing = set()  # functions of the table that are not there
        self.called = set()
        self.scene = self.mode = None
        self.names = {}

    def put(self, text, depth=1):
        self.lines.append("    " * depth + text)

    # ---- which calls ----

    def twin(self, name):
        """The form of a function that the mode calls."""
        large = name + "_c"
        return large if self.mode == "large" and large in self.prototypes and \
            self.has(large) else name

    def chosen(self, scene, mode):
        """The statements of a scene that apply, each with its prototype (None: not a call)."""
        self.scene, self.mode = scene, mode
        tags = self.tags | {mode}
        for statement in scene.statements:
            if not statement.applies(tags):
                continue
            if not statement.name:
                yield statement, None
                continue
            name = self.twin(statement.name) if statement.kind == "call" else statement.name
            if name not in self.prototypes or not self.has(name):
                self.missing.add(name)
                continue
            self.called.add(name)
            yield statement, self.prototypes[name]

    def modes(self, scene):
        if scene.needs and not self.has("MPI_" + scene.needs):
            self.missing |= {statement.name for statement in scene.calls()
                             if not self.has(statement.name)}
            return []
        self.mode = "large"
        if not scene.is_once and any(self.twin(statement.name) != statement.name
                                     for statement in scene.calls()):
            return ["small", "large"]
        return ["small"]

    def key(self, statement):
        return f"{self.scene.name}{'_c' if self.mode == 'large' else ''}:{statement.line}"

    # ---- arguments ----

    def variable(self, argument):
        match = IDENTIFIER.match(argument)
        if not match:
            return None
        return self.scene.variables.get(match[1]) or GLOBALS.get(match[1])

    def base_of(self, variable, chosen):
        """The C type of a variable's elements."""
        if variable.kind in INTEGERS:
            return INTEGERS[variable.kind][self.mode == "large"]
        if variable.kind != "auto":
            return HANDLES[variable.kind][0] if variable.kind in HANDLES else variable.kind
        for statement, prototype in chosen:
            if statement.kind not in ("call", "value"):
                continue
            for argument, parameter in zip(statement.arguments, prototype.parameters):
                if self.variable(argument) is variable and not parameter.is_buffer:
                    return parameter.base
        return "int"

    def outputs(self, prototype, statement):
        """The arguments whose values are results once the call has returned."""
        arguments = [] if statement.is_tried else statement.arguments
        later = any(parameter.base in LATER for parameter in prototype.parameters) or \
            re.search(r"_(begin|attach)$", prototype.name.removesuffix("_c"))
        receives = any(parameter.name in ("source", "message") for parameter in
                       prototype.parameters)
        for argument, parameter in zip(arguments, prototype.parameters):
            variable = self.variable(argument)
            if not variable or not parameter.is_pointer or parameter.is_const or \
                    variable.kind in HANDLES or variable.kind == "ptr":
                continue
            if (parameter.is_buffer and later) or (variable.kind == "status" and not receives):
                continue
            yield argument, variable

    # ---- programs ----

    def program(self, scenes):
        acts = {}
        self.begin()
        for scene in scenes:
            for mode in self.modes(scene):
                acts.setdefault(scene.act, []).append(self.write_scene(scene, mode))
        self.finish(acts)
        return "\n".join(self.lines) + "\n"

    def write_scene(self, scene, mode):
        chosen = list(self.chosen(scene, mode))
        function = f"scene_{scene.name}" + ("_c" if mode == "large" else "")
        self.open_scene(function, chosen)
        depth = 1
        for statement, prototype in chosen:
            depth -= statement.kind in ("else", "end")
            self.write(statement, prototype, depth)
            depth += statement.kind in ("if", "else")
        self.close_scene(function)
        return function
