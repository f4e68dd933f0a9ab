/* SPDX-License-Identifier: MIT */
#include "app/shadow.h"

#include "io/child.h"
#include "io/clock.h"
#include "io/files.h"
#include "io/signals.h"
#include "app/cli/arguments.h"
#include "app/config.h"
#include "diagnostics/program_log.h"
#include "history/history.h"
#include "pipeline/restore.h"
#include "app/cli/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define LOOK_MS    20  /* between two looks at the end of a log of files */
#define AWAIT_MS   100 /* of a shared log, which says when it has more */
#define MESSAGE_NS INT64_C(1000000000)
#define RETRY_NS   INT64_C(1000000000)  /* between two looks whether the history is durable far enough */
#define TELL_NS    INT64_C(5000000000)  /* between two attempts to tell the database of the snapshots */
#define PARTIAL_NS INT64_C(30000000000) /* half a batch for so long: it will not become a whole */
#define BACK_OFF_S 300                  /* the longest pause before a shadow is started again */
#define STEADY_NS  INT64_C(60000000000) /* a shadow that ran this long restarts with short pauses */

/* A batch that was read, and its header's claims. */
struct held {
    struct log_batch   batch;
    struct log_applied claim;
    bool               there;
};

struct shadow {
    struct shadow_settings settings;
    struct replay          replay;
    struct genesis         genesis;
    struct config         *config; /* NULL: the log is files in the folder */
    struct exchange        exchange;
    struct held            held[2];                      /* one waits until the other proves it */
    uint32_t               waits;                        /* which */
    struct log_mark        place;                        /* behind what was applied */
    uint64_t               snapshot_seq, snapshot_bytes; /* of the last snapshot */
    int64_t                snapshot_ns, message_ns, partial_ns;
    int64_t                refused_ns; /* when the history was last too far behind for a snapshot; 0 = it is not */
    int64_t                told_ns;    /* when the database was last told of the snapshots */
    bool                   is_told;    /* it took it, or never will */
    bool                   has_holds;
    uint32_t               holds[SNAPSHOT_PLACES]; /* the parts of the log that the snapshots need */
    int                    lock;
};

static void say(const struct shadow *shadow, enum shadow_message_kind kind, const struct snapshot_header *facts,
                int64_t ms)
{
    struct shadow_message message = { .magic = SHADOW_MESSAGE_MAGIC,
                                      .kind = kind,
                                      .seq = engine_seq(shadow->exchange.engine),
                                      .block = shadow->exchange.blocks.applied.number,
                                      .block_hash = shadow->exchange.blocks.applied.hash };

    if (!shadow->settings.words) return;
    if (facts != NULL) {
        message.state_hash = facts->state_hash;
        message.bytes = facts->bytes;
        message.ms = (uint64_t)ms;
    }
    if (!child_write(1, &message, sizeof(message))) files_exit_now(EXIT_FINE); /* the exchange has ended */
}

/* ---- room ---- */

/*
 * The log comes first: beside the snapshot there must be room for the log's next needs. A disk that does not report
 * free space has room until a write fails.
 */
static bool has_room(const struct shadow *shadow, uint64_t wanted)
{
    uint64_t there;

    return disk_free_bytes(&shadow->replay.folder, &there) != 0 || there >= wanted + log_reserve(shadow->replay.log);
}

/* Room needed for a snapshot: one and a half times the last one, or, before the first, an eighth of the address space.
 */
static uint64_t snapshot_wants(const struct shadow *shadow)
{
    if (shadow->snapshot_bytes != 0) return shadow->snapshot_bytes + shadow->snapshot_bytes / 2;
    return (engine_size(&shadow->genesis) + views_size(&shadow->genesis)) / 8;
}

/* ---- archives ---- */

/* The next start may take either snapshot, and reads the log from there. */
static void hold_snapshots(struct shadow *shadow, const struct restore_choice *choice)
{
    struct log *log = shadow->replay.log;

    for (uint32_t i = 0; i < SNAPSHOT_PLACES; i++) {
        if (shadow->has_holds) log_release(log, shadow->holds[i]);
        shadow->holds[i] = log_hold(log, &choice->facts[i].position);
    }
    shadow->has_holds = true;
}

/* Archives what lies before both snapshots. */
static void archive_covered(struct shadow *shadow, const struct restore_choice *choice)
{
    if (!shadow->settings.archive || choice->count < SNAPSHOT_PLACES) return;
    hold_snapshots(shadow, choice);
    while (has_room(shadow, 0) && signals_wait(0) == 0) {
        struct log_packed packed;
        int               error = log_pack(shadow->replay.log, &packed);

        if (error != 0)
            log_line(LOG_WARN, "shadow: %s cannot be archived and stays as it is: %s", packed.name, strerror(error));
        if (error != 0 || packed.name[0] == '\0') return;
        log_line(LOG_INFO, "shadow: %s is archived, %lu bytes", packed.name, (unsigned long)packed.bytes);
    }
}

/* ---- what the history has ---- */

/* The command up to which the history of the node is there after a power cut. */
static uint64_t kept(const struct shadow *shadow)
{
    struct hash256 instance = replay_instance(&shadow->replay);
    char           path[4096];

    (void)snprintf(path, sizeof(path), "%s/history", shadow->settings.folder);
    return history_kept_in(path, &instance);
}

/*
 * A start goes on from a snapshot that is not ahead of the history (decision 118). A log of files is read from its
 * beginning where there is none; that of a shared log may be gone. So the newer of two snapshots must be one from which
 * a start goes on after a power cut, before the older one gives way (decision 147).
 */
static bool may_replace(const struct shadow *shadow, const struct restore_choice *choice)
{
    if (!log_is_shared(shadow->replay.log) || choice->count < SNAPSHOT_PLACES) return true;
    return choice->facts[0].seq <= kept(shadow);
}

/* ---- what the database is told ---- */

/* The newer snapshot has just been loaded; the older one was when it was written, and is read once more. */
static bool is_whole(const struct shadow *shadow, uint32_t place)
{
    struct snapshot_report report;

    return snapshot_check(&shadow->replay.disk, snapshot_name(place), &report) == SNAPSHOT_OK;
}

/* EAGAIN: it was told of none, because the history is not as far yet. */
static int tell(struct shadow *shadow)
{
    struct restore_choice choice;
    struct log_mark       marks[SNAPSHOT_PLACES];
    int                   error;

    if (restore_look(&shadow->replay, &shadow->genesis, &choice) != EXIT_FINE || choice.count < SNAPSHOT_PLACES)
        return log_tell_snapshots(shadow->replay.log, NULL, NULL);
    for (uint32_t i = 0; i < SNAPSHOT_PLACES; i++) {
        if (!is_whole(shadow, choice.places[i])) return log_tell_snapshots(shadow->replay.log, NULL, NULL);
        marks[i] = restore_place(&choice.facts[i]);
    }
    if (choice.facts[1].seq > kept(shadow)) {
        error = log_tell_snapshots(shadow->replay.log, NULL, NULL);
        return error == 0 ? EAGAIN : error;
    }
    return log_tell_snapshots(shadow->replay.log, &marks[1], &marks[0]);
}

/* Which two verified snapshots there are: below them the log may be trimmed (decision 133). */
static void tell_snapshots(struct shadow *shadow)
{
    int error;

    if (shadow->is_told || !log_is_shared(shadow->replay.log)) return;
    if (shadow->told_ns != 0 && clock_mono_ns() - shadow->told_ns < TELL_NS) return;
    shadow->told_ns = clock_mono_ns();
    error = tell(shadow);
    shadow->is_told = error == 0 || error == ENOENT || error == EACCES;
    if (error == ENOENT)
        log_line(LOG_WARN, "shadow: the database has no table for snapshots, so its log cannot be trimmed; dojima "
                           "init-log URL adds it");
    else if (error != 0 && error != EAGAIN)
        log_line(LOG_WARN, "shadow: the database was not told of the snapshots: %s", strerror(error));
}

/* ---- snapshots ---- */

/* The place that is free, or that of a damaged or the older snapshot. */
static uint32_t place_for(const struct restore_choice *choice)
{
    if (choice->count == SNAPSHOT_PLACES) return choice->places[SNAPSHOT_PLACES - 1];
    return choice->count == 1 ? 1 - choice->places[0] : 0;
}

/* Discards the whole state and loads the file in its place, which proves the file. */
static int serve_shadow(struct shadow *shadow, const struct snapshot_header *facts)
{
    struct snapshot_report report;
    enum snapshot_fault    fault;

    exchange_forget(&shadow->exchange);
    fault = restore_read(&shadow->replay, &shadow->exchange, SNAPSHOT_TEMPORARY, facts, &report);
    if (fault != SNAPSHOT_OK)
        return complain(snapshot_exit(fault), "shadow: the snapshot just written cannot be used: %s", report.text);
    engine_verify(shadow->exchange.engine);
    return EXIT_FINE;
}

static int keep_snapshot(struct shadow *shadow, struct snapshot_header *facts, int64_t began_ns)
{
    const struct disk    *disk = &shadow->replay.disk;
    struct restore_choice choice;
    int                   code = restore_look(&shadow->replay, &shadow->genesis, &choice), error;
    const char           *name;

    if (code != EXIT_FINE) return code;
    name = snapshot_name(place_for(&choice));
    error = disk->rename(disk->self, SNAPSHOT_TEMPORARY, name);
    if (error != 0) return complain(EXIT_DISK, "shadow: %s cannot take its place: %s", name, strerror(error));
    log_line(LOG_INFO, "shadow: %s holds command %lu, block %lu: %lu bytes, %ld ms", name, (unsigned long)facts->seq,
             (unsigned long)facts->block_number, (unsigned long)facts->bytes,
             (long)((clock_mono_ns() - began_ns) / 1000000));
    say(shadow, SHADOW_SNAPSHOT, facts, (clock_mono_ns() - began_ns) / 1000000);
    shadow->snapshot_seq = facts->seq;
    shadow->snapshot_bytes = facts->bytes;
    shadow->is_told = false;
    shadow->told_ns = 0;
    code = restore_look(&shadow->replay, &shadow->genesis, &choice);
    if (code == EXIT_FINE) archive_covered(shadow, &choice);
    return code;
}

static int no_snapshot(const struct shadow *shadow, const char *why)
{
    log_line(LOG_WARN, "shadow: no snapshot could be written: %s", why);
    return shadow->settings.once ? EXIT_DISK : EXIT_FINE;
}

/* Said once; it is a second behind as a rule, and then the snapshot is only that much later. */
static int wait_for_history(struct shadow *shadow)
{
    bool is_first = shadow->refused_ns == 0;

    shadow->refused_ns = clock_mono_ns();
    if (shadow->settings.once) return no_snapshot(shadow, "the history is not durable up to the newest one");
    if (is_first) log_line(LOG_INFO, "shadow: the next snapshot waits until the history is durable up to the last one");
    return EXIT_FINE;
}

/* A disk that has no room costs a snapshot, nothing else: it is tried again when the next one is due. */
static int take_snapshot(struct shadow *shadow)
{
    struct snapshot_header facts;
    struct restore_choice  choice;
    int64_t                began_ns = clock_mono_ns();
    int                    error = has_room(shadow, snapshot_wants(shadow)) ? 0 : ENOSPC;
    int                    code = restore_look(&shadow->replay, &shadow->genesis, &choice);

    if (code != EXIT_FINE) return code;
    if (!may_replace(shadow, &choice)) return wait_for_history(shadow);
    shadow->refused_ns = 0;
    if (error == 0) error = restore_write(&shadow->replay, &shadow->exchange, &shadow->place, &facts);
    shadow->snapshot_ns = clock_mono_ns();
    if (error != 0) return no_snapshot(shadow, strerror(error));
    code = serve_shadow(shadow, &facts);
    return code == EXIT_FINE ? keep_snapshot(shadow, &facts, began_ns) : code;
}

static bool is_due(const struct shadow *shadow, bool at_end)
{
    uint64_t commands = engine_seq(shadow->exchange.engine) - shadow->snapshot_seq;

    if (commands == 0) return false;
    if (shadow->refused_ns != 0 && clock_mono_ns() - shadow->refused_ns < RETRY_NS) return false;
    if (clock_mono_ns() - shadow->snapshot_ns >= (int64_t)shadow->settings.seconds * 1000000000) return true;
    return at_end && commands >= shadow->settings.commands;
}

/* ---- the log ---- */

static int apply(struct shadow *shadow, struct held *held)
{
    int code;

    if (log_batch_revert(&held->batch) != NULL)
        return replay_went_back(&shadow->replay, &held->batch); /* decision 131 */
    code = replay_agree(&shadow->replay, &shadow->exchange, &held->claim);
    if (code != EXIT_FINE) {
        say(shadow, SHADOW_DIFFERS, NULL, 0);
        return code;
    }
    exchange_run(&shadow->exchange, &held->batch, NULL);
    shadow->place = log_mark_behind(&held->batch);
    held->there = false;
    if (clock_mono_ns() - shadow->message_ns < MESSAGE_NS) return EXIT_FINE;
    shadow->message_ns = clock_mono_ns();
    say(shadow, SHADOW_BLOCK, NULL, 0);
    return EXIT_FINE;
}

/* Half a batch is a write in progress; after half a minute it is damage. */
static int wait_for_more(struct shadow *shadow, bool partial)
{
    if (!partial) shadow->partial_ns = 0;
    else if (shadow->partial_ns == 0) shadow->partial_ns = clock_mono_ns();
    else if (clock_mono_ns() - shadow->partial_ns > PARTIAL_NS)
        return complain(EXIT_DAMAGE,
                        "shadow: behind command %lu the log holds something that is no batch, and nothing more comes",
                        (unsigned long)(shadow->place.next_seq - 1));
    return EXIT_FINE;
}

/* One batch further, if there is one. */
static int step(struct shadow *shadow, bool *moved)
{
    struct held   *old = &shadow->held[shadow->waits], *new = &shadow->held[1 - shadow->waits];
    bool           partial;
    enum log_fault fault =
        log_follow(shadow->replay.log, &new->batch, &new->claim, &new->there, &partial, &shadow->replay.report);

    *moved = new->there;
    if (fault != LOG_OK) return replay_failed(&shadow->replay, fault);
    if (!new->there) return wait_for_more(shadow, partial);
    shadow->partial_ns = 0;
    if (log_is_shared(shadow->replay.log)) return apply(shadow, new); /* it is known to be durable */
    shadow->waits = 1 - shadow->waits;
    return old->there ? apply(shadow, old) : EXIT_FINE;
}

/* The one requested snapshot; none where no command followed the last one. */
static bool is_last(const struct shadow *shadow, bool moved)
{
    return shadow->settings.once && !moved && engine_seq(shadow->exchange.engine) != shadow->snapshot_seq;
}

/* Until there may be more to read. False: a signal asks for the end. */
static bool rest(struct shadow *shadow, bool moved)
{
    bool shared = log_is_shared(shadow->replay.log);

    if (!moved && shared) log_await(shadow->replay.log, AWAIT_MS);
    return signals_wait(moved || shared ? 0 : LOOK_MS) == 0;
}

static int follow(struct shadow *shadow)
{
    for (;;) {
        bool moved;
        int  code = step(shadow, &moved);

        if (code == EXIT_FINE && (is_due(shadow, !moved) || is_last(shadow, moved))) code = take_snapshot(shadow);
        if (code == EXIT_FINE) tell_snapshots(shadow);
        if (code != EXIT_FINE || (shadow->settings.once && !moved)) return code;
        if (!rest(shadow, moved)) return EXIT_STOPPED;
    }
}

/* ---- beginning and end ---- */

/* Where the log is: the configuration names the database of a shared one. */
static int find_log(struct shadow *shadow, struct log_settings *log)
{
    const struct cluster_settings *cluster;
    char                           error[1024];

    *log = (struct log_settings){ .file_bytes = 8 << 20, .read_only = true }; /* the size of a log to be made */
    if (shadow->settings.config == NULL) return EXIT_FINE;
    shadow->config = calloc(1, sizeof(*shadow->config));
    if (shadow->config == NULL) return complain(EXIT_GENERAL, "shadow: not enough memory");
    if (!config_read_file(shadow->settings.config, shadow->config, error, sizeof(error)))
        return complain(EXIT_CONFIG, "%s", error);
    cluster = &shadow->config->cluster;
    if (cluster->log_url[0] == '\0') return EXIT_FINE;
    log->kind = LOG_KIND_POSTGRES;
    log->url = cluster->log_url;
    log->node = cluster->node;
    log->lease_ms = cluster->lease_ms;
    return EXIT_FINE;
}

static int lock_folder(struct shadow *shadow)
{
    int error = disk_lock_name(shadow->settings.folder, "shadow.lock", DISK_BESIDE, &shadow->lock);

    if (error != 0 && error != EWOULDBLOCK)
        return complain(EXIT_GENERAL, "the folder %s cannot be used: %s", shadow->settings.folder, strerror(error));
    if (error != 0) return complain(EXIT_IN_USE, "the folder %s has a shadow already", shadow->settings.folder);
    return EXIT_FINE;
}

static int open_shadow(struct shadow *shadow)
{
    struct log_settings log;
    int                 code = lock_folder(shadow);

    if (code == EXIT_FINE) code = find_log(shadow, &log);
    if (code == EXIT_FINE) code = replay_open(&shadow->replay, shadow->settings.folder, DISK_BESIDE, &log, NULL);
    if (code == EXIT_FINE) code = replay_genesis(&shadow->replay, &shadow->genesis);
    if (code != EXIT_FINE) return code;
    shadow->held[0].batch = shadow->replay.batch;
    shadow->held[1].batch =
        (struct log_batch){ .at = files_take_memory(shadow->replay.batch.cap), .cap = shadow->replay.batch.cap };
    if (shadow->held[1].batch.at == NULL || !exchange_take(&shadow->exchange, &shadow->genesis, true, false))
        return complain(EXIT_GENERAL, "shadow: not enough memory");
    code = restore_newest(&shadow->replay, &shadow->exchange, UINT64_MAX, &shadow->place);
    if (code == EXIT_FINE) shadow->snapshot_seq = engine_seq(shadow->exchange.engine);
    shadow->snapshot_ns = clock_mono_ns();
    return code;
}

static int run(const struct shadow_settings *settings)
{
    struct shadow *shadow = files_take_memory(sizeof(*shadow));
    int            code;

    if (shadow == NULL) return complain(EXIT_GENERAL, "shadow: not enough memory");
    shadow->settings = *settings;
    shadow->lock = shadow->replay.lock = -1;
    code = open_shadow(shadow);
    if (code == EXIT_FINE) code = follow(shadow);
    exchange_close(&shadow->exchange);
    files_give_memory(shadow->held[1].batch.at, shadow->held[1].batch.cap);
    replay_close(&shadow->replay);
    free(shadow->config);
    files_close(shadow->lock);
    files_give_memory(shadow, sizeof(*shadow));
    return code;
}

/* ---- the process that restarts it ---- */

static void say_ended(int code)
{
    struct shadow_message message = { .magic = SHADOW_MESSAGE_MAGIC, .kind = SHADOW_ENDED, .code = code };

    (void)!child_write(1, &message, sizeof(message));
}

/* Waits until it ends (*code), or until a signal requests its end: true. */
static bool watch_one(int pid, int *code)
{
    while (child_ended(pid, code) == 0) {
        if (signals_wait(200) == 0) continue;
        child_finish(pid);
        return true;
    }
    return false;
}

/* Starts shadows one after the other: each with the same arguments, but for --keep and its parent. */
static int keep(char *const argv[])
{
    int64_t pause_s = 1;

    for (;;) {
        int64_t began_ns = clock_mono_ns();
        int     pid, code, error = child_start(argv, -1, &pid);

        if (error != 0) return complain(EXIT_GENERAL, "shadow: it cannot be started: %s", strerror(error));
        if (watch_one(pid, &code)) return EXIT_STOPPED;
        say_ended(code);
        if (clock_mono_ns() - began_ns > STEADY_NS) pause_s = 1;
        log_line(LOG_WARN, "shadow: it ended (%s %d) and is started again in %ld s", code < 0 ? "signal" : "code",
                 code < 0 ? -code : code, (long)pause_s);
        if (signals_wait(pause_s * 1000) != 0) return EXIT_STOPPED;
        pause_s = min_i64(pause_s * 2, BACK_OFF_S);
    }
}

#define WORDS_MAX 20

/* argv without --keep and --parent N, with this process as the parent. */
static int keep_argv(int argc, char **argv)
{
    static char parent[32];
    char       *words[WORDS_MAX];
    int         count = 0;

    words[count++] = (char *)(uintptr_t) "dojima";
    for (int i = 0; i < argc && count + 4 < WORDS_MAX; i++) {
        if (strcmp(argv[i], "--keep") == 0) continue;
        if (strcmp(argv[i], "--parent") == 0) {
            i++;
            continue;
        }
        words[count++] = argv[i];
        if (i != 0) continue;
        (void)snprintf(parent, sizeof(parent), "%lu", (unsigned long)child_self());
        words[count++] = (char *)(uintptr_t) "--parent";
        words[count++] = parent;
    }
    words[count] = NULL;
    return keep(words);
}

int command_shadow(int argc, char **argv)
{
    struct shadow_settings settings = { .seconds = 300, .commands = 1000000 };
    bool                   keeps = false;
    uint64_t               parent = 0;
    /* clang-format off */
    const struct argument  rows[] = {
        { "config", ARGUMENT_TEXT, 0, &settings.config, "FILE",
          "The configuration of the exchange; needed where its [log] url names a database." },
        { "seconds", ARGUMENT_U64, 86400, &settings.seconds, "N",
          "A snapshot so long after the last one, when anything happened (300)." },
        { "commands", ARGUMENT_U64,  UINT32_MAX, &settings.commands, "N", "Or so many commands after it (1000000)." },
        { "archive", ARGUMENT_FLAG, 0, &settings.archive, "",
          "Compress segments of the log that both snapshots have behind them." },
        { "once", ARGUMENT_FLAG, 0, &settings.once, "", "Write one snapshot at the end of the log and exit." },
        { "words", ARGUMENT_FLAG, 0, &settings.words, "",
          "Write messages for the exchange to standard output (dojima serve uses it)." },
        { "keep", ARGUMENT_FLAG, 0, &keeps, "", "Start it again when it ends (dojima serve uses it)." },
        { "parent", ARGUMENT_U64, UINT32_MAX, &parent, "N", "Exit when process N exits (dojima serve uses it)." },
    };
    /* clang-format on */
    const struct arguments arguments = {
        "shadow",          "DIR", "Follows the log of an exchange, and writes snapshots of its state.", rows,
        ARRAY_COUNT(rows), NULL
    };
    char **given = calloc((size_t)argc + 1, sizeof(*given));
    int    operand, code;

    assert(given != NULL);
    memcpy(given, argv, (size_t)argc * sizeof(*given)); /* getopt changes their order */
    if (!arguments_read(&arguments, argc, argv, &operand, &code)) {
        free(given);
        return code;
    }
    settings.folder = argv[operand];
    log_init(false);
    child_stand_back();
    if (parent != 0 && !child_of(parent)) code = EXIT_FINE;
    else if (keeps) code = keep_argv(argc, given);
    else if (!crypto_init())
        code = complain(EXIT_GENERAL, "the known-answer tests of the cryptography fail on this machine");
    else code = run(&settings);
    free(given);
    return code;
}
