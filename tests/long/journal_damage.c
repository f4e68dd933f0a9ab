/* SPDX-License-Identifier: MIT */
/*
 * journal_damage [STEP] — damages a 64 KiB journal: flips every bit, cuts each of its files to every length, swaps and
 * repeats every pair of sectors and of blocks, and replaces each sector and block by zeros or by an older version
 * (G11). A separate reader opens each case. It may read the same as before, report a torn tail and leave out the last
 * batch and nothing else, or refuse. STEP checks every STEP-th case only (of pairs, every STEP / 50-th).
 *
 * The reader must report the place of a cut, and refuse the cut when the tail has to be strict. One kind of damage
 * cannot be distinguished from a write that never happened: the whole last batch turned to zeros. Here that is the
 * closing batch, which holds nothing.
 *
 * One line of JSON; exit 1 when some damage was not detected.
 */
#include "tests/support/journal_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SEGMENT_BYTES (32 * 1024)
#define FILES         2
#define BYTES         (FILES * SEGMENT_BYTES)
#define AGES_MAX      16

static struct rig rig;
static uint8_t    good[BYTES], ages[AGES_MAX][BYTES];
static uint32_t   age_count;

static struct tally {
    const char *what;
    uint64_t    cases, same, cut, never_written, refused, undetected;
} tallies[10];
static struct tally *tally;
static uint64_t      step = 1, turn;

static struct memory_file *file_at(uint64_t number)
{
    char name[32];

    (void)snprintf(name, sizeof(name), "journal-%08llu.log", (unsigned long long)number + 1);
    return memory_disk_find(&rig.memory, name);
}

static uint8_t *byte_at(uint64_t at) { return file_at(at / SEGMENT_BYTES)->cache + at % SEGMENT_BYTES; }

/* ---- one case ---- */

static void undetected(uint64_t where)
{
    tally->undetected++;
    if (tally->undetected <= 3)
        (void)fprintf(stderr, "undetected: %s at %llu: %u of %u batches, %s\n", tally->what, (unsigned long long)where,
                      rig.recovered, rig.handed, rig.report.torn ? "torn" : "no word");
}

/* The reader reports the cut, and refuses it when the tail has to be strict. */
static bool is_honest_cut(void)
{
    bool told = rig.report.torn && rig.report.torn_file[0] != '\0'
             && rig.report.torn_after_seq == rig.ledger[rig.handed - 1].first_seq - 1;
    bool same;

    if (!told || rig.recovered != rig.handed - 1) return false;
    rig.options.strict_tail = true;
    enum log_fault strict = rig_open(&rig, &same);
    rig.options.strict_tail = false;
    return strict == LOG_DAMAGED && same;
}

static void judge(uint64_t where)
{
    bool           same;
    enum log_fault fault = rig_open(&rig, &same);

    tally->cases++;
    if (!same) undetected(where);
    else if (fault == LOG_DAMAGED) tally->refused++;
    else if (fault != LOG_OK) undetected(where);
    else if (rig.recovered == rig.handed) tally->same++;
    else if (!rig.report.torn && rig.recovered == rig.handed - 1 && rig.ledger[rig.handed - 1].count == 0)
        tally->never_written++;
    else if (is_honest_cut()) tally->cut++;
    else undetected(where);
}

/* Of pairs there are few. */
static bool skipped(uint64_t every) { return turn++ % every != 0; }

/* ---- the journal ---- */

static void make_log(bool closed)
{
    rig_init(&rig, SEGMENT_BYTES);
    assert(rig_create(&rig) == LOG_OK);
    age_count = 0;
    for (uint32_t i = 0; i < 7; i++) {
        assert(rig_append(&rig, i == 2 ? 0 : i == 6 ? 9 : 3 + i) == 0);
        if (age_count < AGES_MAX) {
            for (uint64_t f = 0; f < FILES; f++)
                if (file_at(f) != NULL) memcpy(ages[age_count] + f * SEGMENT_BYTES, file_at(f)->cache, SEGMENT_BYTES);
            age_count++;
        }
    }
    if (closed) assert(rig_append(&rig, 0) == 0);
    journal_close(rig.journal);
    rig.options.read_only = true;
    assert(file_at(FILES - 1) != NULL && file_at(FILES) == NULL);
    for (uint64_t f = 0; f < FILES; f++) memcpy(good + f * SEGMENT_BYTES, file_at(f)->cache, SEGMENT_BYTES);
}

static void put_back(uint64_t at, size_t bytes) { memcpy(byte_at(at), good + at, bytes); }

/* ---- the damage ---- */

static void flip_every_bit(void)
{
    for (uint64_t bit = 0; bit < BYTES * 8; bit++) {
        if (skipped(step)) continue;
        *byte_at(bit / 8) ^= (uint8_t)(1 << bit % 8);
        judge(bit);
        *byte_at(bit / 8) ^= (uint8_t)(1 << bit % 8);
    }
}

static void cut_to_every_length(void)
{
    for (uint64_t f = 0; f < FILES; f++) {
        for (uint64_t len = 0; len < SEGMENT_BYTES; len++) {
            if (skipped(step)) continue;
            memory_disk_truncate(file_at(f), len);
            judge(f * SEGMENT_BYTES + len);
            memory_disk_truncate(file_at(f), SEGMENT_BYTES);
            put_back(f * SEGMENT_BYTES, SEGMENT_BYTES);
        }
    }
}

static void every_pair(size_t bytes, bool swapped)
{
    for (uint64_t i = 0; i < BYTES; i += bytes) {
        for (uint64_t j = swapped ? i + bytes : 0; j < BYTES; j += bytes) {
            if (memcmp(good + i, good + j, bytes) == 0 || skipped(1 + step / 50)) continue;
            memcpy(byte_at(j), good + i, bytes);
            if (swapped) memcpy(byte_at(i), good + j, bytes);
            judge(i);
            put_back(i, bytes);
            put_back(j, bytes);
        }
    }
}

static void every_zero_and_age(size_t bytes)
{
    static const uint8_t zeros[JOURNAL_BLOCK];

    for (uint64_t at = 0; at < BYTES; at += bytes) {
        for (uint32_t age = 0; age <= age_count; age++) {
            const uint8_t *old = age == age_count ? zeros : ages[age] + at;

            if (memcmp(old, good + at, bytes) == 0 || skipped(1 + step / 50)) continue;
            memcpy(byte_at(at), old, bytes);
            judge(at);
            put_back(at, bytes);
        }
    }
}

static void begin(const char *what)
{
    tally = tally == NULL ? tallies : tally + 1;
    tally->what = what;
    turn = 0;
}

int main(int argc, char **argv)
{
    struct timespec start, end;
    uint64_t        wrong = 0, cases = 0;

    if (argc > 1) step = strtoull(argv[1], NULL, 10);
    if (argc > 2 || step == 0) {
        (void)fprintf(stderr, "journal_damage [STEP]\n");
        return 2;
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &start);
    make_log(false);
    begin("bits"), flip_every_bit();
    begin("lengths"), cut_to_every_length();
    begin("sectors swapped"), every_pair(512, true);
    begin("sectors repeated"), every_pair(512, false);
    begin("blocks swapped"), every_pair(JOURNAL_BLOCK, true);
    begin("blocks repeated"), every_pair(JOURNAL_BLOCK, false);
    rig_free(&rig);
    make_log(true);
    begin("sectors zeroed or old"), every_zero_and_age(512);
    begin("blocks zeroed or old"), every_zero_and_age(JOURNAL_BLOCK);
    begin("bits, closed"), flip_every_bit();
    rig_free(&rig);
    (void)clock_gettime(CLOCK_MONOTONIC, &end);

    (void)printf("{\"goal\": \"G11\", \"bytes\": %d", BYTES);
    for (const struct tally *one = tallies; one <= tally; one++) {
        (void)printf(", \"%s\": {\"cases\": %llu, \"same\": %llu, \"cut\": %llu, \"never_written\": %llu, \"refused\": "
                     "%llu, \"undetected\": %llu}",
                     one->what, (unsigned long long)one->cases, (unsigned long long)one->same,
                     (unsigned long long)one->cut, (unsigned long long)one->never_written,
                     (unsigned long long)one->refused, (unsigned long long)one->undetected);
        wrong += one->undetected, cases += one->cases;
    }
    (void)printf(", \"cases\": %llu, \"undetected\": %llu, \"seconds\": %lld}\n", (unsigned long long)cases,
                 (unsigned long long)wrong, (long long)(end.tv_sec - start.tv_sec));
    return wrong == 0 && cases != 0 ? 0 : 1;
}
