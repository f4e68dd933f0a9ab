/* SPDX-License-Identifier: MIT */
/*
 * join.c — dojima join: the folder of a new node from a running one, so that dojima serve starts from its snapshot and
 * reads only the tail of the log (decision 132).
 *
 *     DIR/joining/snapshot-a, DIR/joining/history ──▶ checked ──▶ DIR/history, then DIR/snapshot-a
 *
 * Whatever interrupts it, a start with the folder is right: without the snapshot it reads the log from its beginning.
 */
#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "app/config.h"
#include "app/forwarding.h"
#include "base/hex.h"
#include "crypto/crypto.h"
#include "io/clock.h"
#include "io/disk.h"
#include "io/fetch.h"
#include "io/files.h"
#include "io/thread.h"
#include "pipeline/restore.h"
#include "wire/shape.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define PIECE_BYTES   COPY_PIECE_MAX
#define TIMEOUT_MS    30000
#define TRIES         4 /* of a piece, when the connection fails */
#define PAUSE_MS      500
#define PREPARE_MS    600000 /* until the other node has its copy ready */
#define GENESIS_BYTES (1024 * 1024)
#define ROOM_MORE     (64 * 1024 * 1024) /* that stay free on the disk */

enum { PART_SNAPSHOT = 0, PART_HISTORY, PART_GENESIS, PARTS };

struct part {
    char           name[16];
    uint64_t       bytes;
    struct hash256 hash;
};

struct join {
    const char            *from, *data, *config, *secret_file, *node;
    char                   secret_room[320], lines[512], folder[1024], joining[1100], store[1200];
    struct slice           secret;
    struct config         *settings; /* of --config; else NULL */
    char                  *piece;    /* PIECE_BYTES */
    char                  *genesis_text;
    struct genesis         genesis;
    struct hash256         instance;
    struct disk_folder     disk_folder; /* `joining` */
    struct disk            disk;
    int                    lock;
    uint64_t               copy, command, block, history_seq;
    struct part            parts[PARTS];
    struct snapshot_header facts;
    int64_t                began_ns, prepared_ns, fetched_ns;
};

/* ---- the other node ---- */

static bool ask_once(struct join *join, bool is_post, const char *path, struct fetched *fetched)
{
    char         url[1024];
    struct fetch fetch = {
        .url = url, .method = is_post ? "POST" : NULL, .lines = slice_of(join->lines), .timeout_ms = TIMEOUT_MS
    };

    if (snprintf(url, sizeof(url), "%s%s", join->from, path) >= (int)sizeof(url)) {
        (void)snprintf(fetched->why, sizeof(fetched->why), "the URL is too long");
        return false;
    }
    return fetch_url(&fetch, fetched);
}

/* An answer 200 in join->piece; a connection that fails is tried again a few times. */
static int ask(struct join *join, bool is_post, const char *path, struct slice *answer)
{
    struct fetched fetched = { .text = join->piece, .cap = PIECE_BYTES };
    bool           came = false;

    for (int i = 0; i < TRIES && !came; i++) {
        if (i != 0) thread_sleep_ms(PAUSE_MS);
        came = ask_once(join, is_post, path, &fetched);
    }
    if (!came) return complain(EXIT_GENERAL, "join: the node does not answer: %s", fetched.why);
    if (fetched.status == 200) {
        *answer = slice_make(join->piece, fetched.len);
        return EXIT_FINE;
    }
    while (fetched.len != 0 && join->piece[fetched.len - 1] <= ' ') fetched.len -= 1;
    if (fetched.len == 0 || join->piece[0] == '{' || join->piece[0] == '<')
        return complain(EXIT_GENERAL, "join: %s answers HTTP %d: is it a node that shares its log?", join->from,
                        fetched.status);
    return complain(EXIT_GENERAL, "join: the node refuses: %.*s", (int)min_u64(fetched.len, 300), join->piece);
}

/* "file NAME BYTES 0xHASH", in the order of enum PART_…. */
static bool read_part(const char *line, struct part *part)
{
    char          hash[67], name[16];
    unsigned long bytes;

    if (sscanf(line, "file %15s %lu %66s", name, &bytes, hash) != 3) return false;
    if (strlen(hash) != 66 || !hex_read_0x(slice_of(hash), part->hash.bytes, sizeof(part->hash.bytes))) return false;
    memcpy(part->name, name, sizeof(name));
    part->bytes = bytes;
    return true;
}

static bool read_description(struct join *join, char *text)
{
    static const char *const wanted[PARTS] = { "snapshot", "history", "genesis" };
    unsigned long            copy, command, block;
    const char              *line = strstr(text, "file ");

    if (sscanf(text, "ready %lu\ncommand %lu\nblock %lu\n", &copy, &command, &block) != 3) return false;
    for (uint32_t i = 0; i < PARTS; i++) {
        if (line == NULL || !read_part(line, &join->parts[i]) || strcmp(join->parts[i].name, wanted[i]) != 0)
            return false;
        line = strstr(line + 1, "file ");
    }
    join->copy = copy;
    join->command = command;
    join->block = block;
    return join->parts[PART_SNAPSHOT].bytes >= sizeof(join->facts) && join->parts[PART_GENESIS].bytes <= GENESIS_BYTES;
}

static int prepare(struct join *join)
{
    struct slice answer;
    char         text[2048];
    int          code = EXIT_FINE;

    for (;;) {
        code = ask(join, true, "/node/copy", &answer);
        if (code != EXIT_FINE) return code;
        (void)snprintf(text, sizeof(text), "%.*s", (int)min_u64(answer.len, sizeof(text) - 1), answer.at);
        if (strncmp(text, "preparing\n", 10) != 0) break;
        if (clock_mono_ns() - join->began_ns > PREPARE_MS * INT64_C(1000000))
            return complain(EXIT_GENERAL, "join: the node has no copy ready after %d s", PREPARE_MS / 1000);
        thread_sleep_ms(PAUSE_MS / 5);
    }
    text[strcspn(text, "\r")] = '\0';
    if (strncmp(text, "failed ", 7) == 0) return complain(EXIT_GENERAL, "join: the node has no copy: %s", text + 7);
    if (!read_description(join, text))
        return complain(EXIT_GENERAL, "join: the node describes its copy in a way that this program does not know");
    join->prepared_ns = clock_mono_ns();
    return EXIT_FINE;
}

static int fetch_piece(struct join *join, uint32_t number, uint64_t at, struct slice *answer)
{
    const struct part *part = &join->parts[number];
    uint64_t           bytes = min_u64(PIECE_BYTES, part->bytes - at);
    char               path[128];
    int                code;

    (void)snprintf(path, sizeof(path), "/node/copy/%lu/%u/%lu/%lu", (unsigned long)join->copy, number,
                   (unsigned long)at, (unsigned long)bytes);
    code = ask(join, false, path, answer);
    if (code == EXIT_FINE && answer->len != bytes)
        code = complain(EXIT_GENERAL, "join: the node sent %zu bytes of %s instead of %lu", answer->len, part->name,
                        (unsigned long)bytes);
    return code;
}

/* A part into `memory`, or, with NULL, into the file `handle` of `disk`; its hash must be the one that was told. */
static int fetch_part(struct join *join, uint32_t number, char *memory, const struct disk *disk, int handle)
{
    const struct part *part = &join->parts[number];
    struct keccak      keccak;
    struct hash256     hash;
    struct slice       piece;

    keccak_init(&keccak);
    for (uint64_t at = 0; at < part->bytes; at += piece.len) {
        int code = fetch_piece(join, number, at, &piece), error = 0;

        if (code != EXIT_FINE) return code;
        keccak_add(&keccak, piece.at, piece.len);
        if (memory != NULL) memcpy(memory + at, piece.at, piece.len);
        else error = disk->write(disk->self, handle, at, piece.at, piece.len);
        if (error != 0) return complain(EXIT_DISK, "join: %s cannot be written: %s", part->name, strerror(error));
        progress("fetching", at + piece.len, part->bytes);
    }
    progress_done();
    hash = keccak_end(&keccak);
    if (hash256_equal(&hash, &part->hash)) return EXIT_FINE;
    return complain(EXIT_DAMAGE, "join: %s has another hash than the node told: it was damaged on the way", part->name);
}

static int fetch_file(struct join *join, uint32_t number, const struct disk *disk, const char *name)
{
    int handle, code, error = disk->create(disk->self, name, 0);

    if (error == 0) error = disk->open(disk->self, name, true, &handle);
    if (error != 0) return complain(EXIT_DISK, "join: %s cannot be made: %s", name, strerror(error));
    code = fetch_part(join, number, NULL, disk, handle);
    error = disk->sync(disk->self, handle);
    disk->close(disk->self, handle);
    if (code == EXIT_FINE && error != 0)
        code = complain(EXIT_DISK, "join: %s cannot be written: %s", name, strerror(error));
    return code;
}

/* ---- what came ---- */

/* The genesis decides which log the node belongs to: the one of the configuration, when there is one. */
static int take_genesis(struct join *join)
{
    struct shape_error error = { 0 };
    struct slice       text;
    char               path[256];
    const char        *wrong = NULL;
    int                code = fetch_part(join, PART_GENESIS, join->genesis_text, NULL, -1);

    if (code != EXIT_FINE) return code;
    text = slice_make(join->genesis_text, (size_t)join->parts[PART_GENESIS].bytes);
    join->instance = keccak256(text.at, text.len);
    if (shape_read(&genesis_shape, text, &join->genesis, &error) != REJECT_NONE) wrong = error.field;
    else wrong = genesis_check(&join->genesis);
    if (wrong != NULL) return complain(EXIT_DAMAGE, "join: the genesis of the node is not valid: %s", wrong);
    genesis_complete(&join->genesis);
    if (join->settings == NULL || !genesis_difference(&join->settings->genesis, &join->genesis, path, sizeof(path)))
        return EXIT_FINE;
    return complain(EXIT_CONFIG, "join: the node has the log of another venue than %s: %s differs", join->config, path);
}

static int check_snapshot(struct join *join)
{
    struct snapshot_report report;
    enum snapshot_fault    fault = snapshot_check(&join->disk, snapshot_name(0), &report);

    if (fault == SNAPSHOT_OK) fault = snapshot_look(&join->disk, snapshot_name(0), &join->facts, &report);
    if (fault != SNAPSHOT_OK)
        return complain(snapshot_exit(fault), "join: the snapshot of the node cannot be used: %s", report.text);
    if (!hash256_equal(&join->facts.instance, &join->instance))
        return complain(EXIT_DAMAGE, "join: the snapshot of the node is one of another log than its genesis");
    if (restore_fits(&join->genesis, &join->facts)) return EXIT_FINE;
    return complain(EXIT_GENERAL, "join: the node has another program than this one: its snapshots have another form; "
                                  "start the new node without join, or with the program of the others");
}

static int check_history(struct join *join)
{
    int error = history_adopt(join->store, &join->instance, &join->history_seq);

    if (error == EUCLEAN) return complain(EXIT_DAMAGE, "join: the history of the node is damaged");
    if (error != 0) return complain(EXIT_DISK, "join: the history cannot be kept: %s", strerror(error));
    if (join->history_seq >= join->facts.seq) return EXIT_FINE;
    return complain(EXIT_DAMAGE, "join: the history of the node is behind its snapshot");
}

/* ---- the folder ---- */

/* Names that an interrupted join may have left beside `joining`; every other one is a reason to refuse. */
static int check_folder(struct join *join)
{
    static const char *const interrupted[] = { "joining", "history", "snapshot-a", "lock", NULL };
    static const char *const empty[] = { "lock", NULL };
    char                     name[256];
    bool                     again = files_check_folder(join->joining, false) == 0;
    int                      error = files_find_other(join->folder, again ? interrupted : empty, name);

    if (error == EEXIST)
        return complain(EXIT_GENERAL, "join: %s is not empty (%s): a new node begins with an empty folder",
                        join->folder, name);
    if (error != 0) return complain(EXIT_GENERAL, "join: the folder %s: %s", join->folder, strerror(error));
    return EXIT_FINE;
}

static void clear_folder(struct join *join)
{
    char path[1200];

    (void)snprintf(path, sizeof(path), "%s/snapshot-a", join->folder);
    files_remove_tree(path);
    (void)snprintf(path, sizeof(path), "%s/history", join->folder);
    files_remove_tree(path);
    files_remove_tree(join->joining);
}

static int open_folder(struct join *join)
{
    int code = check_folder(join), error;

    if (code != EXIT_FINE) return code;
    error = files_make_folder(join->folder);
    if (error == 0) error = disk_lock(join->folder, DISK_WRITE, &join->lock);
    if (error == EWOULDBLOCK) return complain(EXIT_IN_USE, "the folder %s is in use by another process", join->folder);
    if (error == 0) {
        clear_folder(join);
        error = disk_open(&join->disk_folder, join->joining, DISK_WRITE, true, &join->disk);
    }
    if (error == 0) error = files_make_folder(join->store);
    if (error == 0) return EXIT_FINE;
    return complain(EXIT_DISK, "join: the folder %s cannot be used: %s", join->folder, strerror(error));
}

static int check_room(struct join *join)
{
    uint64_t there, needed = ROOM_MORE;

    for (uint32_t i = 0; i < PARTS; i++) needed += join->parts[i].bytes;
    if (disk_free_bytes(&join->disk_folder, &there) != 0 || there >= needed) return EXIT_FINE;
    return complain(EXIT_DISK, "join: the disk of %s has %lu bytes free, and %lu are needed", join->folder,
                    (unsigned long)there, (unsigned long)needed);
}

static int fetch_history(struct join *join)
{
    struct disk_folder folder;
    struct disk        disk;
    int                code, error = disk_open(&folder, join->store, DISK_WRITE, true, &disk);

    if (error != 0) return complain(EXIT_DISK, "join: %s cannot be used: %s", join->store, strerror(error));
    code = fetch_file(join, PART_HISTORY, &disk, "data.mdb");
    disk_close(&folder);
    return code;
}

/* The history first: a snapshot without it would be passed over. */
static int move(struct join *join)
{
    struct disk_folder folder;
    struct disk        disk;
    char               from[64];
    int                error = disk_open(&folder, join->folder, DISK_WRITE, true, &disk);

    (void)snprintf(from, sizeof(from), "joining/%s", snapshot_name(0));
    if (error == 0) {
        error = disk_sync_all(&folder);
        if (error == 0) error = disk.rename(disk.self, "joining/history", "history");
        if (error == 0) error = disk.rename(disk.self, from, snapshot_name(0));
        disk_close(&folder);
    }
    if (error != 0) return complain(EXIT_DISK, "join: %s cannot be filled: %s", join->folder, strerror(error));
    files_remove_tree(join->joining);
    return EXIT_FINE;
}

static int run_in_folder(struct join *join)
{
    int code = prepare(join);

    if (code == EXIT_FINE) code = take_genesis(join);
    if (code == EXIT_FINE) code = open_folder(join);
    if (code == EXIT_FINE) code = check_room(join);
    if (code == EXIT_FINE) code = fetch_file(join, PART_SNAPSHOT, &join->disk, snapshot_name(0));
    if (code == EXIT_FINE) code = check_snapshot(join);
    if (code == EXIT_FINE) code = fetch_history(join);
    join->fetched_ns = clock_mono_ns();
    if (code == EXIT_FINE) code = check_history(join);
    if (code == EXIT_FINE) code = move(join);
    if (code != EXIT_FINE && join->lock >= 0) clear_folder(join);
    return code;
}

/* ---- the command ---- */

/* The other node keeps its copy for a while when this does not arrive. */
static void say_done(struct join *join)
{
    struct fetched fetched = { .text = join->piece, .cap = PIECE_BYTES };
    char           path[64];

    (void)snprintf(path, sizeof(path), "/node/copy/%lu", (unsigned long)join->copy);
    (void)ask_once(join, true, path, &fetched);
}

static double seconds(int64_t from_ns, int64_t to_ns) { return (double)(to_ns - from_ns) / 1e9; }

static void report(const struct join *join)
{
    int64_t  now_ns = clock_mono_ns();
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < PARTS; i++) bytes += join->parts[i].bytes;
    (void)printf("snapshot   command %lu, block %lu, %lu bytes\n", (unsigned long)join->facts.seq,
                 (unsigned long)join->facts.block_number, (unsigned long)join->parts[PART_SNAPSHOT].bytes);
    (void)printf("history    up to command %lu, %lu bytes\n", (unsigned long)join->history_seq,
                 (unsigned long)join->parts[PART_HISTORY].bytes);
    (void)printf("time       %.2f s: the node prepared it in %.2f s, %lu bytes came in %.2f s, checked in %.2f s\n",
                 seconds(join->began_ns, now_ns), seconds(join->began_ns, join->prepared_ns), (unsigned long)bytes,
                 seconds(join->prepared_ns, join->fetched_ns), seconds(join->fetched_ns, now_ns));
    (void)printf("next       dojima serve with data = %s reads the log from command %lu on\n", join->folder,
                 (unsigned long)join->facts.seq + 1);
}

static int read_settings(struct join *join)
{
    char        error[1024];
    const char *secret = join->secret_file;

    if (join->config != NULL) {
        join->settings = calloc(1, sizeof(*join->settings));
        if (join->settings == NULL) return complain(EXIT_GENERAL, "join: not enough memory");
        if (!config_read_file(join->config, join->settings, error, sizeof(error)))
            return complain(EXIT_CONFIG, "%s", error);
        if (join->data == NULL) join->data = join->settings->data;
        if (secret == NULL && join->settings->cluster.secret[0] != '\0') secret = join->settings->cluster.secret;
        if (join->settings->cluster.node[0] != '\0') join->node = join->settings->cluster.node;
    }
    if (join->data == NULL) return complain(EXIT_USAGE, "join: --data DIR or --config FILE is needed");
    if (secret == NULL)
        return complain(EXIT_USAGE, "join: the secret of the nodes is needed: --secret-file F, or [cluster] secret of "
                                    "--config FILE");
    if (strlen(join->data) >= sizeof(join->folder)) return complain(EXIT_USAGE, "join: the path is too long");
    (void)snprintf(join->folder, sizeof(join->folder), "%s", join->data);
    (void)snprintf(join->joining, sizeof(join->joining), "%s/joining", join->folder);
    (void)snprintf(join->store, sizeof(join->store), "%s/history", join->joining);
    return forwarding_read_secret("join: the secret", secret, join->secret_room, sizeof(join->secret_room),
                                  &join->secret);
}

static int run_join(struct join *join)
{
    int code = read_settings(join);

    if (code != EXIT_FINE) return code;
    code = check_folder(join);
    if (code != EXIT_FINE) return code;
    (void)snprintf(join->lines, sizeof(join->lines), "X-Dojima-Forwarded: %s %032d\r\nX-Dojima-Secret: %.*s\r\n",
                   join->node, 0, (int)join->secret.len, join->secret.at);
    join->piece = malloc(PIECE_BYTES);
    join->genesis_text = malloc(GENESIS_BYTES);
    if (join->piece == NULL || join->genesis_text == NULL) return complain(EXIT_GENERAL, "join: not enough memory");
    join->began_ns = clock_mono_ns();
    code = run_in_folder(join);
    if (join->copy != 0) say_done(join);
    if (code == EXIT_FINE) report(join);
    return code;
}

static void close_join(struct join *join)
{
    if (join->disk_folder.fd > 0) disk_close(&join->disk_folder);
    files_close(join->lock);
    free(join->settings);
    free(join->piece);
    free(join->genesis_text);
    free(join);
}

int command_join(int argc, char **argv)
{
    struct join          *join = calloc(1, sizeof(*join));
    const struct argument rows[] = {
        { "from", ARGUMENT_TEXT, 0, &join->from, "URL", "A running node, http://HOST:PORT; preferably a follower." },
        { "config", ARGUMENT_TEXT, 0, &join->config, "FILE",
          "The configuration of the new node: its data, its secret, and the genesis that the other one must have." },
        { "data", ARGUMENT_TEXT, 0, &join->data, "DIR", "The folder of the new node, empty or absent." },
        { "secret-file", ARGUMENT_TEXT, 0, &join->secret_file, "FILE", "The file of [cluster] secret." },
    };
    const struct arguments arguments = { "join",
                                         NULL,
                                         "Fetches the newest snapshot and the history of a running node into the "
                                         "folder of a new one (docs/cluster.md).",
                                         rows,
                                         ARRAY_COUNT(rows),
                                         NULL };
    int                    operand, code;

    assert(join != NULL);
    join->lock = -1;
    join->node = "join";
    if (!arguments_read(&arguments, argc, argv, &operand, &code)) {
        free(join);
        return code;
    }
    log_init(false);
    if (join->from == NULL) code = complain(EXIT_USAGE, "join: --from URL is needed");
    else if (!crypto_init())
        code = complain(EXIT_GENERAL, "the known-answer tests of the cryptography fail on this machine");
    else code = run_join(join);
    close_join(join);
    return code;
}
