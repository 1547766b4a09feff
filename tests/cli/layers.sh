#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source-path=SCRIPTDIR
# scripts/check_layers finds each kind of fault that it is there for.
root=$(readlink -f "$(dirname "$0")/../..")
. "$(dirname "$0")/expect.sh"

mkdir tree
for room in include format writer reader base settings session code finish agent wrappers tools bench; do
    cp -r "$root/$room" tree
done
mkdir tree/scripts
cp "$root/scripts/check_layers" tree/scripts

# The sources as they are, and each fault alone: what is planted goes again.
run tree/scripts/check_layers
same "the sources as they are" "$status:$out$err" "0:"

# finds FAULT: check_layers fails and says FAULT and nothing else; then the tree is as it was.
finds()
{
    run tree/scripts/check_layers
    same "status and faults" "$status:$out$err" "1:$1"
    cp "$root/scripts/check_layers" tree/scripts
    cp "$root/agent/metrics/metric_async.c" tree/agent/metrics
    cp "$root/base/mem.c" tree/base
}

# An include upward, from below and from room to room.
echo '#include "agent/spur_agent.h"' >>tree/base/mem.c
line=$(wc -l <tree/base/mem.c)
finds "base/mem.c:$line: base/ may not include \"agent/spur_agent.h\"
rooms include one another in a circle: agent > base > agent"
echo '#include "agent/sampling/sample.h"' >>tree/agent/metrics/metric_async.c
line=$(wc -l <tree/agent/metrics/metric_async.c)
finds "agent/metrics/metric_async.c:$line: agent/metrics/ may not include \"agent/sampling/sample.h\"
rooms include one another in a circle: agent/metrics > agent/sampling > agent/metrics"

# A circle that the rows allow, and one that stands only in the rows.
sed -i 's|"agent/metrics": |&["agent/sampling"] + |' tree/scripts/check_layers
echo '#include "agent/sampling/sample.h"' >>tree/agent/metrics/metric_async.c
finds "the rows of scripts/check_layers form a circle: agent/metrics > agent/sampling > agent/metrics
rooms include one another in a circle: agent/metrics > agent/sampling > agent/metrics"
sed -i 's|"base": \[\]|"base": ["settings"]|' tree/scripts/check_layers
finds "the rows of scripts/check_layers form a circle: base > settings > base"

# A reading of the environment, and a permission that nobody needs.
echo 'const char *home(void) { return getenv("HOME"); } /* environ */' >>tree/base/mem.c
line=$(wc -l <tree/base/mem.c)
finds "base/mem.c:$line: getenv reads the environment, which the program may be changing"
sed -i 's|^ENVIRONMENT = {|&"base/mem.c": "never",|' tree/scripts/check_layers
finds "base/mem.c is in ENVIRONMENT and reads no environment"

# Rooms, names, and how much one holds.
echo '#include "mem.h"' >>tree/base/mem.c
line=$(wc -l <tree/base/mem.c)
finds "base/mem.c:$line: \"mem.h\" does not spell its room"
mkdir tree/agent/attic
echo >tree/agent/attic/old.c
finds "agent/attic/old.c: agent/attic/ has no row in scripts/check_layers"
rm -r tree/agent/attic
echo >tree/writer/mem.c
finds "one name for several files: base/mem.c, writer/mem.c"
rm tree/writer/mem.c
sed -i 's/^MOST = .*/MOST = 5/' tree/scripts/check_layers
run tree/scripts/check_layers
same "a folder that is full" "$status" 1
has "what is said of it" "$out" "base/ holds "

finish
