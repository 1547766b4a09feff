# SPDX-License-Identifier: BSD-3-Clause
"""
What an installed MPI library has: the prototypes of its mpi.h, the functions that the library still
exports although its header no longer declares them, and the routines of its Fortran bindings.
"""

import os
import re
import subprocess
import tempfile

# Removed from the standard with MPI-3. Open MPI keeps the functions and hides the declarations.
REMOVED = """
int MPI_Address(void *location, MPI_Aint *address);
int MPI_Errhandler_create(MPI_Comm_errhandler_function *function, MPI_Errhandler *errhandler);
int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *errhandler);
int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler);
int MPI_Type_extent(MPI_Datatype datatype, MPI_Aint *extent);
int MPI_Type_hindexed(int count, int blocklengths[], MPI_Aint displs[], MPI_Datatype oldtype,
                      MPI_Datatype *newtype);
int MPI_Type_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
                     MPI_Datatype *newtype);
int MPI_Type_lb(MPI_Datatype datatype, MPI_Aint *displacement);
int MPI_Type_struct(int count, int blocklengths[], MPI_Aint displs[], MPI_Datatype types[],
                    MPI_Datatype *newtype);
int MPI_Type_ub(MPI_Datatype datatype, MPI_Aint *displacement);
"""

# Their Fortran form has default integers where C has addresses.
INTEGER_ADDRESSES = {"MPI_" + name for name in (
    "Address", "Attr_get", "Attr_put", "Keyval_create", "Type_extent", "Type_hindexed",
    "Type_hvector", "Type_lb", "Type_struct", "Type_ub")}


class Parameter:
    """One parameter of a prototype: `base` is its type without const and pointers."""

    def __init__(self, text):
        self.text = text
        match = re.match(r"^(.*?)(\w+)\s*((?:\[\w*\])*)$", text)
        declared, self.name, brackets = match.groups()
        self.base = " ".join(word for word in declared.replace("*", " ").split()
                             if word != "const")
        self.is_const = "const" in declared.split()
        self.is_triples = "[3]" in brackets
        self.is_array = bool(brackets)
        self.is_pointer = "*" in declared or bool(brackets)

    @property
    def is_buffer(self):
        return self.base == "void" and self.is_pointer


class Prototype:
    def __init__(self, returns, name, parameters, is_declared):
        self.returns, self.name, self.text = returns, name, parameters
        self.is_declared = is_declared
        self.is_variadic = "..." in parameters
        parts = [part.strip() for part in parameters.split(",")]
        self.parameters = [Parameter(part) for part in parts if part not in ("void", "...", "")]


def without_attributes(text):
    while True:
        match = re.search(r"__attribute__\s*\(\(", text)
        if not match:
            return text
        at, depth = match.end(), 2
        while depth:
            depth += (text[at] == "(") - (text[at] == ")")
            at += 1
        text = text[:match.start()] + text[at:]


def parse(text, is_declared):
    """Prototypes in preprocessed C by name."""
    text = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    found = {}
    for statement in re.split(r"[;{}]", without_attributes(text)):
        statement = " ".join(statement.split())
        match = re.match(r"^(?:extern )?([\w ]+?[ *]+)(MPI_[A-Z]\w*) ?\((.*)\)$", statement)
        if match and not match[1].startswith("typedef"):
            found[match[2]] = Prototype(match[1].strip(), match[2], match[3], is_declared)
    return found


def output_of(*words, **more):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, **more).stdout


def exported(compiler, suffix, program):
    """The functions of the MPI libraries that the compiler wrapper links a program with."""
    with tempfile.TemporaryDirectory() as folder:
        source, binary = os.path.join(folder, "empty" + suffix), os.path.join(folder, "empty")
        with open(source, "w", encoding="utf-8") as file:
            file.write(program)
        subprocess.run([compiler, "-Wl,--no-as-needed", source, "-o", binary], check=True)
        libraries = re.findall(r"=> (/\S*libmp\S+)", output_of("ldd", binary))
    names = set()
    for library in libraries:
        for line in output_of("nm", "-D", "--defined-only", library).splitlines():
            _, kind, name = line.split()[-3:]
            if kind in "TW":
                names.add(name.split("@")[0])
    return names


def c_prototypes(mpicc):
    """The functions of the C binding by name: declared or not, the library has them."""
    found = parse(output_of(mpicc, "-E", "-x", "c", "-", input="#include <mpi.h>\n"), True)
    found = {**parse(REMOVED, False), **found}
    symbols = exported(mpicc, ".c", "int main(void) { return 0; }\n")
    return {name: prototype for name, prototype in found.items() if name in symbols}


class FortranRoutines:
    """Asks whether a Fortran binding has a routine."""

    def __init__(self, mpif90):
        self.symbols = exported(mpif90, ".f90", "end\n")

    def has(self, binding, name):
        """`name` as in C, "MPI_Send_c" for the large form."""
        low = name.lower()
        if binding != "f08":
            return low + "_" in self.symbols
        large = low.endswith("_c") and not low.endswith("f2c")
        ends = ("_f08_large_", "_f08ts_large_") if large else ("_f08_", "_f08ts_")
        base = low[:-2] if large else low
        return any(base + end in self.symbols for end in ends)
