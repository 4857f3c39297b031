# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
#
# Completion for fish: the command itself knows what may follow (pawl __complete).
function __pawl_complete
    set -l words (commandline -opc) (commandline -ct)
    for word in ($words[1] __complete $words[2..-1] 2>/dev/null)
        if test "$word" = ":files"
            __fish_complete_path (commandline -ct)
        else
            echo $word
        end
    end
end
complete -c pawl -f -a '(__pawl_complete)'
