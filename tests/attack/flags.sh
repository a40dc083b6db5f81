# Every option that the compilers and the linker tell of themselves, alone, with a value, and with a value
# in the next word: those that a record may use must neither run nor load what they name nor write a file.
# The judge is the compiler itself: each word that is allowed is given to it, in an empty folder.
{
    for cc in gcc g++ clang clang++; do
        command -v $cc >/dev/null || continue
        $cc --help; $cc --help -v
        case $cc in
        g*) for class in common optimizers target warnings params c c++ joined separate undocumented; do $cc --help=$class; done ;;
        *) $cc --help-hidden; $cc -cc1 --help ;;
        esac
    done
    ld --help; as --help
} 2>/dev/null </dev/null | grep -oE '(^|[ ,\[(|])--?[A-Za-z][A-Za-z0-9_+-]*=?' | sed 's/^[^-]*//' | LC_ALL=C sort -u >words
# evil.so as a shared object whose loading leaves a mark; evil as a program that does
printf '#!/bin/sh\ntouch %s/pwned\n' "$PWD" >evil; chmod +x evil
printf '#include <stdlib.h>\n__attribute__((constructor)) static void loaded(void) { exit(system("touch %s/pwned")); }\n' "$PWD" >evil.c
gcc -shared -fPIC -o evil.so evil.c
awk -v "here=$PWD" '{
    word = $0; sub(/=$/, "", word)
    print word
    split("evil evil.so mark 1 all " here "/evil " here "/evil.so |" here "/evil", values, " ")
    for (i in values) { print word "=" values[i]; print word values[i]; print word "\t" values[i] }
    print "-Wl," word; print "-Wl," word "=mark"; print "-Wl," word ",mark"; print "-Wa," word; print "-Wp," word ",mark"
    print "-Xlinker\t" word; print "-Xlinker\t" word "=mark"; print "-mllvm\t" word
}' words >candidates
"$work/trusted" . <candidates | LC_ALL=C sort -u >allowed
total=$(wc -l <words); every=120; [ -n "${HEDDLE_NIGHTLY:-}" ] && every=1
[ "$total" -gt 500 ] && echo "ok flags: $total options, $(wc -l <candidates) words, $(wc -l <allowed) of them allowed" || echo "FAIL flags: the compilers tell of $total options only"
mkdir scene; echo 'int main(void) { return 0; }' >scene/p.c; cd scene || exit 2
number=0; tried=0; bad=0
while IFS=$'\t' read -ra words; do
    number=$((number + 1)); [ $((number % every)) = 0 ] || continue
    for cc in gcc clang; do
        command -v $cc >/dev/null || continue
        tried=$((tried + 1))
        # -S as when a program is built, then the link
        timeout 20 $cc "${words[@]}" -S -o ../out.s p.c >/dev/null 2>&1 </dev/null
        case ${words[0]} in -f*|-m*|-Wl*|-l*|-L*|-X*) timeout 20 $cc -o ../out p.c "${words[@]}" >/dev/null 2>&1 </dev/null ;; esac
        if [ "$(ls -A)" != p.c ] || [ -e ../pwned ]; then
            echo "FAIL flags: $cc ${words[*]}: $(ls -A | tr '\n' ' ') $(ls ../pwned 2>/dev/null)"; bad=$((bad + 1))
            find . ! -name p.c -type f -delete; rm -f ../pwned
        fi
    done
done <../allowed
[ $bad = 0 ] && [ $tried -gt 10 ] && echo "ok flags: $tried compilations with allowed words write nothing and run nothing"
