# SPDX-License-Identifier: BSD-3-Clause
"""Jobs on several hosts, which are namespaces of this machine (tests/hosts)."""

import os

HOSTS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "hosts")


def launcher(mpi, n_hosts, a_host):
    """The words that start so many ranks on each host, from the front end."""
    rsh = os.path.join(HOSTS, "rsh")
    hosts = ",".join(f"10.77.0.{host + 1}:{a_host}" for host in range(n_hosts))
    ranks = ["-n", str(n_hosts * a_host)]
    if mpi == "mpich":
        return ["mpirun.mpich", "-launcher", "ssh", "-launcher-exec", rsh, "-iface", "eth0",
                "-hosts", hosts] + ranks
    return ["mpirun.openmpi", "--host", hosts, "--mca", "plm_rsh_agent", rsh,
            "--mca", "oob_tcp_if_include", "10.77.0.0/24",
            "--mca", "btl_tcp_if_include", "10.77.0.0/24", "--mca", "btl", "tcp,self"] + ranks
