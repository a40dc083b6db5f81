# Help, suggestions and completion: what a person types first.
heddle=$PWD/build/heddle; root=$PWD
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
same() { if [ "$2" = "$3" ]; then echo "ok command line: $1"; else echo "FAIL command line: $1: $3, not $2"; fi; }
commands=$(sed -n 's/^    X(\([a-z]*\), .*/\1/p' src/tool/cli/commands.h)
for command in $commands; do
    "$heddle" "$command" --help >"$work/long" 2>&1; same "$command --help" 0 $?
    "$heddle" "$command" -h >"$work/short" 2>&1
    "$heddle" help "$command" >"$work/help" 2>&1
    cmp -s "$work/long" "$work/short" && cmp -s "$work/long" "$work/help" && echo "ok command line: heddle help $command" || echo "FAIL command line: heddle help $command differs from --help"
    "$heddle" "$command" --no-such-option >/dev/null 2>&1; same "$command --no-such-option" 2 $?
done
same 'did you mean an option' 'heddle: there is no --modle; did you mean --model?' "$("$heddle" run --modle=sc x.c 2>&1 | tail -n 1)"
same 'an option of another command' "heddle: --shape is an option of \`heddle check'" "$("$heddle" run --shape=2x2 x.c 2>&1 | tail -n 1)"
same 'an option that is right is not suggested' '' "$("$heddle" run --model=nosuch x.c 2>&1 | grep 'did you mean')"
same 'did you mean a command' "heddle: unknown command \`chekc'; did you mean \`check'?" "$("$heddle" chekc 2>&1)"
# each option that the manual page of a command names is completed, in every shell
for shell in bash zsh fish; do "$heddle" completion $shell >"$work/$shell" 2>&1 || echo "FAIL completion $shell"; done
for command in run check weaken repair prove refine replay report; do
    "$heddle" "$command" --help | grep -oE '^ +(-., )?--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u >"$work/wanted"
    grep -E "^    $command\\)" "$work/bash" | grep -oE -- '--[a-z-]+' | sort -u | diff - "$work/wanted" >"$work/difference" && echo "ok completion: bash, $command" || echo "FAIL completion: bash, $command: $(cat "$work/difference")"
    grep "__fish_seen_subcommand_from $command'" "$work/fish" | grep -oE -- ' -l [a-z-]+' | sed 's/ -l /--/' | sort -u | diff - "$work/wanted" >"$work/difference" && echo "ok completion: fish, $command" || echo "FAIL completion: fish, $command: $(cat "$work/difference")"
done
# in the shells themselves
bash -n "$work/bash" && complete=$(bash -c '. "$1"; COMP_WORDS=(heddle run --mod); COMP_CWORD=2; _heddle 2>/dev/null; echo "${COMPREPLY[*]}"' _ "$work/bash")
same 'bash completes an option' '--model=' "$complete"
complete=$(bash -c '. "$1"; COMP_WORDS=(heddle rep); COMP_CWORD=1; _heddle 2>/dev/null; echo "${COMPREPLY[*]}"' _ "$work/bash")
same 'bash completes a command' 'repair replay report' "$complete"
if command -v zsh >/dev/null; then
    mkdir "$work/functions"; cp "$work/zsh" "$work/functions/_heddle"
    zsh_completes() { # NAME LINE EXPECTED
        local got; got=$(timeout 30 zsh -f tests/helpers/complete.zsh "$work/functions" "$2" "$3" 2>&1)
        case $got in *"$3"*) echo "ok command line: zsh completes $1" ;; *) echo "FAIL command line: zsh completes $1: $got" ;; esac
    }
    zsh_completes 'an option' 'heddle run --mod' 'heddle run --model='
    zsh_completes 'a command' 'heddle hist' 'heddle history '
else echo "skip completion: no zsh here"; fi
if command -v fish >/dev/null; then
    same 'fish completes a command' history "$(fish -c "source $work/fish; complete -C'heddle hist'" | cut -f1)"
    same 'fish completes an option' '--model' "$(fish -c "source $work/fish; complete -C'heddle run --mod'" | cut -f1)"
else echo "skip completion: no fish here"; fi
# hooks: a mistake is an error that lists what there is
HEDDLE_DEBUG=validate,valdate=1 "$heddle" run x.c >/dev/null 2>"$work/hooks"; same 'an unknown hook' 2 $?
same 'an unknown hook lists the others' "heddle: HEDDLE_DEBUG: there is no key \`valdate'; the keys are validate" "$(sed 's/\(are [a-z]*\) .*/\1/' "$work/hooks")"
"$heddle" completion tcsh >/dev/null 2>&1; same 'an unknown shell' 2 $?
: "$root"
