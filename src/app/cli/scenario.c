/* SPDX-License-Identifier: MIT */
#include "app/cli/scenario.h"

#include "io/signals.h"
#include "pipeline/held.h"
#include "diagnostics/program_log.h"

#include <stdio.h>
#include <stdlib.h>

static void print_hex(const void *bytes, size_t len)
{
    const uint8_t *at = bytes;

    for (size_t i = 0; i < len; i++) (void)printf("%02x", at[i]);
}

/* command KIND MARKET TIME DOMAIN CHAIN NONCE TAG SIGNER KEY PAYLOAD */
static void print_command(const struct command *command, struct slice cause)
{
    (void)printf("# %lu %.*s\n", (unsigned long)command->seq, (int)cause.len,
                 cause.len == 0 ? "" : (const char *)cause.at);
    (void)printf("command %s %u %ld %u %lu %lu %lu ", command_name(command->kind), command->market,
                 (long)command->time_ms, command->domain, (unsigned long)command->chain_id,
                 (unsigned long)command->nonce, (unsigned long)command->payload_tag);
    print_hex(command->signer.bytes, sizeof(command->signer.bytes));
    (void)printf(" %u ", command->key_id);
    print_hex(command_payload(command), command->bytes - sizeof(*command));
    (void)printf("\n");
}

static void write_result(struct out *out, const struct result *result)
{
    char text[128];

    (void)snprintf(text, sizeof(text), "  result %u %s", result->index,
                   result->reject == REJECT_NONE ? "ok" : reject_row((enum reject)result->reject)->name);
    out_text(out, text);
    if (result->order_id != 0) {
        out_text(out, " #");
        out_u64(out, result->order_id);
    }
    if (result->reject == REJECT_NONE && result->status != 0) {
        out_char(out, ' ');
        out_text(out, enum_name_of(order_status_names, result->status));
    }
    out_char(out, '\n');
}

void scenario_results(struct out *out, const struct events *events)
{
    for (const struct event *event = events_first(events); event != NULL; event = events_next(events, event)) {
        if (event->kind == EVENT_RESULT) write_result(out, (const struct result *)(const void *)event);
        if (event->kind != EVENT_REFUSED) continue;
        out_text(out, "  refused ");
        out_text(out, reject_row((enum reject)((const struct refused *)(const void *)event)->reject)->name);
        out_char(out, '\n');
    }
}

/* The summary for people, and a hash of the state. */
static void print_events(const struct events *events)
{
    static char    text[SCENARIO_RESULTS_MAX];
    struct out     out = out_make(text, sizeof(text));
    struct hash256 hash = keccak256(events->at, events->len);
    uint32_t       count = 0;

    scenario_results(&out, events);
    assert(!out.overflow);
    for (const struct event *event = events_first(events); event != NULL; event = events_next(events, event)) count++;
    (void)printf("%.*s  told %u ", (int)out.len, text, count);
    print_hex(hash.bytes, 8);
    (void)printf("\n");
}

/* *code EXIT_FINE and false: the last command has been printed. */
static bool print_batch(struct held *held, const struct log_batch *batch, uint64_t last, int *code)
{
    struct log_cursor cursor = { 0, 0 };
    struct log_record record;

    while (log_batch_next(batch, &cursor, &record)) {
        if (record.command->seq > last) return false;
        if (!held_apply(held, record.command)) {
            *code = complain(EXIT_GENERAL, "not enough memory for the limits that command %lu raises",
                             (unsigned long)record.command->seq);
            return false;
        }
        print_command(record.command, record.signed_bytes);
        print_events(&held->events);
    }
    return true;
}

static int print_all(struct replay *replay, struct held *held, uint64_t last)
{
    for (;;) {
        bool there;
        int  code = replay_follow(replay, &there);

        if (code != EXIT_FINE) return code;
        if (!there || !print_batch(held, &replay->batch, last, &code)) return code;
        if (signals_wait(0) != 0) return EXIT_STOPPED;
    }
}

int scenario_print(struct replay *replay, const struct genesis *genesis, uint64_t last)
{
    struct held *held = malloc(sizeof(*held));
    int          code = EXIT_GENERAL;

    assert(held != NULL);
    if (!held_open(held, genesis)) (void)complain(EXIT_GENERAL, "not enough memory");
    else {
        (void)printf("genesis %.*s\n", (int)replay->genesis_json.len, (const char *)replay->genesis_json.at);
        code = print_all(replay, held, last);
        if (code == EXIT_FINE) {
            struct hash256 state = engine_hash(held->engine);
            (void)printf("state ");
            print_hex(state.bytes, sizeof(state.bytes));
            (void)printf("\n");
        }
    }
    held_close(held);
    free(held);
    return code;
}
