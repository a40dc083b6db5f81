# zsh -f complete.zsh FOLDER LINE: prints what an interactive zsh shows when Tab is pressed behind LINE. The
# completions lie in FOLDER.
zmodload zsh/zpty || exit 3
zpty shell zsh -f -i
zpty -w shell "PS1= RPS1= TERM=dumb; fpath=($1 \$fpath); autoload -Uz compinit && compinit -u -D; setopt no_beep; print READY"
local line out=
for i in {1..100}; do zpty -r -m shell line '*READY*' && break; sleep 0.1; done
zpty -w -n shell "$2"$'\t'
for i in {1..40}; do
    while zpty -r -t shell line; do out+=$line; done
    [[ $out == *"$3"* ]] && break
    sleep 0.1
done
print -r -- "$out"
zpty -d shell
