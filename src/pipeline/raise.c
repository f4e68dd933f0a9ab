/* SPDX-License-Identifier: MIT */
#include "pipeline/raise.h"

#include "model/enums.h"
#include "model/operator.h"
#include "diagnostics/program_log.h"

/*
 * Refused before the log, with a RESULT as the engine would give one: the requested places, and the bytes that they
 * need.
 */
static void refuse(struct server *server, const struct write_message *message, const struct exchange_lack *lack)
{
    struct {
        struct reply_message head;
        struct result        result;
    } reply = { 0 };

    reply.head.origin = message->origin;
    reply.head.reply_bytes = message->reply_bytes;
    reply.head.events_bytes = sizeof(reply.result);
    reply.result.head = (struct event){ .kind = EVENT_RESULT, .bytes = sizeof(reply.result) };
    reply.result.reject = REJECT_CAPACITY;
    reply.result.field = FIELD_VALUE;
    reply.result.said = SAID_GOT | SAID_NEED;
    reply.result.got = decimal_make(lack->places, 0);
    reply.result.need = decimal_make((int64_t)min_u64(lack->wanted, INT64_MAX), 0);
    server_answer(server, &reply.head);
}

bool raise_fits(void *self, const struct write_message *message)
{
    struct server       *server = self;
    struct exchange_lack lack;

    if (exchange_reserve(&server->exchange, (const struct command *)(const void *)(message + 1), &lack)) return true;
    log_line(LOG_ERROR, "the pool %s is not raised to %u places: all pools would need %lu bytes of memory, and %s",
             enum_name_of(limit_pool_names, lack.pool), lack.places, (unsigned long)lack.wanted,
             lack.has == 0 ? "the system does not give them" : "the machine or its control group has less");
    refuse(server, message, &lack);
    return false;
}
