/* SPDX-License-Identifier: MIT */
/*
 * start_state.c — the start's first half: log, genesis, history and snapshot of the folder become the state that the
 * last run ended with.
 */
#include "app/start_state.h"

#include "io/files.h"
#include "io/process.h"
#include "app/config.h"
#include "app/going_back.h"
#include "diagnostics/program_log.h"
#include "pipeline/restore.h"
#include "pipeline/verify_state.h"

#include <errno.h>
#include <stdio.h>

/* Bars of the time before the beginning belong to the beginning: a folder has those that it began with. */
static int check_backfill(const struct instance *instance)
{
    uint32_t wanted = instance->options.genesis->backfill_minutes, has = instance->genesis.backfill_minutes;

    if (wanted == 0 || wanted == has) return EXIT_FINE;
    return complain(
        EXIT_CONFIG,
        "%s began with %u minutes of history, and --history asks for %u: leave it out, or begin a new folder",
        instance->options.folder, has, wanted);
}

/* The log's genesis decides; a configuration that differs from it is refused (serve only). */
static int check_genesis(struct instance *instance)
{
    const struct options *options = &instance->options;
    char                  path[256];
    int                   code = replay_genesis(&instance->replay, &instance->genesis);

    if (code != EXIT_FINE) return code;
    if (!options->production && instance->genesis.development == 0)
        return complain(EXIT_CONFIG, "%s is not the folder of a development exchange", options->folder);
    if (!options->production) return check_backfill(instance);
    if (!genesis_difference(options->genesis, &instance->genesis, path, sizeof(path))) return EXIT_FINE;
    if (options->cluster != NULL)
        return complain(EXIT_CONFIG,
                        "the log that [log] url names was begun with another configuration: %s differs; configure all "
                        "nodes of a log alike, or name another database",
                        path);
    return complain(EXIT_CONFIG, "%s was begun with another configuration: %s differs", options->folder, path);
}

static void report_damaged_history(void)
{
    log_line(LOG_ERROR, "the history store is damaged: reads that meet the damage are answered 50001; it is made anew "
                        "from the log at the next start");
}

static int open_history(struct instance *instance)
{
    char           path[4096];
    struct hash256 id = keccak256(instance->replay.genesis_json.at, instance->replay.genesis_json.len);
    struct slice   boot_id = files_boot_id();
    int            error;

    if (boot_id.len == 0)
        log_line(LOG_WARN, "/proc/sys/kernel/random/boot_id cannot be read: a history that was not closed in order is "
                           "made anew from the log, also when only this process was killed");
    (void)snprintf(path, sizeof(path), "%s/history", instance->options.folder);
    error = history_open(path, &id, boot_id, &instance->history);
    if (error == ENOMEM) return complain(EXIT_GENERAL, "not enough memory for the history in %s", path);
    if (error != 0) return complain(EXIT_DISK, "the history in %s cannot be opened: %s", path, strerror(error));
    if (history_thrown_away(instance->history) != NULL)
        log_line(LOG_WARN, "the history store in %s is not used (%s); it is made anew from the log", path,
                 history_thrown_away(instance->history));
    if (history_went_back(instance->history))
        log_line(LOG_INFO,
                 "the disk may lack pages of the history store in %s (the machine went down, or the disk refused "
                 "them); it goes on behind command %lu, up to which it was kept",
                 path, (unsigned long)history_seq(instance->history));
    history_on_damage(instance->history, report_damaged_history);
    return EXIT_FINE;
}

static bool has_backfill(const void *self, uint8_t market, uint32_t symbol_id)
{
    return backfill_has(self, market, symbol_id);
}

static void copy_backfill(const void *self, const struct history_bars_query *query, struct bar *bars)
{
    backfill_bars(self, query->market, query->symbol_id, query->interval, query->first, query->last, bars);
}

/* Development only: bars of the time before the beginning, when the genesis has them. */
static int open_backfill(struct instance *instance)
{
    const struct genesis  *genesis = &instance->genesis;
    const struct backfill *backfill;

    if (genesis->backfill_minutes == 0) return EXIT_FINE;
    instance->backfill_memory = files_take_memory(backfill_bytes(genesis));
    if (instance->backfill_memory == NULL)
        return complain(EXIT_GENERAL, "not enough memory for the candles before the beginning");
    backfill = backfill_make(genesis, instance->backfill_memory);
    instance->backfill = (struct history_backfill){ .self = backfill,
                                                    .first_ms = backfill_first_ms(backfill),
                                                    .end_ms = backfill_end_ms(backfill),
                                                    .has = has_backfill,
                                                    .copy = copy_backfill };
    history_set_backfill(instance->history, &instance->backfill);
    return EXIT_FINE;
}

static void report_torn(const struct instance *instance)
{
    const struct log_report *report = &instance->replay.report;

    if (report->warning[0] != '\0') log_line(LOG_WARN, "%s", report->warning);
    if (!report->torn) return;
    log_line(LOG_WARN,
             "the tail of the log was torn: %lu bytes cut at %s offset %lu, after command %lu; nothing that was "
             "answered is lost",
             (unsigned long)report->torn_bytes, report->torn_file, (unsigned long)report->torn_at,
             (unsigned long)report->torn_after_seq);
}

/* ---- is the history that of this log ---- */

/* Whether the history holds this block, and no other one up to command `seq`. Damage is the reader's to report. */
static bool holds_last(struct history *history, const struct log_applied *last, uint64_t seq, uint64_t *number)
{
    struct history_block block;
    int                  found = last->number != 0 ? history_block_at(history, last->number, &block) : 1;

    *number = last->number;
    if (found < 0) return true;
    if (found == 0 || (last->number != 0 && !hash256_equal(&block.hash, &last->hash))) return false;
    *number += 1;
    return history_block_at(history, *number, &block) <= 0 || block.last_seq > seq;
}

/*
 * Where the history ends, before anything is added to it: the log must have come to the history's last block. Two
 * copies of a folder that went on apart have the same genesis, and agree in nothing behind their parting.
 */
static int compare_history(struct instance *instance)
{
    const struct exchange *exchange = &instance->server.exchange;
    uint64_t               number;

    instance->replay.comes = NULL;
    if (exchange->history_seq == 0
        || holds_last(exchange->history, &exchange->blocks.applied, exchange->history_seq, &number))
        return EXIT_FINE;
    return complain(EXIT_DAMAGE,
                    "%s: the history holds another block %lu than the log comes to: one of the two is of another copy "
                    "(remove the history to go on with this log)",
                    instance->options.folder, (unsigned long)number);
}

static int before_batch(void *self, const struct log_batch *batch)
{
    struct instance *instance = self;

    if (batch->first_seq + batch->count <= instance->server.exchange.history_seq + 1) return EXIT_FINE;
    return compare_history(instance);
}

/*
 * The newest snapshot and the log behind it, or the log from its first command; rows that the history has already are
 * not made again.
 */
static int catch_up(struct instance *instance)
{
    struct exchange *exchange = &instance->server.exchange;
    struct log_mark  place;
    int              code = EXIT_FINE;

    code = going_back_look(instance);
    if (code != EXIT_FINE) return code;
    if (instance->options.from_genesis || instance->replay.branches.count != 0)
        exchange_begin(exchange, instance->replay.genesis_json);
    else code = restore_newest(&instance->replay, exchange, history_seq(instance->history), &place);
    if (code != EXIT_FINE) return code;
    exchange->history = instance->history;
    exchange->history_seq = history_seq(instance->history);
    replay_tell_log(&instance->replay, history_knows(instance->history));
    instance->replay.comes = before_batch;
    instance->replay.comes_self = instance;
    code = replay_run(&instance->replay, exchange, NULL, NULL);
    return code == EXIT_FINE && instance->replay.comes != NULL ? compare_history(instance) : code;
}

/* Memory that is touched at the start must be there; the system would end the process in the middle of it. */
static int check_memory(const struct instance *instance, const struct genesis *room)
{
    uint64_t needed = exchange_bytes(room), has = process_memory_max(0);

    if (has == 0 || needed <= has) return EXIT_FINE;
    if (instance->options.touch_memory || instance->options.production)
        return complain(EXIT_GENERAL,
                        "not enough memory: the pools of the configuration and their raises since need %lu "
                        "bytes, and this process may have %lu (of the machine, or of its control group)",
                        (unsigned long)needed, (unsigned long)has);
    log_line(LOG_WARN, "the pools need %lu bytes when they are full, and this process may have %lu",
             (unsigned long)needed, (unsigned long)has);
    return EXIT_FINE;
}

struct log_settings log_settings_of(const struct options *options)
{
    const struct cluster_settings *cluster = options->cluster;

    if (cluster == NULL)
        return (struct log_settings){ .kind = LOG_KIND_FILE,
                                      .file_bytes = options->file_bytes,
                                      .spare = options->production,
                                      .strict_tail = options->strict_tail };
    return (struct log_settings){ .kind = LOG_KIND_POSTGRES,
                                  .spare = options->production,
                                  .url = cluster->log_url,
                                  .node = cluster->node,
                                  .lease_ms = cluster->lease_ms,
                                  .needs_quorum = cluster->quorum != 0 };
}

/* The pools of an empty exchange are not counted. */
static void find_state(struct instance *instance)
{
    const struct engine *engine = instance->server.exchange.engine;

    instance->standing.state = engine_seq(engine) != 0 ? verify_state(engine) : engine_hash(engine);
}

int open_exchange(struct instance *instance)
{
    struct options           *options = &instance->options;
    const struct log_settings log = log_settings_of(options);
    int                       code = check_memory(instance, options->genesis);

    /* A log that begins has these pools for good, so a start that has no memory for them must not begin it. */
    if (code == EXIT_FINE) code = replay_open(&instance->replay, options->folder, DISK_WRITE, &log, options->genesis);
    if (code == EXIT_FINE) code = check_genesis(instance);
    if (code == EXIT_FINE) code = open_history(instance);
    if (code == EXIT_FINE) code = open_backfill(instance);
    if (code != EXIT_FINE) return code;
    if (!exchange_take(&instance->server.exchange, &instance->genesis, true, options->production))
        return complain(EXIT_GENERAL, "not enough memory for the pools of the configuration");
    instance->server.exchange.memory_max = process_memory_max(0);
    code = catch_up(instance);
    if (code == EXIT_FINE) code = check_memory(instance, instance->server.exchange.room);
    if (code != EXIT_FINE) return code;
    report_torn(instance);
    find_state(instance);
    return EXIT_FINE;
}
