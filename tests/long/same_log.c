/* SPDX-License-Identifier: MIT */
/*
 * same_log.c — same log, same state (G3): reads a log in many ways, and prints the result of each.
 *
 *     same_log FOLDER SCRATCH [SEED [WAYS]]   FOLDER is only read; SCRATCH is an empty folder for logs that are cut
 *                                             anew; WAYS, for logs of millions: few (marked *), whole (that alone), or
 *                                             all
 *
 *     whole *      as a start reads it, batch by batch; the number and hash of each block into SCRATCH/blocks
 *     pieces N     commands are collected N at a time, whatever their batches, prefetched and then run; 0 *: N is
 *                  random
 *     moved *      five times the engine's memory is copied to another place, and the copy continues
 *     seeds N      (1 *) the hash seed of the engine's tables over texts of clients is another
 *     cut N        the same commands in batches of N (0 *: random), as long as their time is the same, in a new log,
 *                  which is read again
 *
 * One line each: the way, seq, last block, its hash, state hash. The script tests/long/same_log calls this program,
 * built in many ways, and compares. Exit 1 and a message when the log names a block that is not reproduced.
 */
#include "core/engine.h"
#include "io/disk.h"
#include "model/shape.h"
#include "pipeline/blocks.h"
#include "wire/shape.h"
#include "rigs/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READ_BYTES  (4u << 20)
#define WRITE_BYTES (1u << 20)
#define MOVES       5
#define PAGE        4096u

static uint64_t random_state;

static uint32_t random_below(uint32_t n) { return (uint32_t)(random_congruent(&random_state) >> 33) % n; }

static void fail(const char *what, const char *more)
{
    (void)fprintf(stderr, "same_log: %s %s\n", what, more);
    exit(1);
}

static void *take(size_t bytes)
{
    void *memory = NULL;

    if (posix_memalign(&memory, PAGE, align_up(bytes, PAGE)) != 0) fail("not enough memory", "");
    return memory;
}

/* Zeros that take no memory until they are touched; 64-byte aligned. *whole is the pointer for free(). */
static void *take_zeros(size_t bytes, void **whole)
{
    *whole = calloc(1, bytes + PAGE);
    if (*whole == NULL) fail("not enough memory", "");
    return (void *)align_up((uintptr_t)*whole, PAGE);
}

/* ---- the seed of the engine's tables: it is made of a hash, and the linker sends the call here (--wrap) ---- */

static uint64_t other_seed; /* the seed of the engine that is being made; 0: its own */

struct hash256 __real_keccak256(const void *bytes, size_t len);
struct hash256 __wrap_keccak256(const void *bytes, size_t len);
struct hash256 __wrap_keccak256(const void *bytes, size_t len)
{
    struct hash256 hash = __real_keccak256(bytes, len);

    for (size_t i = 0; i < sizeof(other_seed); i++)
        hash.bytes[i] ^= (uint8_t)(other_seed >> 8 * i), hash.bytes[8 + i] ^= (uint8_t)(other_seed >> 8 * i);
    return hash;
}

/* ---- a log ---- */

struct kept {
    struct disk_folder folder;
    struct disk        disk;
    struct log        *log;
    struct log_report  report;
    struct slice       genesis_json;
    struct genesis     genesis;
    struct log_batch   batch;
    void              *memory;
};

static void read_genesis(struct kept *log)
{
    struct shape_error error = { 0 };

    if (shape_read(&genesis_shape, log->genesis_json, &log->genesis, &error) != REJECT_NONE
        || genesis_check(&log->genesis) != NULL)
        fail("the genesis cannot be read:", error.field);
    genesis_complete(&log->genesis);
}

static bool next_batch(struct kept *log, struct log_applied *claim)
{
    bool end = false;

    if (log_next(log->log, &log->batch, claim, &end, &log->report) != LOG_OK)
        fail("the log cannot be read:", log->report.text);
    return !end;
}

/* To read it; or, with the genesis of another one, to begin it and to write. */
static struct kept *open_log(const char *path, const struct kept *other)
{
    struct kept        *log = calloc(1, sizeof(*log));
    struct log_settings options = { .file_bytes = 64u << 20, .read_only = other == NULL };
    struct log_applied  claim;
    enum log_fault      fault;

    if (log == NULL) fail("not enough memory", "");
    if (disk_open(&log->folder, path, other == NULL ? DISK_BESIDE : DISK_WRITE, true, &log->disk) != 0)
        fail("no folder", path);
    log->memory = take(log_bytes());
    log->batch = (struct log_batch){ .at = take(READ_BYTES), .cap = READ_BYTES };
    if (other != NULL) {
        fault = log_create(log->memory, &log->disk, &options, other->genesis_json, &log->report);
        if (fault != LOG_OK) fail("a log cannot be begun:", log->report.text);
    }
    fault = log_open(log->memory, &log->disk, &options, &log->log, &log->genesis_json, &log->report);
    if (fault != LOG_OK) fail("the log cannot be read:", log->report.text);
    read_genesis(log);
    if (other != NULL && next_batch(log, &claim)) fail("a log was begun that has a batch:", path);
    return log;
}

static void close_log(struct kept *log)
{
    log_close(log->log);
    disk_close(&log->folder);
    free(log->batch.at);
    free(log->memory);
    free(log);
}

/* ---- an exchange, as far as it matters here ---- */

struct venue {
    struct genesis room; /* the genesis with the limits in force */
    struct engine *engine;
    void          *whole;
    struct events  events;
    struct blocks  blocks;
    FILE          *told; /* each block is written there; NULL: none is */
};

static struct venue *begin(const struct kept *log, uint64_t seed)
{
    struct venue *venue = calloc(1, sizeof(*venue));
    size_t        worst = engine_events_bytes(&log->genesis);
    void         *memory;

    if (venue == NULL) fail("not enough memory", "");
    venue->room = log->genesis;
    venue->events = (struct events){ .at = take(4 * worst), .cap = 4 * worst };
    memory = take_zeros(engine_size(&log->genesis), &venue->whole);
    other_seed = seed;
    venue->engine = engine_init(memory, &log->genesis, &venue->events);
    other_seed = 0;
    venue->events.len = 0;
    blocks_init(&venue->blocks, &log->genesis, log->genesis_json);
    return venue;
}

static void begin_batch(struct venue *venue, const struct log_applied *claim)
{
    char text[96];

    (void)snprintf(text, sizeof(text), "%lu before command %lu", (unsigned long)claim->number,
                   (unsigned long)engine_seq(venue->engine) + 1);
    if (!blocks_agree(&venue->blocks, claim)) fail("the log names another block", text);
    blocks_begin(&venue->blocks);
}

/* A limit is raised: the engine moves into more memory, and the events have more room (ruling 75). */
static void grow(struct venue *venue, const struct limits *limits)
{
    void  *old = venue->whole, *memory;
    size_t worst;

    venue->room.limits = *limits;
    worst = engine_events_bytes(&venue->room);
    memory = take_zeros(engine_size(&venue->room), &venue->whole);
    venue->engine = engine_move(memory, venue->engine, limits);
    free(old);
    free(venue->events.at);
    venue->events = (struct events){ .at = take(4 * worst), .cap = 4 * worst };
}

/* `ahead` NULL: without hints. */
static void run(struct venue *venue, const struct log_record *record, const struct engine_ahead *ahead)
{
    struct hash256 hash;
    struct events  own;
    struct limits  limits;
    size_t         from;

    if (engine_raises(venue->engine, record->command, &limits)) grow(venue, &limits);
    if (venue->events.cap - venue->events.len < venue->events.cap / 4) venue->events.len = 0;
    from = venue->events.len;
    if (ahead != NULL) engine_apply_ahead(venue->engine, record->command, ahead, &venue->events);
    else engine_apply(venue->engine, record->command, &venue->events);
    own = (struct events){ venue->events.at + from, venue->events.len - from, venue->events.len - from };
    blocks_events(&venue->blocks, &own);
    (void)blocks_add(&venue->blocks, record, &own, &hash);
}

static void print_hash(FILE *file, const struct hash256 *hash)
{
    for (size_t i = 0; i < sizeof(hash->bytes); i++) (void)fprintf(file, "%02x", hash->bytes[i]);
}

static void end_batch(struct venue *venue, int64_t time_ms)
{
    if (!blocks_end(&venue->blocks, time_ms) || venue->told == NULL) return;
    (void)fprintf(venue->told, "%lu 0x", (unsigned long)venue->blocks.applied.number);
    print_hash(venue->told, &venue->blocks.applied.hash);
    (void)fprintf(venue->told, "\n");
}

/* The line, and the end of it. */
static void end(struct venue *venue, const char *way)
{
    struct hash256 state = engine_hash(venue->engine);

    engine_verify(venue->engine);
    (void)printf("%s: seq %lu block %lu ", way, (unsigned long)engine_seq(venue->engine),
                 (unsigned long)venue->blocks.applied.number);
    print_hash(stdout, &venue->blocks.applied.hash);
    (void)printf(" state ");
    print_hash(stdout, &state);
    (void)printf("\n");
    (void)fflush(stdout);
    free(venue->whole);
    free(venue->events.at);
    free(venue);
}

/* ---- the ways ---- */

static void run_batch(struct venue *venue, struct kept *log, const struct log_applied *claim)
{
    struct log_cursor cursor = { 0 };
    struct log_record record;

    begin_batch(venue, claim);
    while (log_batch_next(&log->batch, &cursor, &record)) run(venue, &record, NULL);
    end_batch(venue, log->batch.time_ms);
}

/* Copies the engine byte by byte, except pages of zeros, and makes the old memory useless. */
static void move(struct venue *venue)
{
    size_t         bytes = engine_size(&venue->room);
    uint8_t       *from = (uint8_t *)align_up((uintptr_t)venue->whole, PAGE), *to;
    static uint8_t zeros[PAGE];
    void          *whole;

    to = take_zeros(bytes, &whole);
    for (size_t at = 0; at < bytes; at += PAGE) {
        size_t len = bytes - at < PAGE ? bytes - at : PAGE;

        if (memcmp(from + at, zeros, len) == 0) continue;
        memcpy(to + at, from + at, len);
        memset(from + at, 0xA5, len);
    }
    free(venue->whole);
    venue->whole = whole;
    venue->engine = engine_adopt(to, &venue->room);
    if (venue->engine == NULL) fail("an engine is none in another place", "");
}

/* How a log is read whole. */
struct manner {
    const char *way;
    FILE       *told;
    uint64_t    moves_in, seed;
};

/* How many batches it has. */
static uint64_t read_whole(const char *path, const struct manner *manner)
{
    struct kept       *log = open_log(path, NULL);
    struct venue      *venue = begin(log, manner->seed);
    struct log_applied claim;
    uint64_t           batches = 0, places[MOVES];
    uint32_t           moves = manner->moves_in != 0 ? MOVES : 0;

    venue->told = manner->told;
    for (uint32_t i = 0; i < moves; i++) places[i] = random_below((uint32_t)manner->moves_in);
    for (; next_batch(log, &claim); batches++) {
        run_batch(venue, log, &claim);
        for (uint32_t i = 0; i < moves; i++)
            if (places[i] == batches) move(venue);
    }
    end(venue, manner->way);
    close_log(log);
    return batches;
}

/* Collects commands until there are enough, together with the beginnings and ends of batches between them. */
struct waiting {
    struct log_record   record;           /* command NULL: a batch begins or ends here */
    struct hash256      tx_hash;          /* of the record, whose batch is gone when it runs */
    size_t              offset, hints_at; /* hints_at: in the piece's hints; SIZE_MAX = it has none */
    struct engine_ahead ahead;
    bool                begins;
    struct log_applied  claim;
    int64_t             time_ms;
};
struct piece {
    struct waiting *rows;
    size_t          count, rows_cap, commands;
    uint8_t        *bytes;
    size_t          len, cap;
    uint8_t        *hints; /* of the decoder */
    size_t          hints_len, hints_cap;
};

static struct waiting *wait_row(struct piece *piece)
{
    if (piece->count == piece->rows_cap) {
        piece->rows_cap = 2 * piece->rows_cap + 64;
        piece->rows = realloc(piece->rows, piece->rows_cap * sizeof(*piece->rows));
        if (piece->rows == NULL) fail("not enough memory", "");
    }
    memset(&piece->rows[piece->count], 0, sizeof(*piece->rows));
    return &piece->rows[piece->count++];
}

/* What the thread that decoded the command would have sent along. */
static void wait_hints(struct piece *piece, const struct hint_tables *tables, struct waiting *row,
                       const struct command *command)
{
    static struct hints hints;
    size_t              bytes = command->domain == 0 ? 0 : hints_make(tables, command, &hints);

    row->hints_at = bytes == 0 ? SIZE_MAX : piece->hints_len;
    if (piece->hints_cap - piece->hints_len < bytes) {
        piece->hints_cap = 2 * piece->hints_cap + bytes;
        piece->hints = realloc(piece->hints, piece->hints_cap);
        if (piece->hints == NULL) fail("not enough memory", "");
    }
    memcpy(piece->hints + piece->hints_len, &hints, bytes);
    piece->hints_len += bytes;
}

static void wait_command(struct piece *piece, const struct hint_tables *tables, const struct log_record *record)
{
    struct waiting *row = wait_row(piece);
    size_t          bytes = align_up(record->command->bytes, 64);

    if (piece->cap - piece->len < bytes) {
        piece->cap = 2 * piece->cap + bytes;
        piece->bytes = realloc(piece->bytes, piece->cap);
        if (piece->bytes == NULL) fail("not enough memory", "");
    }
    memcpy(piece->bytes + piece->len, record->command, record->command->bytes);
    row->record = *record;
    row->tx_hash = *record->tx_hash;
    row->offset = piece->len;
    wait_hints(piece, tables, row, record->command);
    piece->len += bytes;
    piece->commands += 1;
}

/*
 * All of them are looked at ahead, then run with the hints of that, which are of a state long past, and with those of
 * the decoder: nothing that the engine reads ahead may matter.
 */
static void run_piece(struct venue *venue, struct piece *piece)
{
    for (int look = 0; look < 3; look++)
        for (size_t i = 0; i < piece->count; i++) {
            struct waiting *row = &piece->rows[i];

            if (row->record.command == NULL) continue;
            row->record.command = (const struct command *)(const void *)(piece->bytes + row->offset);
            row->record.tx_hash = &row->tx_hash;
            if (look == 0)
                engine_prefetch_far(venue->engine, row->record.command,
                                    row->hints_at == SIZE_MAX ? NULL : (const void *)(piece->hints + row->hints_at),
                                    &row->ahead);
            else if (look == 1) engine_prefetch_near(venue->engine, &row->ahead);
            else engine_prefetch_close(venue->engine, &row->ahead);
        }
    for (size_t i = 0; i < piece->count; i++) {
        const struct waiting *row = &piece->rows[i];

        if (row->record.command != NULL) run(venue, &row->record, &row->ahead);
        else if (row->begins) begin_batch(venue, &row->claim);
        else end_batch(venue, row->time_ms);
    }
    venue->events.len = 0;
    piece->count = piece->commands = piece->len = piece->hints_len = 0;
}

static void read_in_pieces(const char *path, uint32_t size, const char *way)
{
    struct kept       *log = open_log(path, NULL);
    struct venue      *venue = begin(log, 0);
    struct piece       piece = { 0 };
    struct hint_tables tables;
    struct log_applied claim;
    uint32_t           wanted = size != 0 ? size : 1 + random_below(3000);

    hint_tables_make(&log->genesis, &tables);
    while (next_batch(log, &claim)) {
        struct log_cursor cursor = { 0 };
        struct log_record record;
        struct waiting   *row = wait_row(&piece);

        row->begins = true;
        row->claim = claim;
        while (log_batch_next(&log->batch, &cursor, &record)) {
            wait_command(&piece, &tables, &record);
            if (piece.commands < wanted) continue;
            run_piece(venue, &piece);
            wanted = size != 0 ? size : 1 + random_below(3000);
        }
        wait_row(&piece)->time_ms = log->batch.time_ms;
    }
    run_piece(venue, &piece);
    end(venue, way);
    close_log(log);
    free(piece.rows);
    free(piece.bytes);
    free(piece.hints);
}

/* ---- cut anew ---- */

struct cutting {
    struct kept     *to;
    struct venue    *venue;
    struct log_batch batch;
};

static void seal(struct cutting *cutting)
{
    struct log_applied applied = cutting->venue->blocks.applied;
    struct log_cursor  cursor = { 0 };
    struct log_record  record;

    if (cutting->batch.count == 0) return;
    if (log_append(cutting->to->log, &cutting->batch, &applied) != 0) fail("a log cannot be written", "");
    blocks_begin(&cutting->venue->blocks);
    while (log_batch_next(&cutting->batch, &cursor, &record)) run(cutting->venue, &record, NULL);
    end_batch(cutting->venue, cutting->batch.time_ms);
    cutting->batch.count = 0;
}

static void add(struct cutting *cutting, const struct log_record *record, bool cut)
{
    struct log_batch *batch = &cutting->batch;

    if (batch->count != 0 && (cut || batch->time_ms != record->command->time_ms)) seal(cutting);
    if (batch->count == 0) log_batch_begin(batch, record->command->seq, record->command->time_ms);
    if (log_batch_add(batch, record)) return;
    seal(cutting);
    log_batch_begin(batch, record->command->seq, record->command->time_ms);
    if (!log_batch_add(batch, record)) fail("a command is too large", "");
}

/*
 * Writes batches of `size` commands (0: random) that all have one time, because the time is part of the commands. Then
 * reads the log made so.
 */
static void cut_anew(const char *path, const char *scratch, uint32_t size, const char *way)
{
    struct kept       *from = open_log(path, NULL), *to;
    struct cutting     cutting = { .batch = { .at = take(WRITE_BYTES), .cap = WRITE_BYTES } };
    struct log_applied claim;
    char               folder[4200], again[4200];

    (void)snprintf(folder, sizeof(folder), "%s/cut-%u", scratch, size);
    cutting.to = to = open_log(folder, from);
    cutting.venue = begin(from, 0);
    while (next_batch(from, &claim)) {
        struct log_cursor cursor = { 0 };
        struct log_record record;

        while (log_batch_next(&from->batch, &cursor, &record))
            add(&cutting, &record, size != 0 ? cutting.batch.count == size : random_below(5) == 0);
    }
    seal(&cutting);
    end(cutting.venue, way);
    close_log(to);
    close_log(from);
    free(cutting.batch.at);
    (void)snprintf(again, sizeof(again), "%s, read again", way);
    (void)read_whole(folder, &(struct manner){ .way = again });
}

/* Which ways to run. */
enum ways { WAYS_WHOLE, WAYS_FEW, WAYS_ALL };

static enum ways ways_of(const char *name)
{
    if (strcmp(name, "whole") == 0) return WAYS_WHOLE;
    if (strcmp(name, "few") == 0) return WAYS_FEW;
    if (strcmp(name, "all") != 0) fail("no such ways:", name);
    return WAYS_ALL;
}

/* The ways that need no log of their own; `batches` is the number of batches in the log. */
static void read_in_all_ways(const char *path, enum ways ways, uint64_t batches)
{
    static const uint32_t sizes[] = { 0, 1, 2, 7, 64, 1000 };
    char                  text[32];

    for (size_t i = 0; i < (ways == WAYS_ALL ? ARRAY_COUNT(sizes) : 1); i++) {
        (void)snprintf(text, sizeof(text), "pieces %u", sizes[i]);
        read_in_pieces(path, sizes[i], text);
    }
    (void)read_whole(path, &(struct manner){ .way = "moved", .moves_in = batches });
    for (uint64_t i = 1; i <= (ways == WAYS_ALL ? 2 : 1); i++) {
        (void)snprintf(text, sizeof(text), "seeds %lu", (unsigned long)i);
        (void)read_whole(path,
                         &(struct manner){ .way = text, .seed = i * UINT64_C(0x9E3779B97F4A7C15) ^ random_state });
    }
}

static void cut_in_all_ways(const char *path, const char *scratch, enum ways ways)
{
    static const uint32_t cuts[] = { 0, 1, 3, 4000 };
    char                  text[32];

    for (size_t i = 0; i < (ways == WAYS_ALL ? ARRAY_COUNT(cuts) : 1); i++) {
        (void)snprintf(text, sizeof(text), "cut %u", cuts[i]);
        cut_anew(path, scratch, cuts[i], text);
    }
}

int main(int argc, char **argv)
{
    char      text[4096];
    uint64_t  batches;
    enum ways ways;
    FILE     *told;

    if (argc < 3 || argc > 5) fail("usage:", "same_log FOLDER SCRATCH [SEED [WAYS]]");
    random_state = argc >= 4 ? strtoull(argv[3], NULL, 10) : 1;
    ways = ways_of(argc == 5 ? argv[4] : "all");
    (void)snprintf(text, sizeof(text), "%s/blocks", argv[2]);
    told = fopen(text, "w");
    if (told == NULL) fail("cannot write", text);
    batches = read_whole(argv[1], &(struct manner){ .way = "whole", .told = told });
    (void)fclose(told);
    if (ways == WAYS_WHOLE) return 0;
    read_in_all_ways(argv[1], ways, batches);
    cut_in_all_ways(argv[1], argv[2], ways);
    return 0;
}
