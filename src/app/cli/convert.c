/* SPDX-License-Identifier: MIT */
/*
 * convert.c — dojima convert: a new data folder for this version out of one of an older version (decisions 125, 940,
 * 143).
 *
 * Every batch of the old log is checked as at a start and goes to the new log with the same commands, times and
 * signatures; only what seals a batch and names the versions is written anew. Its commands run through today's engine,
 * and the events that they make are hashed as the old version hashed its own: where the block hashes in the old log are
 * those, all results, orders and balances are the same. Where they are not, the folder is kept only when everything
 * that differs was printed and the operator accepts it. The old folder is only read. The new one has another name until
 * it is whole.
 */
#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "app/cli/convert_balances.h"
#include "app/cli/convert_results.h"
#include "app/cli/engine6.h"
#include "admin/audit.h"
#include "crypto/crypto.h"
#include "diagnostics/program_log.h"
#include "io/files.h"
#include "io/signals.h"
#include "model/shape.h"
#include "pipeline/held.h"
#include "pipeline/replay.h"
#include "pipeline/save_points.h"
#include "wire/shape.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define PATH_MAX_BYTES 4096
#define COPY_BYTES     (1024 * 1024)

struct request {
    const char *from, *to, *results;
    bool        accept;
};

/* The folder that is made. */
struct target {
    char               path[PATH_MAX_BYTES], partial[PATH_MAX_BYTES];
    bool               made; /* `partial` exists and is ours */
    struct disk_folder folder;
    struct disk        disk, unsynced; /* the log is synced once, at the end */
    struct log_report  report;
    struct log        *log;
    void              *memory;
    int                lock;
};

/* An old version: how today's genesis and events were in it. */
struct version {
    uint32_t number;
    uint16_t last_command;
    void (*genesis)(struct genesis *genesis); /* NULL: unchanged, as the next */
    void (*events)(const struct events *from, struct events *into);
    bool state; /* money and positions can be read from its snapshots (engine6_load) */
    bool whole; /* its blocks hash whole events (decision 940) */
};

static const struct version versions[] = {
    { ENGINE6, ENGINE6_LAST_COMMAND, engine6_genesis, engine6_events, true, true },
    { 7, COMMAND_KINDS - 1, NULL, NULL, false, true },
    { 8, COMMAND_KINDS - 1, NULL, NULL, false, false },
    { 9, COMMAND_KINDS - 1, NULL, NULL, false, false },
    { 10, COMMAND_KINDS - 1, NULL, NULL, false, false },
};
static_assert(ARRAY_COUNT(versions) == LOG_ENGINE_VERSION - LOG_CONVERTIBLE, "each that is offered");

struct conversion {
    const struct request  *request;
    const struct version  *version;
    struct replay          old;
    struct target          target;
    struct genesis         old_genesis, genesis;
    struct held            held; /* today's engine */
    struct views          *views;
    void                  *views_memory;
    struct blocks          then, now; /* of the same events, in the form of the old version and of this one */
    struct events          as_before;
    struct results         results;
    struct log_applied     same;    /* the newest block that the old log names and the replay found again */
    uint64_t               differs; /* number of the first block that it did not; 0 = none */
    uint64_t               last_seq;
    bool                   closed;    /* the last batch was a closing one */
    bool                   has_state; /* the old folder has a snapshot at the end of its log that can be read */
    struct balances_report balances;
};

/* ---- the old folder ---- */

static int refuse_old(const struct conversion *conversion, const char *what)
{
    return complain(EXIT_GENERAL, "%s: %s; nothing was written", conversion->request->from, what);
}

/* The written genesis must contain all of the log's: a member unknown to this program would be lost. */
static bool is_of_version(const struct version *version, const struct genesis *genesis, struct slice json)
{
    struct slice again = genesis_write(genesis);
    bool         same = slice_equal(again, json);

    free((void *)(uintptr_t)again.at);
    return same
        && (version->number != ENGINE6 || (genesis->rules.fund_total_ratio == 0 && genesis->prices_by_hand == 0));
}

static int read_genesis(struct conversion *conversion)
{
    struct shape_error error = { 0 };
    struct genesis    *genesis = &conversion->old_genesis;
    struct slice       json = conversion->old.genesis_json;
    int                code = replay_genesis(&conversion->old, &conversion->genesis);

    if (code != EXIT_FINE) return code;
    if (shape_read(&genesis_shape, json, genesis, &error) != REJECT_NONE
        || !is_of_version(conversion->version, genesis, json))
        return refuse_old(conversion, "its genesis is not one that its version wrote");
    genesis_complete(genesis);
    if (conversion->version->genesis != NULL) conversion->version->genesis(&conversion->genesis);
    return EXIT_FINE;
}

static int open_old(struct conversion *conversion)
{
    const struct log_settings options = {
        .file_bytes = 8 << 20, .read_only = true, .strict_tail = true, .engine = LOG_ANY_OLDER
    };
    int code = replay_open(&conversion->old, conversion->request->from, DISK_READ, &options, NULL);

    if (code != EXIT_FINE) return code;
    conversion->version = &versions[conversion->old.settings.engine - LOG_CONVERTIBLE];
    assert(conversion->version->number == conversion->old.settings.engine);
    return read_genesis(conversion);
}

/* ---- the new folder ---- */

static int not_synced(void *self, int handle)
{
    (void)self;
    (void)handle;
    return 0;
}

static int target_failed(const struct target *target, int error)
{
    return complain(error == ENOMEM ? EXIT_GENERAL : EXIT_DISK, "%s cannot be written: %s", target->partial,
                    strerror(error));
}

static bool is_there(const char *path) { return files_check_folder(path, false) != ENOENT; }

static int make_folder(struct target *target, const struct request *request)
{
    int len = (int)strlen(request->from), error;

    while (len > 1 && request->from[len - 1] == '/') len -= 1;
    if (request->to != NULL) error = snprintf(target->path, sizeof(target->path), "%s", request->to);
    else error = snprintf(target->path, sizeof(target->path), "%.*s.converted", len, request->from);
    if (error < 0 || error >= (int)sizeof(target->path) - 16)
        return complain(EXIT_USAGE, "convert: the path is too long");
    (void)snprintf(target->partial, sizeof(target->partial), "%.*s.partial", PATH_MAX_BYTES - 16, target->path);
    if (is_there(target->path))
        return complain(EXIT_GENERAL, "%s is there already; it is not overwritten", target->path);
    if (is_there(target->partial))
        return complain(EXIT_GENERAL, "%s is there, left by an interrupted conversion; remove it first",
                        target->partial);
    signals_block(); /* a signal ends it where what is made can be removed */
    error = files_make_folder(target->partial);
    target->made = error == 0;
    return error == 0 ? EXIT_FINE : target_failed(target, error);
}

/* Opens the log that was just made, to append to it; the room to read in is that of the old log. */
static enum log_fault open_new_log(struct conversion *conversion, const struct log_settings *settings)
{
    struct target     *target = &conversion->target;
    struct slice       genesis;
    struct log_applied claim;
    bool               end = false;
    enum log_fault     fault =
        log_open(target->memory, &target->unsynced, settings, &target->log, &genesis, &target->report);

    if (fault == LOG_OK) fault = log_next(target->log, &conversion->old.batch, &claim, &end, &target->report);
    assert(fault != LOG_OK || end);
    return fault;
}

static int open_target(struct conversion *conversion)
{
    struct target      *target = &conversion->target;
    bool                sparse = conversion->genesis.development != 0;
    struct log_settings options = { .file_bytes = log_figures(conversion->old.log).part_bytes, .spare = !sparse };
    struct slice        json;
    enum log_fault      fault;
    int                 error, code = make_folder(target, conversion->request);

    if (code != EXIT_FINE) return code;
    error = disk_open(&target->folder, target->partial, DISK_WRITE, sparse, &target->disk);
    if (error == 0) error = disk_lock(target->partial, DISK_WRITE, &target->lock);
    if (error != 0) return target_failed(target, error);
    target->unsynced = target->disk;
    target->unsynced.sync = not_synced;
    target->memory = files_take_memory(log_bytes());
    if (target->memory == NULL) return target_failed(target, ENOMEM);
    json = genesis_write(&conversion->genesis);
    blocks_init(&conversion->now, &conversion->genesis, json);
    fault = log_create(target->memory, &target->unsynced, &options, json, &target->report);
    free((void *)(uintptr_t)json.at);
    if (fault == LOG_OK) fault = open_new_log(conversion, &options);
    return fault == LOG_OK ? EXIT_FINE : target_failed(target, target->report.error);
}

static int copy_bytes(const struct disk *from, int from_handle, const struct disk *to, int to_handle, uint64_t bytes)
{
    void *room = malloc(COPY_BYTES);
    int   error = room == NULL ? ENOMEM : 0;

    for (uint64_t at = 0; at < bytes && error == 0; at += COPY_BYTES) {
        size_t len = (size_t)min_u64(COPY_BYTES, bytes - at);

        error = from->read(from->self, from_handle, at, room, len);
        if (error == 0) error = to->write(to->self, to_handle, at, room, len);
    }
    free(room);
    return error == 0 ? to->sync(to->self, to_handle) : error;
}

/* A file of the old folder that the new one needs too; fine when there is none. */
static int copy_file(const struct disk *from, const struct disk *to, const char *name)
{
    uint64_t bytes;
    int      from_handle, to_handle, error = from->size(from->self, name, &bytes);

    if (error == ENOENT) return 0;
    if (error == 0) error = from->open(from->self, name, false, &from_handle);
    if (error != 0) return error;
    error = to->create(to->self, name, bytes);
    if (error == 0) error = to->open(to->self, name, true, &to_handle);
    if (error == 0) {
        error = copy_bytes(from, from_handle, to, to_handle, bytes);
        to->close(to->self, to_handle);
    }
    from->close(from->self, from_handle);
    return error;
}

static void close_target(struct target *target)
{
    if (target->log != NULL) log_close(target->log);
    if (target->folder.fd > 0) disk_close(&target->folder);
    files_close(target->lock);
    if (target->memory != NULL) files_give_memory(target->memory, log_bytes());
    target->log = NULL;
    target->folder.fd = 0;
    target->lock = -1;
    target->memory = NULL;
}

/* ---- the commands ---- */

static int take_engine(struct conversion *conversion)
{
    struct held *held = &conversion->held;

    if (!held_open(held, &conversion->genesis)) return complain(EXIT_GENERAL, "not enough memory");
    conversion->views_memory = files_take_memory(views_size(&conversion->genesis));
    conversion->as_before = (struct events){ .at = files_take_memory(held->events.cap), .cap = held->events.cap };
    if (conversion->views_memory == NULL || conversion->as_before.at == NULL)
        return complain(EXIT_GENERAL, "not enough memory");
    conversion->views = views_init(conversion->views_memory, &conversion->genesis);
    views_apply(conversion->views, &held->events, NULL);
    blocks_init(&conversion->then, &conversion->old_genesis, conversion->old.genesis_json);
    conversion->then.whole = conversion->version->whole;
    return EXIT_FINE;
}

static int run_command(struct conversion *conversion, const struct log_record *record)
{
    struct held           *held = &conversion->held;
    const struct version  *version = conversion->version;
    struct events         *then = version->events != NULL ? &conversion->as_before : &held->events;
    struct results_command command = { record, &held->events, then, false };
    struct hash256         hash;

    if (record->command->kind > version->last_command)
        return refuse_old(conversion, "its log has commands that its version did not have");
    if (!held_apply(held, record->command)) return complain(EXIT_GENERAL, "not enough memory");
    if (version->events != NULL) version->events(&held->events, then);
    if (version->state) views_apply(conversion->views, &held->events, NULL); /* such a log raises no limit */
    command.is_transaction = blocks_add(&conversion->now, record, &held->events, &hash);
    blocks_events(&conversion->now, &held->events);
    (void)blocks_add(&conversion->then, record, then, &hash);
    blocks_events(&conversion->then, then);
    conversion->last_seq = record->command->seq;
    return results_compare(&conversion->results, &command);
}

/* A batch's claims about the blocks before it, in the old log. */
static void compare_blocks(struct conversion *conversion, const struct log_applied *claim)
{
    if (conversion->differs != 0) return;
    if (blocks_agree(&conversion->then, claim)) conversion->same = *claim;
    else conversion->differs = conversion->same.number + 1;
}

static int run_batch(struct conversion *conversion, const struct log_applied *claim)
{
    struct log_batch  *batch = &conversion->old.batch;
    struct log_applied applied = conversion->now.applied;
    struct log_cursor  cursor = { 0, 0 };
    struct log_record  record;
    int                error, code = EXIT_FINE;

    if (log_batch_revert(batch) != NULL) return replay_went_back(&conversion->old, batch); /* decision 131 */
    compare_blocks(conversion, claim);
    conversion->closed = batch->count == 0;
    blocks_begin(&conversion->then);
    blocks_begin(&conversion->now);
    while (code == EXIT_FINE && log_batch_next(batch, &cursor, &record)) code = run_command(conversion, &record);
    if (code != EXIT_FINE) return code;
    (void)blocks_end(&conversion->then, batch->time_ms);
    (void)blocks_end(&conversion->now, batch->time_ms);
    error = log_append(conversion->target.log, batch, &applied);
    return error == 0 ? EXIT_FINE : target_failed(&conversion->target, error);
}

static int run_log(struct conversion *conversion)
{
    struct replay *old = &conversion->old;

    for (;;) {
        struct log_applied claim = { 0 };
        bool               end = false;
        enum log_fault     fault = log_next(old->log, &old->batch, &claim, &end, &old->report);
        int                code;

        if (fault != LOG_OK) return replay_failed(old, fault);
        if (end) break;
        code = run_batch(conversion, &claim);
        if (code != EXIT_FINE) return code;
        if (signals_wait(0) != 0) return EXIT_STOPPED;
        progress("converting the log", old->report.bytes, old->report.bytes_total);
    }
    progress_done();
    if (!conversion->closed)
        return refuse_old(conversion, "its log was not closed: start and stop the exchange once with the version that "
                                      "wrote it");
    /* The closing batch names the last block: there must be none behind it. */
    if (conversion->differs == 0 && conversion->then.applied.number != conversion->same.number)
        conversion->differs = conversion->same.number + 1;
    return results_end(&conversion->results);
}

/* ---- differences ---- */

static int compare_balances(struct conversion *conversion)
{
    struct hash256         instance = replay_instance(&conversion->old);
    struct snapshot_report report = { 0 };
    struct engine6_state   state;
    enum snapshot_fault    fault;
    int                    code = EXIT_FINE;

    if (!conversion->version->state) return EXIT_FINE;
    fault =
        engine6_load(&state, &conversion->old.disk, &conversion->old_genesis, &instance, conversion->last_seq, &report);
    conversion->has_state = fault == SNAPSHOT_OK;
    if (conversion->has_state && !balances_compare(&state, conversion->views, &conversion->balances))
        code = complain(EXIT_GENERAL, "not enough memory");
    if (fault != SNAPSHOT_OK && fault != SNAPSHOT_ABSENT)
        code = complain(EXIT_DAMAGE, "%s: the snapshot at the end of the log cannot be used: %s",
                        conversion->request->from, report.text);
    engine6_close(&state);
    return code;
}

/* Nothing that was compared differs, apart from blocks. */
static bool is_told_same(const struct conversion *conversion)
{
    const struct results *results = &conversion->results;

    return results->others + results->effects + conversion->balances.differ == 0;
}

/* Everything but blocks was compared: what the old program printed of every command, and its last state where that can
 * be read. */
static bool is_compared(const struct conversion *conversion)
{
    return conversion->results.lines.file != NULL && (conversion->has_state || !conversion->version->state);
}

/*
 * The blocks prove it; or what version 6 printed of every command, and its last state. Later versions make the same
 * prices, so that their blocks differ only where a command does.
 */
static bool is_same(const struct conversion *conversion)
{
    return is_told_same(conversion)
        && (conversion->differs == 0 || (conversion->version->state && is_compared(conversion)));
}

/* They are addresses in the old log. */
static void print_snapshots(const struct conversion *conversion)
{
    struct save_points points;

    if (save_points_open(&points, &conversion->old.disk) == 0 && points.count != 0)
        (void)printf("  snapshots    %u of evm_snapshot are left behind: nothing goes back to one of them\n",
                     points.count);
    save_points_close(&points);
}

static void print_report(const struct conversion *conversion)
{
    const struct genesis    *genesis = &conversion->genesis;
    const struct results    *results = &conversion->results;
    const struct log_report *log = &conversion->old.report;

    (void)printf("  from         %s: engine version %u, %lu batches, %lu commands, %lu blocks\n",
                 conversion->request->from, conversion->version->number, (unsigned long)log->batches,
                 (unsigned long)log->records, (unsigned long)conversion->then.applied.number);
    if (log->warning[0] != '\0') (void)printf("  damage       %s\n", log->warning);
    print_snapshots(conversion);
    if (genesis->rules.fund_total_ratio != conversion->old_genesis.rules.fund_total_ratio)
        (void)printf("  genesis      ifMaxLossTotal 0.2 is new\n");
    if (genesis->prices_by_hand != conversion->old_genesis.prices_by_hand)
        (void)printf("  genesis      pricesByHand 1 is new\n");
    if (conversion->differs == 0) (void)printf("  blocks       all have the same events as then\n");
    else
        (void)printf("  blocks       the first %lu have the same events as then\n",
                     (unsigned long)conversion->same.number);
    if (results->lines.file != NULL)
        (void)printf("  commands     %lu have another result, %lu the same result and another effect\n"
                     "  prices       %lu TICKs without a transaction have other prices\n",
                     (unsigned long)results->others, (unsigned long)results->effects, (unsigned long)results->ticks);
    if (conversion->has_state)
        (void)printf("  accounts     %u of %u differ in money, positions or open orders\n", conversion->balances.differ,
                     conversion->balances.accounts);
}

static int refuse_unknown(const struct conversion *conversion, const char *where)
{
    const char *from = conversion->request->from;

    if (!conversion->version->state)
        return complain(EXIT_GENERAL,
                        "%s is not converted: this version decides otherwise%s, and the differences are not known. "
                        "With the version that wrote it: dojima log --scenario %s > FILE; "
                        "then convert it with --results FILE",
                        from, where, from);
    return complain(EXIT_GENERAL,
                    "%s is not converted: this version decides otherwise%s, and the differences are not known. "
                    "With the version that wrote it: dojima log --scenario %s > FILE, then dojima shadow --once %s; "
                    "then convert it with --results FILE",
                    from, where, from, from);
}

static int judge(const struct conversion *conversion)
{
    const char *from = conversion->request->from;
    char        where[64] = "";

    if (is_same(conversion)) return EXIT_FINE;
    if (conversion->differs != 0)
        (void)snprintf(where, sizeof(where), " from block %lu on", (unsigned long)conversion->differs);
    if (!is_compared(conversion)) return refuse_unknown(conversion, where);
    if (is_told_same(conversion))
        return complain(EXIT_GENERAL,
                        "%s is not converted: its blocks come out otherwise%s, and every command as it did; "
                        "dojima verify of the version that wrote it says whether the folder is whole",
                        from, where);
    if (!conversion->request->accept)
        return complain(EXIT_GENERAL,
                        "%s is not converted: this version decides otherwise%s, as printed; "
                        "--accept-differences converts it all the same",
                        from, where);
    return EXIT_FINE;
}

/* ---- the end ---- */

/* Reads the new log back as a start would, and compares its last link. */
static int check_target(const struct conversion *conversion, const struct hash256 *chain)
{
    const struct log_settings options = { .file_bytes = 8 << 20, .read_only = true, .strict_tail = true };
    struct replay             replay;
    int                       code = replay_open(&replay, conversion->target.partial, DISK_READ, &options, NULL);
    bool                      end = false;

    while (code == EXIT_FINE && !end) {
        struct log_applied claim;
        enum log_fault     fault = log_next(replay.log, &replay.batch, &claim, &end, &replay.report);

        if (fault != LOG_OK) code = replay_failed(&replay, fault);
        else if (signals_wait(0) != 0) code = EXIT_STOPPED;
    }
    if (code == EXIT_FINE) {
        struct hash256 read = log_chain(replay.log);

        if (!hash256_equal(&read, chain))
            code = complain(EXIT_DISK, "%s does not read back as it was written", conversion->target.partial);
    }
    replay_close(&replay);
    return code;
}

static int finish(struct conversion *conversion)
{
    struct target *target = &conversion->target;
    struct hash256 chain = log_chain(target->log);
    int            code, error;

    log_close(target->log);
    target->log = NULL;
    error = disk_sync_all(&target->folder); /* nothing of the log was synced while it was written */
    if (error == 0) error = copy_file(&conversion->old.disk, &target->disk, AUDIT_LOG);
    if (error != 0) return target_failed(target, error);
    close_target(target);
    code = check_target(conversion, &chain);
    if (code != EXIT_FINE) return code;
    error = disk_rename_folder(target->partial, target->path);
    if (error != 0) return target_failed(target, error);
    target->made = false;
    (void)printf("  to           %s: engine version %u, last block %lu\n", target->path, LOG_ENGINE_VERSION,
                 (unsigned long)conversion->now.applied.number);
    return EXIT_FINE;
}

static void close_all(struct conversion *conversion)
{
    close_target(&conversion->target);
    if (conversion->target.made) files_remove_tree(conversion->target.partial);
    results_close(&conversion->results);
    if (conversion->views != NULL) views_deinit(conversion->views);
    if (conversion->views_memory != NULL) files_give_memory(conversion->views_memory, views_size(&conversion->genesis));
    if (conversion->as_before.at != NULL) files_give_memory(conversion->as_before.at, conversion->as_before.cap);
    held_close(&conversion->held);
    replay_close(&conversion->old);
}

static int convert(const struct request *request)
{
    struct conversion *conversion = calloc(1, sizeof(*conversion));
    int                code;

    assert(conversion != NULL);
    conversion->request = request;
    conversion->target.lock = -1;
    code = open_old(conversion);
    if (code == EXIT_FINE) code = results_open(&conversion->results, request->results, conversion->old.genesis_json);
    if (code == EXIT_FINE) code = take_engine(conversion);
    if (code == EXIT_FINE) code = open_target(conversion);
    if (code == EXIT_FINE) code = run_log(conversion);
    if (code == EXIT_FINE) code = compare_balances(conversion);
    if (code == EXIT_FINE) {
        print_report(conversion);
        code = judge(conversion);
    }
    if (code == EXIT_FINE) code = finish(conversion);
    close_all(conversion);
    free(conversion);
    if (code != EXIT_STOPPED) return code;
    progress_done();
    return complain(EXIT_GENERAL, "%s is not converted: a signal stopped it; what was made was removed", request->from);
}

int command_convert(int argc, char **argv)
{
    struct request        request = { 0 };
    const struct argument rows[] = {
        { "to", ARGUMENT_TEXT, 0, &request.to, "DIR", "The folder to be made; DIR.converted when not given." },
        { "results", ARGUMENT_TEXT, 0, &request.results, "FILE",
          "What `dojima log --scenario` of the old version printed: each command with another result is listed." },
        { "accept-differences", ARGUMENT_FLAG, 0, &request.accept, "",
          "Convert although results or balances differ; all of them must be known." },
    };
    const struct arguments arguments = {
        "convert",
        "DIR",
        "Makes a data folder of this version out of one of an older version, which is only read.",
        rows,
        ARRAY_COUNT(rows),
        NULL
    };
    int operand, code;

    if (!arguments_read(&arguments, argc, argv, &operand, &code)) return code;
    request.from = argv[operand];
    log_init(false);
    if (!crypto_init())
        return complain(EXIT_GENERAL, "the known-answer tests of the cryptography fail on this machine");
    return convert(&request);
}
