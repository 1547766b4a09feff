#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/print
# shellcheck source-path=SCRIPTDIR disable=SC2086 # options are lists of words
. "$(dirname "$0")/expect.sh"
tests=$1/tests
fixtures=$(dirname "$(readlink -f "$0")")/../fixtures
compared=0
yes '' | head -c 4000 >../enter

tables=$(readlink -f "$1/tests/small_tables.so")
[ -n "$tables" ] || fault "there is no small_tables.so"
otf2_print()
{
    LD_PRELOAD=$tables otf2-print "$@"
}

# The text is that of the reference's version; of 3.2 see otf2_3_2.sh.
as=
case $(otf2-print --version) in *" 3.0"*) as="--as 3.0" ;; esac

# What both libraries say for themselves is another matter.
only_the_tool()
{
    sed -i -e '/^\[OTF2\]/d' -e "/^spur: .*; 'spur check .*' tells more$/d" -e 's/otf2-print/spur print/g' ../err.theirs ../err.ours
}

# agree ARCHIVE OPTION...: does spur print what otf2-print prints, and end as it does? Where that one
# crashes, an end of its own is enough.
agree()
{
    archive=$1
    shift
    otf2_print "$@" "$archive" >../out.theirs 2>../err.theirs <../enter
    theirs=$?
    "$spur" print $as "$@" "$archive" >../out.ours 2>../err.ours <../enter
    ours=$?
    if [ $theirs -gt 128 ]; then
        [ $ours -le 1 ] || fault "$archive $*: status $ours"
        return
    fi
    only_the_tool
    same "status of $archive $*" $ours $theirs
    for file in out err; do
        cmp -s ../$file.ours ../$file.theirs ||
            fault "$archive $*: $(diff ../$file.theirs ../$file.ours | head -6 | cut -c1-300)"
    done
    compared=$((compared + 1))
}

# ---- all archives of the fixtures, all options on a small one with everything in it ----

names=$("$fixtures/make.py" "$tests" archives) || fault "no archives"
for name in $names; do
    case $name in
    *zlib* | *sion* | full-* | chunks) ;; # see below; more of the same
    *) agree "archives/$name/traces.otf2" -A -M -C ;;
    esac
    for threads in 1 3; do # files: the shell takes long to hold such a text
        "$spur" print --threads $threads -A "archives/$name/traces.otf2" >../out.$threads 2>../err.$threads
        echo "status $?" >>../err.$threads
    done
    for file in out err; do
        cmp -s ../$file.1 ../$file.3 || fault "$name: three threads print otherwise"
    done
done
small=archives/small/traces.otf2
while read -r options; do
    agree $small $options
done <<'END'

-A
-A -d
-A -d -M -C
-G
-G -d -M
-G -L 1
-I
-I -T -d
-T
-M
-C
-M -C -L 2
-L 1
-L 1 -L 0 -A
-L 99
-L 99 -G
--location=2 --timestamps=plain
--timestamps=offset -A -M -C
--timestamps offset --time 100 302
--time=500,600
--time 600 500
-s 7
--step 50 -A -d
-s 3 --silent -d
--step=100000
--silent
--silent -A
--system-tree --silent
--unwind-calling-context
--unwind-calling-context --time 180 190 -d
-Werror
--warnings-as-errors -A
--no-local-defs
--no-snapshots
--no-local-defs --no-snapshots -A
END
agree $small -- && agree nothing.otf2 -A && agree archives/small/traces.def -G
agree "" -A

# Nobody sees what is inside the file for dot in the output.
tree=archives/small/traces.SystemTree.dot
otf2_print --silent --system-tree $small >/dev/null && mv $tree ../tree.theirs
"$spur" print $as --silent --system-tree $small >/dev/null && mv $tree ../tree.ours
cmp ../tree.ours ../tree.theirs || fault "another system tree"

# ---- references to nothing, ids that are there twice: warnings ----

warned=0
for seed in 1 2 3 4 5 6 7 8; do
    "$tests/fixture-doubtful" "doubtful$seed" $seed || fault "no archive of seed $seed"
    for options in "-A" "-L 4294967299 --timestamps=offset" "-Werror -G" "-d -G"; do
        agree "doubtful$seed/traces.otf2" $options
        warned=$((warned + $(grep -c warning ../err.ours)))
    done
done
[ $warned -gt 100 ] || fault "only $warned warnings"

# ---- what is recorded of MPI jobs, one program with each library: with MPICH the other one takes seconds ----

"$spur" -q -o persistent mpirun.mpich -n 4 "$tests/programs/persistent.mpich" >/dev/null 2>&1
"$spur" -q -o comms mpirun.openmpi --oversubscribe -n 4 "$tests/programs/comms.openmpi" >/dev/null 2>&1
for program in comms persistent; do
    agree "$program/traces.otf2" -A -M -C
    grep -q '^MPI_' ../out.ours || fault "no events of MPI in $program"
done
[ $compared -gt 90 ] || fault "only $compared comparisons"

# ---- what otf2-print cannot show ----

run "$spur" print --show-thumbnail-samples $small
has "head of a thumbnail" "$out" \
    'THUMBNAIL_HEADER            0  Name: "regions", Description: "drawn", Type: REGION, Samples: 20, 3 Metrics: 0, 1, 2'
has "sample of a thumbnail" "$out" \
    'THUMBNAIL_SAMPLE           19  Baseline: 19000, Metrics: 19, 524288, 18446744073709551596'
for name in full-zlib full-sion-blocks small-zlib small-sion small-sion-blocks small-sion-big; do
    "$spur" print "archives/${name%%-*}/traces.otf2" >../plain
    "$spur" print "archives/$name/traces.otf2" >../packed || fault "$name cannot be printed"
    cmp ../plain ../packed || fault "another text of $name"
done

# ---- wrong use, archives that cannot be read ----

for wrong in "" "-x $small" "-GI $small" "-L" "-L x $small" "-L 99999999999999999999 $small" \
    "--location= $small" "--time 5" "--time=5 $small" "--time=5x,6 $small" "--step -1 $small" \
    "--timestamps=no $small" "--timestamps" "$small $small" "--no-local-defs -M $small"; do
    otf2_print $wrong >../out.theirs 2>../err.theirs
    same "status of otf2-print '$wrong'" $? 1
    run "$spur" print $wrong
    cp ../err ../err.ours && : >../out.ours
    only_the_tool
    same "status for '$wrong'" "$status:$out" "1:"
    cmp ../err.theirs ../err.ours || fault "another complaint about '$wrong'"
done
run "$spur" print nothing.otf2
same "errors for a missing archive" "$status:$(echo "$err" | wc -l)" "1:1"
has "the missing archive" "$err" "nothing.otf2"
for part in traces.def traces/0.evt traces/2.def; do
    rm -rf short && cp -r archives/small short
    size=$(wc -c <"short/$part")
    head -c $((size - 20)) "archives/small/$part" >"short/$part"
    run "$spur" print short/traces.otf2
    same "status without the end of $part" "$status" 1
    has "the file without its end" "$err" "short/$part"
done
[ -c /dev/full ] && "$spur" print $small >/dev/full 2>../err && fault "a full disk is no error"
has "the full disk" "$(cat ../err)" "spur print: standard output: "

run "$spur" print --help
has "help" "$status:$out" "0:usage: spur print [OPTION]... [--] ANCHORFILE"
for option in $(otf2-print --help | grep -oE -- '(^| )--?[a-zA-Z][a-z-]+'); do
    has "help about an option of otf2-print" "$out" "$option"
done
run "$spur" print -V
has "version" "$status:$out" "0:spur print: version "
finish
