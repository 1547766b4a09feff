# SPDX-License-Identifier: BSD-3-Clause
"""`make -j2` of a small C project: the compiler's passes, the assembler and the linker are there."""

import process_tree

of = "wrappers/process"
command = ["make", "-j2", "-s", "--no-print-directory"]
files = {"Makefile": "CC = gcc\nall: app\napp: a.o b.o\n\t$(CC) -o $@ $^\n"
                     "%.o: %.c\n\t@echo $< | tr a-z A-Z; $(CC) -O1 -c -o $@ $<\n",
         "a.c": "int twice(int);\nint main(void) { return twice(0); }\n",
         "b.c": "int twice(int n) { return 2 * n; }\n"}


def stdout(text):
    return sorted(text.splitlines())


def check(trace, run):
    process_tree.expect_all(run, trace, run.command())
    seen = process_tree.images(trace)
    for name, count in {"cc1": 2, "tr": 2}.items():
        run.equal(seen[name], count, name)
