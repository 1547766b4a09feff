# SPDX-License-Identifier: BSD-3-Clause
"""Cartesian topologies and where each rank is in them."""

of = "wrappers/mpi finish/define"
command = ["{programs}/cart{mpi}"]
ranks = 6
forms = ["outer", "inner"]  # unified by messages, and from files

GRID = [(2, 0), (3, 1)]


def check(trace, run):
    dimensions, comms, grids = {}, {}, {}
    for name, values in trace.archive.definitions:
        if name == "CartDimension":
            dimensions[values["self"]] = (values["size"], values["cartPeriodicity"])
        elif name == "Comm":
            comms[values["self"]] = trace.archive.string(values["name"])
        elif name == "CartTopology":
            grids[values["self"]] = (comms[values["communicator"]],
                                     [dimensions[d] for d in values["cartDimensions"]], {})
        elif name == "CartCoordinate":
            grids[values["cartTopology"]][2][values["rank"]] = tuple(values["coordinates"])
    run.equal(len(dimensions), 4, "dimensions: 2, 3 in second and first place, 5")
    places = {i: (i // 3, i % 3) for i in range(6)}
    by_name = {}
    for name, sizes, at in grids.values():
        by_name.setdefault(name, []).append((sizes, at))
    for name in ("grid", "copy", "later"):
        run.equal(by_name[name], [(GRID, places)], name)
    run.equal(by_name["row"], 2 * [([(3, 1)], {i: (i,) for i in range(3)})], "rows")
    run.equal(by_name[""], 3 * [([(2, 0)], {0: (0,), 1: (1,)})], "columns")
    run.equal(by_name["line"], [([(5, 0)], {i: (i,) for i in range(5)})], "line")
    run.equal(sorted(by_name), ["", "copy", "grid", "later", "line", "row"], "communicators")
