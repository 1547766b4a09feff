# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Completion of spur for bash. What may stand where, spur is asked; see scripts/completions/spur-complete.
_spur()
{
    local word=${COMP_WORDS[COMP_CWORD]} line words=''

    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
        :files) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$word") ;;
        :folders) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$word") ;;
        :programs) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -c -f -- "$word") ;;
        ":command "*)
            ! declare -F _command_offset >/dev/null || _command_offset "${line#:command }"
            return
            ;;
        *) words+="$line"$'\n' ;;
        esac
    done < <("$1" help complete "$1" "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -F _spur spur
