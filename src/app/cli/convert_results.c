/* SPDX-License-Identifier: MIT */
#include "app/cli/convert_results.h"

#include "app/cli/scenario.h"
#include "diagnostics/program_log.h"

#include <stdio.h>

#define HASH_TEXT 16 /* of the events, as a scenario has it: 8 bytes in hex */

static int wrong_file(const struct results *results, const char *what)
{
    return complain(EXIT_DAMAGE, "%s is not what `dojima log --scenario` prints of this log: %s", results->path, what);
}

/* The line begins with `prefix`, which is taken off. */
static bool take_prefix(struct slice *line, const char *prefix)
{
    size_t len = strlen(prefix);

    if (line->len < len || memcmp(line->at, prefix, len) != 0) return false;
    *line = slice_make(line->at + len, line->len - len);
    return true;
}

int results_open(struct results *results, const char *path, struct slice genesis_json)
{
    struct slice line;
    int          error;

    *results = (struct results){ .path = path };
    if (path == NULL) return EXIT_FINE;
    error = lines_open(&results->lines, path);
    if (error != 0) return complain(EXIT_GENERAL, "%s cannot be read: %s", path, strerror(error));
    if (!lines_next(&results->lines, &line) || !take_prefix(&line, "genesis "))
        return wrong_file(results, "it does not begin with a genesis");
    return slice_equal(line, genesis_json) ? EXIT_FINE : wrong_file(results, "its genesis is another one");
}

void results_close(struct results *results)
{
    lines_close(&results->lines);
    *results = (struct results){ 0 };
}

/* Reads "# SEQ CAUSE" and "command …". */
static bool find_command(struct results *results, const struct log_record *record)
{
    char         seq[32];
    struct slice line;

    (void)snprintf(seq, sizeof(seq), "# %lu ", (unsigned long)record->command->seq);
    if (!lines_next(&results->lines, &line) || !take_prefix(&line, seq) || !slice_equal(line, record->signed_bytes))
        return false;
    return lines_next(&results->lines, &line) && take_prefix(&line, "command ")
        && take_prefix(&line, command_name(record->command->kind));
}

/* Reads the results up to "  told COUNT HASH"; `then` gets them line by line. */
static bool read_results(struct results *results, struct out *then, char hash[HASH_TEXT])
{
    struct slice line;

    while (lines_next(&results->lines, &line)) {
        struct slice rest = line;

        if (take_prefix(&rest, "  told ")) {
            if (rest.len < HASH_TEXT) return false;
            memcpy(hash, rest.at + rest.len - HASH_TEXT, HASH_TEXT);
            return !then->overflow;
        }
        if (rest.len < 2 || rest.at[0] != ' ') return false;
        out_bytes(then, line.at, line.len);
        out_char(then, '\n');
    }
    return false;
}

static void print_difference(const struct command *command, const struct out *then, const struct out *now, bool same)
{
    (void)printf("command %lu %s:", (unsigned long)command->seq, command_name(command->kind));
    if (same) (void)printf(" the same result with other effects\n");
    else (void)printf(" then\n%.*snow\n%.*s", (int)then->len, then->at, (int)now->len, now->at);
}

static void count_difference(struct results *results, const struct results_command *command, const struct out *then,
                             const struct out *now)
{
    bool same = slice_equal(out_slice(then), out_slice(now));

    if (same && command->record->command->kind == CMD_TICK && !command->is_transaction) {
        results->ticks += 1;
        return;
    }
    results->others += !same;
    results->effects += same;
    print_difference(command->record->command, then, now, same);
}

int results_compare(struct results *results, const struct results_command *command)
{
    static char    then_text[SCENARIO_RESULTS_MAX], now_text[SCENARIO_RESULTS_MAX];
    struct out     then = out_make(then_text, sizeof(then_text)), now = out_make(now_text, sizeof(now_text));
    struct hash256 hash = keccak256(command->as_before->at, command->as_before->len);
    char           hash_then[HASH_TEXT], hash_now[HASH_TEXT];
    struct out     hex = out_make(hash_now, sizeof(hash_now));

    if (results->lines.file == NULL) return EXIT_FINE;
    if (!find_command(results, command->record)) return wrong_file(results, "it has other commands");
    if (!read_results(results, &then, hash_then)) return wrong_file(results, "the results of a command cannot be read");
    scenario_results(&now, command->now);
    out_hex(&hex, hash.bytes, HASH_TEXT / 2);
    assert(!now.overflow && hex.len == HASH_TEXT);
    if (memcmp(hash_then, hash_now, HASH_TEXT) != 0 || !slice_equal(out_slice(&then), out_slice(&now)))
        count_difference(results, command, &then, &now);
    return EXIT_FINE;
}

int results_end(struct results *results)
{
    struct slice line;

    if (results->lines.file == NULL) return EXIT_FINE;
    return lines_next(&results->lines, &line) && take_prefix(&line, "state ")
             ? EXIT_FINE
             : wrong_file(results, "it does not end with the log");
}
