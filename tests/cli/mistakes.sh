#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/base tools/launch
# shellcheck source-path=SCRIPTDIR
# Mistakes of users: each is answered by one line that names the thing, and what was perhaps meant.
here=$(readlink -f "$(dirname "$0")")
. "$here/expect.sh"

$python "$here/report_archives.py" . || fault "no archives"

# wrong STATUS LINE WORDS...: one line on standard error, nothing else, and no file is left.
wrong()
{
    wanted=$1 line=$2
    shift 2
    ls >../before
    run "$spur" "$@"
    same "spur $*" "$status:$out:$err" "$wanted::spur: $line"
    same "files of spur $*" "$(ls)" "$(cat ../before)"
}
# starts STATUS LINE WORDS...: the same of the begin of the line.
starts()
{
    wanted=$1 line=$2
    shift 2
    run "$spur" "$@"
    case $status:$out:$err in "$wanted::spur: $line"*) ;; *) fault "spur $*: $status:$out:$err" ;; esac
    same "lines of spur $*" "$(echo "$err" | wc -l)" 1
}

# ---- commands and names ----

for typed in report:rpeort report:repor report:reports report:rexort recover:recovre view:viw print:pirnt; do
    wrong 127 "${typed#*:}: command not found; did you mean 'spur ${typed%:*}'?" "${typed#*:}" ranks
done
wrong 127 "no-such-command: command not found" no-such-command ranks
wrong 127 "./rpeort: command not found" ./rpeort
wrong 2 "help knows no 'rpeort': did you mean 'report'; see 'spur --help'" help rpeort
wrong 2 "--by knows no 'messagse': did you mean 'messages'; see 'spur report --help'" report --by messagse ranks
starts 2 "--by knows no 'nothing', but " report --by io,nothing ranks
for name in region callpath messages causes files memory; do
    has "names of --by" "$err" ", $name,"
done
same "--by names each once" "$(echo "$err" | tr , '\n' | sort | uniq -d)" ""
wrong 2 "--by with --diff knows no 'memory', but region, regions, process, processes, callpath, callpaths, sites, \
waits; see 'spur report --help'" report --by memory --diff ranks ranks
wrong 2 "--to knows no 'sqlit': did you mean 'sqlite'; see 'spur export --help'" export --to sqlit ranks
wrong 2 "--to knows no 'xml', but folded, chrome, csv, sqlite, perfetto; see 'spur export --help'" export --to xml ranks

# ---- windows outside of the trace ----

for command in report "report --json" "view -o page" "view --text" "export --to csv -o tables"; do
    # shellcheck disable=SC2086 # words
    wrong 1 "--time: the trace lasts 1.12 s, so it has nothing from 3 s on" $command --time 3..4 ranks
done

# ---- what is no program, no session ----

run "$spur" doctor ranks/traces.otf2
same "doctor of an archive" "$status:$(echo "$out" | sed -n '2,$p')" \
    "1:  PROBLEM  program    ranks/traces.otf2 is neither an ELF program nor a script; name the program itself
ranks/traces.otf2 will not be traced, or not in full: 1 problem"
wrong 1 "no snapshot of ranks: it is a finished archive; 'spur report' and the other commands read it" snapshot ranks

# ---- settings ----

SPUR_SAMPEL=100 SPUR_BUFFER=much
export SPUR_SAMPEL SPUR_BUFFER
run "$spur" true
same "settings of a program that records nothing" "$status:$(echo "$err" | sed 's/ (.*//; s/true made.*//' | sort)" \
    "0:$(printf '%s\n' 'spur: SPUR_BUFFER is not a size' 'spur: SPUR_SAMPEL is not a setting that spur knows' \
        'spur: nothing was recorded: ' | sort)"
unset SPUR_SAMPEL SPUR_BUFFER

# ---- questions ----

"$spur" query ranks "SELECT 1" >../one
for question in "SELECT * FROM cals" "SELECT nothing FROM calls" "SELEC 1"; do
    starts 1 "" query ranks "$question"
    has "views at $question" "$err" " call, call_sites, calls, collective,"
    has "columns at $question" "$err" "'spur export --schema' lists their columns"
done
finish
