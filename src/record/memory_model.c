#include "record/memory_model.h"
#include <string.h>

static const char *const words[MODEL_COUNT] = {
#define X(NAME, word, ...) [MODEL_##NAME] = #word,
    MEMORY_MODELS(X)
#undef X
};

const char *model_word(uint32_t model)
{
    return model < MODEL_COUNT ? words[model] : "?";
}

bool model_from_word(const char *word, uint32_t *model)
{
    for (uint32_t i = 0; i < MODEL_COUNT; i++)
        if (!strcmp(word, words[i])) {
            *model = i;
            return true;
        }
    return false;
}

AssemblyMeaning model_assembly(uint32_t model)
{
    static const AssemblyMeaning meanings[MODEL_COUNT] = {
#define X(NAME, word, interleaved, synchronises, races, assembly, ...) [MODEL_##NAME] = assembly,
        MEMORY_MODELS(X)
#undef X
    };
    ASSERT(model < MODEL_COUNT);
    return meanings[model];
}
