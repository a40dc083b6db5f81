#include "guest/explore/graph/models/client_internal.h"
#include "guest/runtime/pages.h"

Client client;

static bool number_events(void)
{
    client.n = 0;
    for (ThreadSet left = threads_created; left; left &= left - 1) {
        int t = thread_first(left);
        client.base[t] = client.n;
        if (client.n + threads[t].count > CLIENT_EVENTS)
            return false;
        for (int i = 0; i < threads[t].count; i++)
            client.at[client.n++] = thread_event(t, i);
    }
    client.words = (client.n + 63) / 64;
    return true;
}

void client_find_locations(void)
{
    if (location_count >= client.location_room) {
        client.location_room = 2 * location_count + 64;
        client.locations = pages_alloc(sizeof(ClientSet) * client.location_room);
    }
    for (LocationId l = 0; l <= location_count; l++)
        client_clear(client_location(l));
    for (int i = 0; i < client.n; i++)
        if (IS_ACCESS(client.at[i]->kind))
            client_add(client_location(client.at[i]->location), i);
}

bool model_client_begin(const EventId *calls, const EventId *returns, uint32_t count)
{
    const ModelClient *model = model_client();
    if (!model->begin || count > MODEL_CLIENT_MOST || !number_events())
        return false;
    model->begin(calls, returns, count);
    return true;
}

bool model_client_own_pairs(const EventId *calls, const EventId *returns, uint32_t count,
                            uint32_t *bad)
{
    const ModelClient *model = model_client();
    if (!model->own_pairs || count > MODEL_CLIENT_MOST)
        return false;
    model->own_pairs(calls, returns, count, bad);
    return true;
}

bool model_client_allows(const uint32_t *after, const uint32_t *added)
{
    return model_client()->allows(after, added);
}

ModelClientSummary model_client_summary(void)
{
    return model_client()->summary();
}
