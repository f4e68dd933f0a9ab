/* SPDX-License-Identifier: MIT */
#include "coded.h"

#include <stdio.h>
#include <stdlib.h>

void coded_open(struct coded *coded, const struct genesis *genesis, const struct events *told, size_t room)
{
    *coded = (struct coded){ .decoder = decoder_create(genesis), .again = { malloc(room), 0, room } };
    coded->at = malloc(2 * room);
    decoder_told(coded->decoder, told);
}

void coded_close(struct coded *coded)
{
    decoder_free(coded->decoder);
    free(coded->again.at);
    free(coded->at);
}

/* The record in which the first byte that differs is. */
static const char *differ(struct coded *coded, const struct events *told, size_t at)
{
    for (const struct event *e = events_first(told); e != NULL; e = events_next(told, e)) {
        size_t from = (size_t)((const uint8_t *)e - told->at);

        if (at >= from + e->bytes) continue;
        (void)snprintf(coded->wrong, sizeof(coded->wrong),
                       "decoded: an event of kind %u differs at byte %zu: told %u, decoded %u", e->kind, at - from,
                       told->at[at], coded->again.at[at]);
        return coded->wrong;
    }
    return "decoded: more events than were told";
}

const char *coded_compare(struct coded *coded, const struct command *command, const struct events *told)
{
    struct encoding encoding = encode_begin(&coded->encoder, told);
    size_t          piece, at = 0;
    const char     *wrong;

    coded->bytes = 0;
    while ((piece = encode_next(&encoding, coded->at + coded->bytes, ENCODE_ROOM)) != 0) coded->bytes += piece;
    wrong = decode_command(coded->decoder, command, coded->at, coded->bytes, &coded->again);
    if (wrong != NULL) return wrong;
    while (at < told->len && at < coded->again.len && told->at[at] == coded->again.at[at]) at += 1;
    return at == told->len && at == coded->again.len ? NULL : differ(coded, told, at);
}
