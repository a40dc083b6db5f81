/* trusted.c: prints those lines of stdin whose words (separated by tabs) a record in the folder
 * that argv[1] names may give to the compiler. */
#include <stdio.h>
#include <string.h>
#include "tool/instrument/trust.h"

int main(int argc, char **argv)
{
    char line[8192];
    TrustRules rules = {.folder = argc > 1 ? argv[1] : "."};
    while (fgets(line, sizeof line, stdin)) {
        Words words = {0};
        Buffer refused = {0};
        char copy[8192];
        line[strcspn(line, "\n")] = 0;
        strcpy(copy, line);
        for (char *word = strtok(copy, "\t"); word; word = strtok(NULL, "\t"))
            vec_push(&words, word);
        if (words.count && trust_words(&rules, &words, &refused))
            puts(line);
        vec_free(&refused);
        vec_free(&words);
    }
    return 0;
}
