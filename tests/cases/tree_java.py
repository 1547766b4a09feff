# SPDX-License-Identifier: BSD-3-Clause
"""A Java program on its virtual machine: many threads, signals for its own use, own stacks."""

import os

import process_tree

of = "wrappers/process"
command = ["keytool", "-genkeypair", "-alias", "a", "-keyalg", "RSA", "-keysize", "2048", "-dname",
           "CN=a", "-keystore", "keys", "-storepass", "changeit", "-validity", "1"]
stderr = str  # its warnings have no numbers that change


def output(folder):
    return os.path.exists(os.path.join(folder, "keys"))


def main(run):
    """The key store must not be there before."""
    run.all_forms()


def check(trace, run):
    names = [group.name for group in process_tree.groups(trace)]
    run.expect(any("keytool" in name for name in names), f"keytool in {names}")
    run.expect(trace.kinds()["ThreadCreate"] > 5, "threads of the virtual machine")
