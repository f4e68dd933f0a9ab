/* SPDX-License-Identifier: MIT */
/* print.c — dojima log: the log as text for people, a line per command, or as a
   scenario (scenario.h). Writes nothing, and reads beside a running exchange. */
#include "model/shape.h"
#include "app/cli/arguments.h"
#include "pipeline/blocks.h"
#include "wire/shape.h"
#include "diagnostics/program_log.h"
#include "app/cli/receipts.h"
#include "app/cli/scenario.h"
#include "app/cli/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char *const market_words[] = { "-", "spot", "perps" };
#define PRINTED_BYTES 65536 /* JSON of the largest command */

static const char *const mark_words[] = { "impersonated", "trader" };

struct printing {
    const struct genesis *genesis;
    uint64_t              first, last;
};

static void print_time(int64_t time_ms)
{
    time_t    seconds = (time_t)(time_ms / 1000);
    struct tm at;
    char      text[32];

    (void)gmtime_r(&seconds, &at);
    (void)strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &at);
    (void)printf("%s.%03dZ", text, (int)(time_ms % 1000));
}

static void print_bytes(const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) (void)printf("%02x", bytes[i]);
}

/* The JSON that a client would have signed. */
static void print_payload(const struct command *command)
{
    static char text[PRINTED_BYTES];
    struct out  out = out_make(text, sizeof(text));

    shape_write(&out, command_row(command->kind)->shape, command_payload(command), true);
    (void)printf("%.*s", (int)out.len, text);
}

/* Commands without JSON beside them in the log. */
static void print_unwritten(const struct genesis *genesis, const struct command *command)
{
    if (command_is_marked(command) && command_row(command->kind)->shape != NULL) print_payload(command);
    if (command->kind == CMD_TICK)
        (void)printf("{\"missed\":%s}",
                     ((const struct tick *)command_payload(command))->missed != 0 ? "true" : "false");
    if (command->kind == CMD_SET_INDEX) {
        const struct set_index *set = command_payload(command);
        bool                    known = set->symbol_id >= 1 && set->symbol_id <= genesis->perps_count;
        const struct name      *name = known ? &genesis->perps[set->symbol_id - 1].name : &(struct name){ 0 };

        (void)printf("{\"symbol\":\"%.*s\",\"price\":%ld}", (int)name->len, name->at, (long)set->price);
    }
}

/* SEQ TIME NAME SIDE SIGNER NONCE KEY TEXT */
static bool print_record(void *self, const struct log_record *record)
{
    const struct printing *printing = self;
    const struct command  *command = record->command;

    if (command->seq < printing->first) return true;
    if (command->seq > printing->last) return false;
    (void)printf("%lu ", (unsigned long)command->seq);
    print_time(command->time_ms);
    (void)printf(" %s %s ", command_name(command->kind),
                 command->market < ARRAY_COUNT(market_words) ? market_words[command->market] : "?");
    if (command->domain != 0) {
        (void)printf("0x");
        print_bytes(command->signer.bytes, sizeof(command->signer.bytes));
        if (command_is_marked(command)) (void)printf(" %s ", mark_words[(command->domain & COMMAND_BY_TRADER) != 0]);
        else (void)printf(" nonce %lu ", (unsigned long)command->nonce);
        if (command->key_id != 0) (void)printf("key %u ", command->key_id);
    }
    if (record->signed_bytes.len != 0)
        (void)printf("%.*s", (int)record->signed_bytes.len, (const char *)record->signed_bytes.at);
    else print_unwritten(printing->genesis, command);
    (void)printf("\n");
    return true;
}

static int print_lines(struct replay *replay, struct printing *printing)
{
    for (;;) {
        struct log_cursor cursor = { 0, 0 };
        struct log_record record;
        bool              there;
        int               code = replay_follow(replay, &there);

        if (code != EXIT_FINE || !there) return code;
        while (log_batch_next(&replay->batch, &cursor, &record))
            if (!print_record(printing, &record)) return EXIT_FINE;
    }
}

/* The log's first record (decision 005), which dojima_genesis_read of libdojima takes as it is. */
static int print_genesis(const struct replay *replay)
{
    (void)printf("%.*s\n", (int)replay->genesis_json.len, (const char *)replay->genesis_json.at);
    return EXIT_FINE;
}

static int print_log(const char *path, bool scenario, bool receipts, bool genesis_alone, struct printing *printing)
{
    const struct log_settings options = { .file_bytes = 8 << 20,
                                          .read_only = true }; /* the size is that of a log to be made */
    struct genesis           *genesis = calloc(1, sizeof(*genesis));
    struct replay             replay;
    int                       code;

    assert(genesis != NULL);
    printing->genesis = genesis;
    code = replay_open(&replay, path, DISK_BESIDE, &options, NULL);
    if (code == EXIT_FINE) code = replay_genesis(&replay, genesis);
    if (code == EXIT_FINE && genesis->development != 0) code = replay_find_branches(&replay);
    if (code == EXIT_FINE)
        code = genesis_alone ? print_genesis(&replay)
             : scenario      ? scenario_print(&replay, genesis, printing->last)
             : receipts      ? receipts_print(&replay, genesis, printing->first, printing->last)
                             : print_lines(&replay, printing);
    replay_close(&replay);
    free(genesis);
    return code;
}

int command_log(int argc, char **argv)
{
    struct printing printing = { NULL, 1, UINT64_MAX };
    bool            scenario = false, receipts = false, genesis = false;
    /* clang-format off */
    const struct argument  rows[] = {
        { "from", ARGUMENT_U64, UINT64_MAX, &printing.first, "SEQ",
          "The first command that is printed; a scenario begins at the beginning." },
        { "to",       ARGUMENT_U64,  UINT64_MAX, &printing.last,  "SEQ", "The last one." },
        { "scenario", ARGUMENT_FLAG, 0, &scenario, "",
          "As a scenario for tests/scenarios, with the outcome of each command." },
        { "receipts", ARGUMENT_FLAG, 0, &receipts, "",
          "A line per stage of each liquidation instead; see also `dojima explain-liquidation`." },
        { "genesis", ARGUMENT_FLAG, 0, &genesis, "",
          "Only the genesis, as JSON: what libdojima makes an engine from." },
    };
    /* clang-format on */
    const struct arguments arguments = {
        "log", "DIR", "Prints the log of a data folder, a line per command.", rows, ARRAY_COUNT(rows), NULL
    };
    int operand, code;

    if (!arguments_read(&arguments, argc, argv, &operand, &code)) return code;
    if (scenario && receipts) return complain(EXIT_USAGE, "log: --scenario or --receipts, not both");
    if (scenario && printing.first != 1)
        return complain(EXIT_USAGE, "log: a scenario begins with the first command, --from has no place in it");
    log_init(false);
    return print_log(argv[operand], scenario, receipts, genesis, &printing);
}
