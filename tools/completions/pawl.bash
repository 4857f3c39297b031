# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
#
# Completion for bash: the command itself knows what may follow (pawl __complete).
_pawl() {
    local line=${COMP_LINE:0:COMP_POINT} words word reply=() files=
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    local current=${COMP_WORDS[COMP_CWORD]} last=${words[-1]}
    while IFS= read -r word; do
        if [[ $word == :files ]]; then
            files=1
        else
            # Readline has split the word, for instance at '=': it wants the rest alone.
            reply+=("${word:${#last}-${#current}}")
        fi
    done < <("${COMP_WORDS[0]}" __complete "${words[@]:1}" 2>/dev/null)
    COMPREPLY=(${reply[@]+"${reply[@]}"})
    if [[ -n $files ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
    elif [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
complete -F _pawl pawl
