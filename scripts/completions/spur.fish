# SPDX-License-Identifier: BSD-3-Clause
# Completion of spur for fish. What may stand where, spur is asked; see scripts/completions/spur-complete.
function __spur_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    for line in ($words[1] help complete $words[1] $words[2..-1] "$word" 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path "$word"
            case :folders
                __fish_complete_directories "$word"
            case :programs
                __fish_complete_command
                __fish_complete_path "$word"
            case ':command *'
                set -l at (string replace ':command ' '' -- $line)
                complete -C (string join ' ' -- (string escape -- $words[(math $at + 1)..-1]) "$word")
            case '*'
                echo $line
        end
    end
end
complete -c spur -f -a '(__spur_complete)'
