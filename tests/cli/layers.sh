#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: scripts
# shellcheck source-path=SCRIPTDIR
# scripts/check_layers finds each kind of fault that it is there for.
root=$(readlink -f "$(dirname "$0")/../..")
. "$(dirname "$0")/expect.sh"

mkdir tree
for room in include format writer reader base settings session code finish agent attach wrappers tools bench; do
    cp -r "$root/$room" tree
done
mkdir tree/scripts
cp "$root/scripts/check_layers" tree/scripts

# The sources as they are; then several faults at a time, of which none hides another one.
run tree/scripts/check_layers
same "the sources as they are" "$status:$out$err" "0:"

# finds FAULTS: check_layers fails and says FAULTS and nothing else; then the tree is as it was. FAULTS "":
# it finds nothing.
finds()
{
    run tree/scripts/check_layers
    same "status and faults" "$status:$out$err" "$([ -n "$1" ] && echo 1 || echo 0):$1"
    rm -rf tree/scripts/long.* tree/agent/attic tree/writer/mem.c
    cp "$root/scripts/check_layers" tree/scripts
    cp "$root/agent/metrics/metric_async.c" tree/agent/metrics
    cp "$root/base/mem.c" tree/base
}

# An include upward, from below and from room to room; a reading of the environment; rooms and names.
line=$(wc -l <tree/base/mem.c)
cat >>tree/base/mem.c <<'END'
#include "agent/spur_agent.h"
#include "mem.h"
const char *home(void) { return getenv("HOME"); } /* environ */
END
echo '#include "agent/sampling/sample.h"' >>tree/agent/metrics/metric_async.c
mkdir tree/agent/attic
echo >tree/agent/attic/old.c
echo >tree/writer/mem.c
finds "agent/attic/old.c: agent/attic/ has no row in scripts/check_layers
agent/metrics/metric_async.c:$(wc -l <tree/agent/metrics/metric_async.c): agent/metrics/ may not include \
\"agent/sampling/sample.h\"
base/mem.c:$((line + 1)): base/ may not include \"agent/spur_agent.h\"
base/mem.c:$((line + 2)): \"mem.h\" does not spell its room
base/mem.c:$((line + 3)): getenv reads the environment, which the program may be changing
rooms include one another in a circle: agent > base > agent
rooms include one another in a circle: agent/metrics > agent/sampling > agent/metrics
one name for several files: base/mem.c, writer/mem.c"

# A circle that the rows allow, and one that stands only in the rows; a permission that nobody needs.
sed -i -e 's|"agent/metrics": |&["agent/sampling"] + |' -e 's|"base": \[\]|"base": ["settings"]|' \
    -e 's|^ENVIRONMENT = {|&"base/mem.c": "never",|' tree/scripts/check_layers
echo '#include "agent/sampling/sample.h"' >>tree/agent/metrics/metric_async.c
finds "base/mem.c is in ENVIRONMENT and reads no environment
the rows of scripts/check_layers form a circle: base > settings > base
the rows of scripts/check_layers form a circle: agent/metrics > agent/sampling > agent/metrics
rooms include one another in a circle: agent/metrics > agent/sampling > agent/metrics"

# Sizes: what a file has beside comments, and a function in each language; then one line more.
most=$(awk 'BEGIN { for (i = 0; i < 40; i++) print "    ;" }')
sizes() # LINES BODY
{
    line=$(($1 - $(echo "$2" | wc -l) - 2)) # of the function in base/mem.c
    { sed q "$root/base/mem.c" && seq -f 'int line_%.0f;' $((line - 1)) && printf '/*\n * more\n */\n' &&
        printf 'void f(void)\n{\n%s\n}\n' "$2"; } >tree/base/mem.c
    printf 'f()\n{\n%s\n}\n' "$2" >tree/scripts/long.sh
    printf 'function f() {\n%s\n}\n' "$2" >tree/scripts/long.js
    printf 'def f():\n%s\n' "$(echo "$2" | sed 's/;/pass/')" >tree/scripts/long.py
}
sizes 900 "$most"
finds ""
sizes 901 "$most
    ;"
several="a function of 41 lines; more than 40 do several things"
finds "base/mem.c: 901 lines; more than 900 are several subjects
base/mem.c:$((line + 5)): $several
scripts/long.js:1: $several
scripts/long.py:1: $several
scripts/long.sh:2: $several"

finish
