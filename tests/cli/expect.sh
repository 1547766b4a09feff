# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2034 # what it sets is for those who source it
#
# Sourced by the tests of this folder. Works in a new directory that is removed at the end.
#   run COMMAND...        runs it; its output, errors and status go to $out, $err, $status
#   json WHAT ARGUMENTS...  prints WHAT (Python, of the parsed JSON `r`) of spur report's JSON
#   same WHAT IS SHOULD   and   has WHAT TEXT PART   judge; finish ends the test
faults=0
spur=$1/bin/spur
report=$1/libexec/spur/spur-report
python=/usr/bin/python3 # that of the system has the module otf2
. "$(dirname "$0")/../../scripts/openmpi.env"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
mkdir work && cd work || exit 1
unset LD_PRELOAD SPUR_DIR SPUR_SESSION SPUR_VERBOSE PMI_RANK PMIX_RANK OMPI_COMM_WORLD_RANK

run()
{
    "$@" >../out 2>../err
    status=$?
    out='' err=''
    [ ! -s ../out ] || out=$(cat ../out) # a process is dear
    [ ! -s ../err ] || err=$(cat ../err)
}

json()
{
    what=$1
    shift
    "$report" --json "$@" | $python -c "import json, sys; r = json.load(sys.stdin); print($what)"
}

fault()
{
    echo "FAULT: $1"
    faults=$((faults + 1))
}

same()
{
    [ "$2" = "$3" ] || fault "$1: '$2' instead of '$3'"
}

has()
{
    case $2 in *"$3"*) ;; *) fault "$1: no '$3' in '$2'" ;; esac
}

finish()
{
    [ "$faults" -eq 0 ]
    exit
}
