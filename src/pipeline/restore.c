/* SPDX-License-Identifier: MIT */
#include "pipeline/restore.h"

#include "io/clock.h"
#include "diagnostics/program_log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { SECTION_ENGINE = 1, SECTION_VIEWS = 2, SECTION_BLOCKS = 3, SECTIONS = 3 }; /* never re-used: they reach disk */

static void list_sections(struct exchange *exchange, struct snapshot_section sections[SECTIONS])
{
    sections[0] = (struct snapshot_section){ SECTION_ENGINE, 0, exchange->engine_memory, engine_size(exchange->room) };
    sections[1] = (struct snapshot_section){ SECTION_VIEWS, 0, exchange->views_memory, views_size(exchange->room) };
    sections[2] = (struct snapshot_section){ SECTION_BLOCKS, 0, &exchange->blocks, sizeof(exchange->blocks) };
}

static_assert(sizeof(struct limits) == sizeof(((struct snapshot_header *)NULL)->limits), "reaches disk");

/* The layout of the sections' memory in this build. */
static struct hash256 layout_of(const struct genesis *genesis)
{
    struct hash256 engine = engine_layout(genesis);
    uint64_t       rest[] = { views_layout_id(genesis), sizeof(struct blocks), offsetof(struct blocks, recent),
                              offsetof(struct blocks, events) };
    struct keccak  keccak;

    keccak_init(&keccak);
    keccak_add(&keccak, engine.bytes, sizeof(engine.bytes));
    keccak_add(&keccak, rest, sizeof(rest));
    return keccak_end(&keccak);
}

enum exit_code snapshot_exit(enum snapshot_fault fault) { return fault == SNAPSHOT_IO ? EXIT_DISK : EXIT_DAMAGE; }

int restore_write(const struct replay *replay, struct exchange *exchange, const struct log_mark *place,
                  struct snapshot_header *facts)
{
    struct snapshot_section sections[SECTIONS];

    assert(place->next_seq == engine_seq(exchange->engine) + 1);
    *facts = (struct snapshot_header){
        .engine = LOG_ENGINE_VERSION,
        .instance = replay_instance(replay),
        .layout = layout_of(exchange->room),
        .seq = engine_seq(exchange->engine),
        .time_ms = place->time_ms,
        .position = place->position,
        .chain = place->chain,
        .block_number = exchange->blocks.applied.number,
        .block_hash = exchange->blocks.applied.hash,
        .state_hash = engine_hash(exchange->engine),
        .written_ms = clock_wall_ms(),
    };
    memcpy(facts->limits, &exchange->room->limits, sizeof(facts->limits));
    list_sections(exchange, sections);
    return snapshot_write(&replay->disk, SNAPSHOT_TEMPORARY, facts, sections, SECTIONS);
}

/* ---- back ---- */

static enum snapshot_fault contradicts(struct snapshot_report *report, const char *what)
{
    (void)snprintf(report->text, sizeof(report->text), "%s", what);
    return SNAPSHOT_FOREIGN;
}

/* The memory is the written one; this checks it against the facts. */
static enum snapshot_fault adopt(struct exchange *exchange, const struct snapshot_header *facts,
                                 struct snapshot_report *report)
{
    struct hash256 state;

    exchange->engine = engine_adopt(exchange->engine_memory, exchange->room);
    if (exchange->engine == NULL) return contradicts(report, "its engine is not one of this genesis");
    exchange->views = views_adopt(exchange->views_memory, exchange->room);
    if (exchange->views == NULL) return contradicts(report, "its views are not those of this genesis");
    if (engine_seq(exchange->engine) != facts->seq || exchange->blocks.applied.number != facts->block_number
        || !hash256_equal(&exchange->blocks.applied.hash, &facts->block_hash))
        return contradicts(report, "its content is at another command or block than its header");
    state = engine_hash(exchange->engine);
    if (!hash256_equal(&state, &facts->state_hash))
        return contradicts(
            report, "its state does not have the hash in its header (another build of the engine, or bad memory)");
    exchange_show(exchange);
    atomic_store(&exchange->time_ms, facts->time_ms);
    return SNAPSHOT_OK;
}

enum snapshot_fault restore_read(const struct replay *replay, struct exchange *exchange, const char *name,
                                 const struct snapshot_header *facts, struct snapshot_report *report)
{
    struct snapshot_section sections[SECTIONS];
    enum snapshot_fault     fault;
    struct limits           limits;

    memcpy(&limits, facts->limits, sizeof(limits));
    if (!exchange_reshape(exchange, &limits)) return contradicts(report, "there is not enough memory for its limits");
    list_sections(exchange, sections);
    fault = snapshot_load(&replay->disk, name, facts, sections, SECTIONS, report);
    return fault == SNAPSHOT_OK ? adopt(exchange, facts, report) : fault;
}

/* ---- which ---- */

static void pass_over(const struct replay *replay, uint32_t place, const char *why)
{
    log_line(LOG_WARN, "%s/%s is passed over: %s", replay->path, snapshot_name(place), why);
}

static void pass_over_version(const struct replay *replay, uint32_t place, uint32_t engine)
{
    char why[96];

    (void)snprintf(why, sizeof(why), "it is of engine version %u, and version %u is read", engine, LOG_ENGINE_VERSION);
    pass_over(replay, place, why);
}

static void insert(struct restore_choice *choice, uint32_t place, const struct snapshot_header *facts)
{
    uint32_t at = choice->count++;

    for (; at > 0 && choice->facts[at - 1].seq < facts->seq; at--) {
        choice->facts[at] = choice->facts[at - 1];
        choice->places[at] = choice->places[at - 1];
    }
    choice->facts[at] = *facts;
    choice->places[at] = place;
}

/* Limits only grow, and up to a maximum: a header that breaks this is not used to allocate memory. */
static bool grows(const struct limits *from, const struct limits *to)
{
    for (uint8_t pool = 1; pool < LIMITS; pool++)
        if (limits_get(to, pool) < limits_get(from, pool)
            || limits_get(to, pool) > max_u32(limits_get(from, pool), POOL_PLACES_MAX))
            return false;
    return true;
}

/* The layout of an exchange with the limits of a snapshot. False: such limits cannot be, or there is no memory. */
static bool layout_with(const struct genesis *genesis, const void *written, struct hash256 *layout)
{
    struct genesis *room = malloc(sizeof(*room)); /* as the snapshot's exchange was when it was written */
    bool            fine = room != NULL;

    if (fine) {
        *room = *genesis;
        memcpy(&room->limits, written, sizeof(room->limits));
        fine = grows(&genesis->limits, &room->limits);
    }
    if (fine) *layout = layout_of(room);
    free(room);
    return fine;
}

int restore_look(const struct replay *replay, const struct genesis *genesis, struct restore_choice *choice)
{
    struct hash256         instance = replay_instance(replay), layout;
    struct snapshot_header facts;
    struct snapshot_report report;

    choice->count = 0;
    for (uint32_t place = 0; place < SNAPSHOT_PLACES; place++) {
        enum snapshot_fault fault = snapshot_look(&replay->disk, snapshot_name(place), &facts, &report);

        if (fault == SNAPSHOT_ABSENT) continue;
        if (fault == SNAPSHOT_OK && facts.engine != LOG_ENGINE_VERSION) {
            pass_over_version(replay, place, facts.engine);
            continue;
        }
        if (fault == SNAPSHOT_OK && !hash256_equal(&facts.instance, &instance))
            return complain(EXIT_DAMAGE, "%s/%s is a snapshot of another log than the one beside it", replay->path,
                            snapshot_name(place));
        if (fault != SNAPSHOT_OK) {
            pass_over(replay, place, report.text);
            continue;
        }
        if (!layout_with(genesis, facts.limits, &layout)) {
            pass_over(replay, place, "its limits are lower than those of the genesis");
            continue;
        }
        if (!hash256_equal(&facts.layout, &layout))
            pass_over(replay, place, "it was written by a build that lays memory out in another way");
        else insert(choice, place, &facts);
    }
    return EXIT_FINE;
}

bool restore_fits(const struct genesis *genesis, const struct snapshot_header *facts)
{
    struct hash256 layout;

    if (facts->engine != LOG_ENGINE_VERSION) return false;
    return layout_with(genesis, facts->limits, &layout) && hash256_equal(&facts->layout, &layout);
}

struct log_mark restore_place(const struct snapshot_header *facts)
{
    return (struct log_mark){ facts->position, facts->seq + 1, facts->time_ms, facts->chain };
}

/* One of them: EXIT_FINE and *restored, EXIT_FINE and not (the next one may be better), or refused. */
static int try_one(struct replay *replay, struct exchange *exchange, uint32_t number,
                   const struct snapshot_header *facts, bool *restored)
{
    struct log_mark        place = restore_place(facts);
    struct snapshot_report report;
    enum snapshot_fault    fault = restore_read(replay, exchange, snapshot_name(number), facts, &report);
    enum log_fault         log_fault;

    if (fault == SNAPSHOT_FOREIGN)
        return complain(EXIT_DAMAGE, "%s/%s is refused: %s (--from-genesis reads the whole log instead)", replay->path,
                        snapshot_name(number), report.text);
    if (fault != SNAPSHOT_OK) {
        pass_over(replay, number, report.text);
        exchange_forget(exchange);
        return EXIT_FINE;
    }
    log_fault = log_resume(replay->log, &place, &replay->batch, &replay->report);
    if (log_fault == LOG_DAMAGED)
        return complain(EXIT_DAMAGE,
                        "%s/%s is good and the log contradicts it: %s (put the right log back, or remove history and "
                        "snapshots to go on with this one)",
                        replay->path, snapshot_name(number), replay->report.text);
    if (log_fault != LOG_OK) return replay_failed(replay, log_fault);
    *restored = true;
    return EXIT_FINE;
}

int restore_newest(struct replay *replay, struct exchange *exchange, uint64_t history_seq, struct log_mark *place)
{
    struct restore_choice choice;
    bool                  restored = false;
    int                   code = restore_look(replay, exchange->genesis, &choice);

    *place = (struct log_mark){ 0 };
    for (uint32_t i = 0; i < choice.count && code == EXIT_FINE && !restored; i++) {
        char why[160];

        if (choice.facts[i].seq > history_seq) {
            (void)snprintf(why, sizeof(why),
                           "it holds command %lu, and the history ends at %lu; the log, which must reach it, is read",
                           (unsigned long)choice.facts[i].seq, (unsigned long)history_seq);
            pass_over(replay, choice.places[i], why);
            continue;
        }
        code = try_one(replay, exchange, choice.places[i], &choice.facts[i], &restored);
        if (restored) *place = restore_place(&choice.facts[i]);
        if (restored)
            log_line(LOG_INFO, "%s/%s: command %lu, block %lu; the log is read from there", replay->path,
                     snapshot_name(choice.places[i]), (unsigned long)choice.facts[i].seq,
                     (unsigned long)choice.facts[i].block_number);
    }
    if (code == EXIT_FINE && !restored && !exchange_reshape(exchange, &exchange->genesis->limits))
        code = complain(EXIT_GENERAL, "not enough memory for the pools of the configuration");
    if (code == EXIT_FINE && !restored) exchange_begin(exchange, replay->genesis_json);
    return code;
}
