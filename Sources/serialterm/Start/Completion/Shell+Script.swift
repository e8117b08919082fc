import Options

/// The scripts that `--generate-completion-script` prints. They ask the program at each Tab, so
/// that they need no change when a command gets a new option.
extension Shell {
  /// The script.
  var script: String {
    switch self {
    case .bash: Self.bashScript
    case .zsh: Self.zshScript
    case .fish: Self.fishScript
    }
  }

  private static let bashScript = #"""
    # Completion of serialterm for bash, with or without the package bash-completion.
    _serialterm() {
        local program=${1/#\~\//"$HOME/"} lines i size=()
        # An alias is not the name of a program.
        type -P -- "$program" >/dev/null || program=serialterm
        # Readline shows a list now: there is room for descriptions.
        case $COMP_TYPE in 33 | 63 | 64) size=(--rows "${LINES:-24}" --columns "${COLUMNS:-80}") ;; esac
        mapfile -t lines < <("$program" complete-line bash --breaks="$COMP_WORDBREAKS" ${size[@]+"${size[@]}"} \
            -- "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
        COMPREPLY=()
        case ${lines[0]-} in
            words | beginning)
                COMPREPLY=("${lines[@]:1}")
                compopt +o default
                [[ ${lines[0]} == words ]] || compopt -o nospace
                compopt -o nosort 2>/dev/null
                ;;
            command*)
                for ((i = 1; i < COMP_CWORD; i++)); do
                    [[ ${COMP_WORDS[i]} != -- ]] || { ((i++)); break; }
                done
                if declare -F _comp_command_offset >/dev/null; then
                    _comp_command_offset "$i"
                elif declare -F _command_offset >/dev/null; then
                    _command_offset "$i"
                elif ((i == COMP_CWORD)); then
                    mapfile -t COMPREPLY < <(compgen -c -- "$2")
                fi
                ;;
        esac
        # With an empty reply, bash completes files.
    } && complete -o default -F _serialterm serialterm

    """#

  private static let zshScript = #"""
    #compdef serialterm
    # Completion of serialterm for zsh.
    _serialterm() {
        local program=${(Q)words[1]/#\~\//$HOME/}
        local -a lines whole beginnings
        # An alias is not the name of a program.
        whence -p -- $program >/dev/null || program=serialterm
        lines=("${(@f)$($program complete-line zsh -- \
            "${(j: :)words[1,CURRENT-1]} $QIPREFIX$PREFIX" 2>/dev/null)}")
        case $lines[1] in
            words)
                whole=(${${(M)lines:#+*}#+})
                beginnings=(${${(M)lines:#=*}#=})
                _describe -V -t words word whole -- beginnings -S ''
                ;;
            files*)
                compset -p ${lines[1]#files }
                _files
                ;;
            '') _files ;;
            command*)
                shift ${lines[1]#command } words
                ((CURRENT -= ${lines[1]#command }))
                _normal
                ;;
        esac
    }
    # The file is run by the completion system, or sourced.
    if [[ $funcstack[1] == _serialterm ]]; then
        _serialterm "$@"
    else
        compdef _serialterm serialterm
    fi

    """#

  private static let fishScript = #"""
    # Completion of serialterm for fish.
    # Sets $__serialterm_words. Fails if fish itself has to complete: the paths of files.
    function __serialterm_ask
        set -l line (commandline -cp | string collect)
        set -l program (string replace -r '^~/' "$HOME/" -- (commandline -op)[1])
        # An alias is not the name of a program.
        command -q -- $program; or set program serialterm
        set -l lines ($program complete-line fish -- "$line" 2>/dev/null)
        set -g __serialterm_words $lines[2..-1]
        switch "$lines[1]"
            case words
                return 0
            case 'command*'
                set -g __serialterm_words (complete -C "$lines[2]")
                return 0
        end
        return 1
    end
    complete -c serialterm -n __serialterm_ask -k -f -a '$__serialterm_words'

    """#
}
