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

# The sources as they are, and each fault alone: what is planted goes again.
run tree/scripts/check_layers
same "the sources as they are" "$status:$out$err" "0:"

# finds FAULT: check_layers fails and says FAULT and nothing else; then the tree is as it was. FAULT "":
# it finds nothing.
finds()
{
    run tree/scripts/check_layers
    same "status and faults" "$status:$out$err" "$([ -n "$1" ] && echo 1 || echo 0):$1"
    rm -f tree/scripts/long.*
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

# Sizes: one line more than a file has beside comments, and than a function has, in each language.
long=$(awk 'BEGIN { for (i = 0; i < 41; i++) print "    ;" }')
{ sed q "$root/base/mem.c" && seq -f 'int line_%.0f;' 500 && printf '/*\n * more\n */\n'; } >tree/base/mem.c
finds ""
{ sed q "$root/base/mem.c" && seq -f 'int line_%.0f;' 501; } >tree/base/mem.c
finds "base/mem.c: 501 lines; more than 500 are several subjects"
line=$(($(wc -l <tree/base/mem.c) + 2))
printf 'void f(void)\n{\n%s\n}\n' "$long" >>tree/base/mem.c
finds "base/mem.c:$line: a function of 41 lines; more than 40 do several things"
printf 'void f(void)\n{\n%s\n}\n' "${long#?????
}" >>tree/base/mem.c
finds ""
printf 'f()\n{\n%s\n}\n' "$long" >tree/scripts/long.sh
finds "scripts/long.sh:2: a function of 41 lines; more than 40 do several things"
printf 'function f() {\n%s\n}\n' "$long" >tree/scripts/long.js
finds "scripts/long.js:1: a function of 41 lines; more than 40 do several things"
printf 'def f():\n%s\n' "$(echo "$long" | sed 's/;/pass/')" >tree/scripts/long.py
finds "scripts/long.py:1: a function of 41 lines; more than 40 do several things"

sed -i 's/^MOST = .*/MOST = 5/' tree/scripts/check_layers
run tree/scripts/check_layers
same "a folder that is full" "$status" 1
has "what is said of it" "$out" "base/ holds "

finish
