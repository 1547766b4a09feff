# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Completion of spur for bash: its own words first, then as if the command stood alone.

_spur()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} i=1
    local commands='doctor metrics recover snapshot on off unpack check report view export query print marker snapshots estimator otf2-config help'

    while ((i < COMP_CWORD)); do
        case ${COMP_WORDS[i]} in
        -o | --output | -f | --follow | --start | --filter | --metrics | --min-duration | --unwind | --sample) i=$((i + 2)) ;;
        -*) i=$((i + 1)) ;;
        *) break ;;
        esac
    done
    case $before in
    -o | --output | recover | snapshot | on | off) mapfile -t COMPREPLY < <(compgen -d -- "$word") && return ;;
    --filter) mapfile -t COMPREPLY < <(compgen -f -- "$word") && return ;;
    --metrics)
        mapfile -t COMPREPLY < <(compgen -W "$(spur metrics 2>/dev/null | sed -n 's/^yes  *\([^ ]*\).*/\1/p')" -- "$word")
        return
        ;;
    --sample) mapfile -t COMPREPLY < <(compgen -W '100 1000 page-faults:100' -- "$word") && return ;;
    --min-duration) mapfile -t COMPREPLY < <(compgen -W '1us 10us 100us 1ms' -- "$word") && return ;;
    --start) mapfile -t COMPREPLY < <(compgen -W 'on off' -- "$word") && return ;;
    esac
    if ((i < COMP_CWORD)); then
        case ${COMP_WORDS[i]} in
        help) mapfile -t COMPREPLY < <(compgen -W settings -- "$word") ;;
        unpack | check | report | view | export | query | print | marker | snapshots)
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            ;;
        doctor) mapfile -t COMPREPLY < <(compgen -c -f -- "$word") ;;
        *) declare -F _command_offset >/dev/null && _command_offset "$i" ;;
        esac
    elif [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '-o -f -q -h --output --follow --quiet --start --filter --min-duration --metrics --unwind --sample --help --version' -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -c -f -W "$commands" -- "$word")
    fi
}
complete -F _spur spur
