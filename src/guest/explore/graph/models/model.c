/* model.c: from the row of options.model in record/memory_model.h to its algorithms. */
#include "guest/explore/graph/models/client.h"

bool model_consistent(Event *e, Event *r)
{
    switch ((MemoryModel)options.model) {
#define X(NAME, word, ...)                                                                         \
    case MODEL_##NAME:                                                                             \
        return model_##word##_consistent(e, r);
        MEMORY_MODELS(X)
#undef X
    case MODEL_COUNT:
        break;
    }
    die("internal error: there is no memory model %u", options.model);
}

bool model_allows_edges(const ModelEdge *edges, int count)
{
    switch ((MemoryModel)options.model) {
#define X(NAME, word, ...)                                                                         \
    case MODEL_##NAME:                                                                             \
        return model_##word##_allows_edges(edges, count);
        MEMORY_MODELS(X)
#undef X
    case MODEL_COUNT:
        break;
    }
    die("internal error: there is no memory model %u", options.model);
}

const ModelClient *model_client(void)
{
    static const ModelClient *const clients[MODEL_COUNT] = {
#define X(NAME, word, ...) [MODEL_##NAME] = &model_##word##_client,
        MEMORY_MODELS(X)
#undef X
    };
    ASSERT(options.model < MODEL_COUNT);
    return clients[options.model];
}
