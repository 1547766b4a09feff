# SPDX-License-Identifier: BSD-3-Clause
"""The environment of jobs of Open MPI, for root and more ranks than processors: scripts/openmpi.env."""

import os
import re

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "openmpi.env"),
          encoding="utf-8") as file:
    ENV = dict(re.findall(r"^export (\w+)=(.*)$", file.read(), re.M))
# Without this, ranks without a processor of their own spin while they wait.
PATIENT = {**ENV, "OMPI_MCA_mpi_yield_when_idle": "1"}
