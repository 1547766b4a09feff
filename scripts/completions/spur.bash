# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Completion of spur for bash: its own words first, then as if the command stood alone. What words there
# are spur itself is asked: its commands (spur help commands), and the options and lists of --help.

# Options of a help text on standard input, one a line; with "taking": only those with an argument.
_spur_options()
{
    local argument=''
    [[ ${1-} != taking ]] || argument=' [^ ].*'
    sed -nE "s/^ {2,6}(-[A-Za-z]+)?,? ?(--[a-z-]+)?(\[=[^ ]*)?$argument( .*)?\$/\\1\\n\\2/p" | grep '^-'
}

# Words of a list in a help text, whose heading names the option that takes them: "Formats (--to):".
_spur_values()
{
    sed -nE "/\\($1\\):\$/,/^\$/s/^ +([a-z][a-z0-9-]*)( +([a-z][a-z0-9-]*)  .*| .*)\$/\\1\\n\\3/p" |
        grep . | sort -u
}

_spur()
{
    local spur=$1 word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} i=1
    local help taking values

    help=$("$spur" --help 2>/dev/null)
    taking=" $(_spur_options taking <<<"$help" | tr '\n' ' ')"
    while ((i < COMP_CWORD)); do
        case ${COMP_WORDS[i]} in
        -*) [[ $taking != *" ${COMP_WORDS[i]} "* ]] || i=$((i + 1)) ;;
        *) break ;;
        esac
        i=$((i + 1))
    done
    case $before in
    -o | --output | recover | snapshot | on | off) mapfile -t COMPREPLY < <(compgen -d -- "$word") && return ;;
    --filter) mapfile -t COMPREPLY < <(compgen -f -- "$word") && return ;;
    --metrics)
        mapfile -t COMPREPLY < <(compgen -W "$("$spur" metrics 2>/dev/null | sed -n 's/^yes  *\([^ ]*\).*/\1/p')" -- "$word")
        return
        ;;
    --sample) mapfile -t COMPREPLY < <(compgen -W '100 1000 page-faults:100' -- "$word") && return ;;
    --min-duration) mapfile -t COMPREPLY < <(compgen -W '1us 10us 100us 1ms' -- "$word") && return ;;
    --start) mapfile -t COMPREPLY < <(compgen -W 'on off' -- "$word") && return ;;
    esac
    if ((i >= COMP_CWORD)); then
        values=$("$spur" help commands 2>/dev/null)
        [[ $word != -* ]] || values=$(_spur_options <<<"$help")
        mapfile -t COMPREPLY < <([[ $word == -* ]] || compgen -c -f -- "$word"; compgen -W "$values" -- "$word")
        return
    fi
    if ! "$spur" help commands 2>/dev/null | grep -qxF -- "${COMP_WORDS[i]}"; then
        declare -F _command_offset >/dev/null && _command_offset "$i"
        return
    fi
    help=$("$spur" help "${COMP_WORDS[i]}" 2>/dev/null)
    case ${COMP_WORDS[i]}:$word in
    help:*) mapfile -t COMPREPLY < <(compgen -W "settings $("$spur" help commands)" -- "$word") && return ;;
    doctor:[!-]*|doctor:) mapfile -t COMPREPLY < <(compgen -c -f -- "$word") && return ;;
    esac
    values=$(_spur_values "$before" <<<"$help")
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_spur_options <<<"$help")" -- "$word")
    elif [[ $before == -* && $values ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}
complete -F _spur spur
