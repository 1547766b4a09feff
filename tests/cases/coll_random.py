# SPDX-License-Identifier: BSD-3-Clause
"""
Random collectives against a model of what each moves. The program tells what it calls and with
which arguments, per rank; the model says what must be recorded, by the definitions of MPI alone.

Other seeds than those below: COLL_RANDOM_SEEDS="7 8" tests/run_case.py BUILD coll_random --mpi MPI
"""

import json
import os

from judge.communicators import Communicators
from judge.verdict import Verdict

of = "wrappers/mpi"
SEEDS = os.environ.get("COLL_RANDOM_SEEDS", "1 2").split()

command = ["{programs}/coll_random{mpi}"] + SEEDS
ranks = 5

BASE_BYTES = {"byte": 1, "int": 4, "double": 8, "pair": 12, "nothing": 0}
OPERATIONS = ["Barrier", "Bcast", "Gather", "Gatherv", "Scatter", "Scatterv", "Allgather",
              "Allgatherv", "Alltoall", "Alltoallv", "Alltoallw", "Allreduce", "Reduce",
              "Reduce_scatter", "Scan", "Exscan", "Reduce_scatter_block"]
ROOT_NONE, ROOT_SELF, ROOT_THIS_GROUP = 0xffffffff, 0xfffffffe, 0xfffffffd
# Calls that are made at least: all operations, out of place, in place and between groups, in two
# forms; what is not asked of a library is listed in the program.
FEWEST = {"openmpi": 90, "mpich": 240}


class Call:
    """One call of one rank: who takes part, and the bytes of each block of its arguments."""

    def __init__(self, call, comm):
        self.me, self.size = comm["me"], len(comm["members"])
        self.is_inter = "remote" in comm
        self.partners = len(comm.get("remote", comm["members"]))
        self.comm, self.in_place, self.root = comm, call["in_place"], call.get("root")
        self.operation = call["op"]
        self.send, self.receive = (
            [count * elements * BASE_BYTES[base] for count, elements, base in call[side]]
            for side in ("send", "receive"))
        self.is_root = self.root == ("self" if self.is_inter else self.me)
        self.others = self.partners - self.in_place  # whom a member exchanges data with

    def each(self, blocks):
        """One block per partner, where one argument stands for all of them."""
        return blocks * self.partners if len(blocks) == 1 else blocks

    def but_mine(self, blocks):
        """In place, the own block stays where it is."""
        return sum(blocks) - (blocks[self.me] if self.in_place else 0)

    # What goes out and what comes in, by operation.

    def barrier(self):
        return 0, 0

    def from_root(self):
        """The root of an intercommunicator is no receiver, and its group looks on."""
        if self.root == "group":
            return 0, 0
        if self.operation == "Bcast":
            sent = self.partners * self.receive[0] if self.is_root else 0
            return sent, 0 if self.is_inter and self.is_root else self.receive[0]
        sent = self.but_mine(self.each(self.send)) if self.is_root else 0
        return sent, 0 if self.is_root and (self.is_inter or self.in_place) else self.receive[0]

    def to_root(self):
        if self.root == "group":
            return 0, 0
        received = self.but_mine(self.each(self.receive)) if self.is_root else 0
        return 0 if self.is_root and (self.is_inter or self.in_place) else self.send[0], received

    def to_all(self):
        receive = self.each(self.receive)
        received = self.but_mine(receive)
        if self.operation == "Allgatherv" and self.in_place:
            return self.others * receive[self.me], received
        return received if self.in_place else sum(self.each(self.send)), received

    def reduce_scatter(self):
        """A part for each member of the own group; the own part comes from every partner."""
        parts = self.receive * self.size if len(self.receive) == 1 else self.receive
        return self.but_mine(parts), self.others * parts[self.me]

    def prefix(self):
        """A scan hands on to the later ones and, unless in place, to oneself."""
        itself = self.operation == "Scan" and not self.in_place
        return ((self.size - self.me - 1 + itself) * self.receive[0],
                (self.me + itself) * self.receive[0])

    def neighbours(self):
        sides = zip((self.send, self.receive), ("destinations", "sources"))
        return tuple(self._near(blocks, self.comm[side]) for blocks, side in sides)

    def _near(self, blocks, ranks_there):
        """Beyond the edge of a grid, there is nobody."""
        if len(blocks) == 1:
            blocks = blocks * len(ranks_there)
        return sum(size for size, rank in zip(blocks, ranks_there) if rank >= 0)

    def expected(self):
        """(operation, root, sent, received) as the record has them."""
        name, moved = self.operation, self.to_all
        if name.startswith("Neighbor_"):
            name, moved = name.split("_")[1].capitalize(), self.neighbours
        elif name == "Barrier":
            moved = self.barrier
        elif name in ("Bcast", "Scatter", "Scatterv"):
            moved = self.from_root
        elif name in ("Gather", "Gatherv", "Reduce"):
            moved = self.to_root
        elif name.startswith("Reduce_scatter"):
            moved = self.reduce_scatter
        elif name in ("Scan", "Exscan"):
            moved = self.prefix
        root = {None: ROOT_NONE, "self": ROOT_SELF, "group": ROOT_THIS_GROUP}.get(self.root,
                                                                                  self.root)
        return (OPERATIONS.index(name), root) + moved()


def told(folder, rank):
    """
    What a rank tells: its communicators by name, and for each operation that it starts the region
    that starts it, the line of the call, and what must be recorded.
    """
    comms, started = {}, []
    with open(os.path.join(folder, f"calls.{rank}"), encoding="utf-8") as file:
        for line in file:
            said = json.loads(line)
            if "comm" in said:
                comms[said["comm"]] = said
            elif "call" in said:
                moved = (said["on"],) + Call(said, comms[said["on"]]).expected()
                region = "MPI_Start" if "starts" in said else said["call"]
                started += [(region, line.strip(), moved)] * said.get("starts", 1)
    return comms, started


def recorded(trace, location):
    """(region, (communicator, operation, root, sent, received)) in the order of the starts."""
    started, requests, region = [], {}, None
    for name, _, values, _ in trace.events(location):
        if name == "Enter":
            region = trace.archive.name_of("Region", values[0])
        elif name == "NonBlockingCollectiveRequest":
            requests[values[0]] = len(started)
            started.append((region, None))
        elif name == "NonBlockingCollectiveComplete":
            place = requests.pop(values[5])
            started[place] = (started[place][0], described(trace, values))
        elif name == "MpiCollectiveEnd" and values[0] < len(OPERATIONS):
            started.append((region, described(trace, values)))
    return started


def described(trace, values):
    operation, comm, root, sent, received = values[:5]
    name = trace.archive.name_of("Comm", comm)
    return name, operation, root, sent, received


def check_members(trace, run, comms):
    """The communicators are defined with the members that they have."""
    known = Communicators(trace.archive, Verdict())
    groups = {trace.archive.name_of("Comm", comm): [ranks_in for ranks_in in pair if ranks_in]
              for comm, pair in known.members.items()}
    for name, comm in comms.items():
        if name != "MPI_COMM_SELF":
            want = [comm[side] for side in ("members", "remote") if side in comm]
            run.equal(sorted(groups.get(name, [])), sorted(want), f"members of {name}")


def same_output(run, form):
    """What every rank called and received; the same as without the agent."""
    for rank in range(ranks):
        texts = []
        for folder in (form, "plain"):
            with open(os.path.join(run.scratch, folder, f"calls.{rank}"), encoding="utf-8") as file:
                texts.append(file.read().splitlines())
        for number, (traced, plain) in enumerate(zip(*texts), 1):
            run.equal(traced, plain, f"rank {rank}, line {number}")
        run.equal(len(texts[0]), len(texts[1]), f"lines of rank {rank}")


def check(trace, run):
    same_output(run, "outer")
    for rank in range(ranks):
        comms, want = told(os.path.join(run.scratch, "outer"), rank)
        check_members(trace, run, comms)
        got = recorded(trace, rank << 32)
        for number, ((region, moved), (wanted, line, right)) in enumerate(zip(got, want)):
            run.equal((region, moved), (wanted, right),
                      f"rank {rank}, operation {number}, {line}\n"
                      "(region, (communicator, operation, root, sent, received))")
        run.equal(len(got), len(want), f"operations of rank {rank}")
        run.expect(len(want) >= FEWEST[run.mpi] * len(SEEDS), f"{FEWEST[run.mpi]} operations a seed")
