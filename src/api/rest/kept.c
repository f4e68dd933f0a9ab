/* SPDX-License-Identifier: MIT */
/* kept.c — answers that are kept encoded. */
#include "api/rest/kept.h"

bool statistic_key_equal(const struct statistic_key *a, const struct statistic_key *b)
{
    return a->statistic == b->statistic && a->market == b->market && a->interval == b->interval
        && a->symbol_id == b->symbol_id && a->first == b->first && a->last == b->last;
}

struct statistic_slot *statistic_slot_of(struct statistics *statistics, const struct statistic_key *key)
{
    uint64_t question = (uint64_t)key->symbol_id << 32 ^ (uint64_t)key->statistic << 24 ^ (uint64_t)key->interval << 16
                      ^ (uint64_t)key->market << 12 ^ (uint64_t)(key->last - key->first);

    struct statistic_slot *slot = &statistics->slots[(question * UINT64_C(0x9e3779b97f4a7c15)) >> 59];

    if (slot->epoch != statistics->epoch) slot->key.statistic = 0;
    slot->epoch = statistics->epoch;
    return slot;
}
static_assert(STATISTIC_SLOTS == 1 << (64 - 59), "statistic_slot_of takes the upper bits");

void answer_kept(struct call *call, char *bytes, size_t len)
{
    char       text[KEPT_ENVELOPE];
    struct out head = out_make(text, sizeof(text)), end = out_make(bytes + len, 1);

    envelope_begin(&head, call->context->now_ms);
    envelope_end(&end);
    assert(!head.overflow && !end.overflow);
    memcpy(bytes - head.len, text, head.len);
    call->answer->kept = slice_make(bytes - head.len, head.len + len + end.len);
    call->answer->kept_room = (uint32_t)min_size(HTTP_HEAD_ROOM, KEPT_HEAD - head.len);
}

void answer_rows(struct call *call, const struct statistic_key *key, uint64_t version, uint32_t first, uint32_t end,
                 void (*row)(struct call *call, uint32_t id))
{
    struct statistic_slot *slot = statistic_slot_of(&call->api->statistics, key);
    struct out            *body = call->body;
    size_t                 at;

    if (statistic_key_equal(&slot->key, key) && slot->version == version) {
        answer_kept(call, slot->bytes, slot->len);
        return;
    }
    envelope_begin(body, call->context->now_ms);
    at = body->len;
    out_char(body, '[');
    for (uint32_t id = first; id < end; id++) row(call, id);
    out_char(body, ']');
    if (!body->overflow && body->len - at < sizeof(slot->bytes)) {
        slot->key = *key;
        slot->version = version;
        slot->len = (uint32_t)(body->len - at);
        memcpy(slot->bytes, body->at + at, slot->len);
    }
    envelope_end(body);
}
