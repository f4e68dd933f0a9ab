/* SPDX-License-Identifier: MIT */
/*
 * book.c — the book alone: nanoseconds of the processor a record of the workload.
 *
 *   bench_book [W2] [W3] [W5] [churn] [--commands N] [--runs N]
 *
 * Included are the orders' pool, an array from the workload's ids to it, matching and the fold of trades into the
 * tape's hash; excluded is everything with accounts, money and events (bench_engine). One record at a time, nothing is
 * looked ahead for. W2, W3 and W5 must reproduce the generator's counts and hash. `churn` is a book of 2,000 levels of
 * one order each on either side, where every record makes a level or takes one away. All pages are touched before, on
 * huge pages.
 */
#include "bare_book.h"
#include "figure.h"
#include "tape.h"
#include "rigs/random.h"

#include "core/book/book.h"
#include <string.h>

#define RUNS_MAX     64
#define CHURN_LEVELS 2000 /* of a side, half of the prices there */
#define CHURN_MIDDLE 1000000

struct counts {
    uint64_t trades, quantity, hash, rejects;
};

static void fold(void *arg, const struct order *maker, const struct order *taker, const struct match *match)
{
    struct counts *counts = arg;

    counts->trades += 1;
    counts->quantity += (uint64_t)match->quantity;
    counts->hash = tape(counts->hash, maker->id, taker->id, (uint32_t)match->price, (uint32_t)match->quantity);
}

static inline __attribute__((always_inline)) void one(struct bare_book *book, const obcmd *r, struct counts *counts)
{
    switch (r->op) {
    case OP_ADD:
    case OP_IOC:
        (void)bare_add(book, r->id, r->side == BUY ? SIDE_BUY : SIDE_SELL, r->price, r->qty, r->op == OP_IOC, fold,
                       counts);
        return;
    case OP_CANCEL:
        if (bare_find(book, r->id) == NULL) counts->rejects += 1;
        else bare_cancel(book, r->id);
        return;
    default:
        if (bare_find(book, r->id) == NULL) counts->rejects += 1;
        else (void)bare_replace(book, r->id, r->price, r->qty, fold, counts);
        return;
    }
}

/* A symbol of its own, so that callgrind can count what is inside it. */
static __attribute__((noinline)) void run_timed(struct bare_book *book, const obcmd *records, uint64_t count,
                                                struct counts *counts)
{
    for (uint64_t i = 0; i < count; i++) one(book, &records[i], counts);
}

static int64_t run_once(const struct workload *w, struct counts *counts)
{
    struct bare_book book = bare_book_open((uint32_t)w->header.peak_rest + 1000, 100000, w->header.max_id + 1, true);
    int64_t          began;

    for (uint64_t i = 0; i < w->header.n_prefill; i++) one(&book, &w->records[i], counts);
    began = bench_thread_ns();
    run_timed(&book, w->records + w->header.n_prefill, w->count - w->header.n_prefill, counts);
    began = bench_thread_ns() - began;
    book_verify(book.engine);
    CHECK(engine_counts(book.engine).open_orders == w->header.exp_rest, "rest");
    bare_book_close(&book);
    return began;
}

static void measure(const struct workload *w, const char *name, const char *figure_name, int runs)
{
    double times[RUNS_MAX], generate = (double)w->generate_ns / (double)w->count, ns;

    for (int i = 0; i < runs; i++) {
        struct counts counts = { 0 };
        times[i] = (double)run_once(w, &counts) / (double)(w->count - w->header.n_prefill);
        CHECK(counts.trades == w->header.exp_trades && counts.quantity == w->header.exp_qty, "%s: trades", name);
        CHECK(counts.hash == w->header.exp_hash && counts.rejects == w->header.exp_rejects, "%s: tape", name);
    }
    ns = bench_median(times, (size_t)runs);
    printf("%s, the book alone: %.1f ns a record (best %.1f; median of %d)", name, ns, times[0], runs);
    if (generate > 0) printf("   %.2f of the generator's %.0f ns", ns / generate, generate);
    printf("\n");
    figure(figure_name, ns, generate);
}

/* Orders that never trade; a price is taken by at most one. Half of the prices of a side are taken at any time. */
static struct workload churn_load(uint64_t commands)
{
    static uint64_t taken[2][2 * CHURN_LEVELS]; /* id of the order there, 0 = none */
    struct workload w = { .count = 2 * CHURN_LEVELS + commands };
    obcmd          *records = bench_map((w.count + 1) * sizeof(*records));
    uint64_t        random_state = 88172645463325252u, id = 0;

    memset(taken, 0, sizeof(taken));
    for (uint64_t i = 0; i < w.count; i++) {
        uint64_t roll = random_xorshift(&random_state), side = roll & 1, at = (roll >> 8) % (2 * CHURN_LEVELS);
        bool     adds = i < 2 * CHURN_LEVELS || i % 2 == 0;
        obcmd   *r = &records[i];

        while ((taken[side][at] == 0) != adds) at = (at + 1) % (2 * CHURN_LEVELS);
        *r = (obcmd){ .op = adds ? OP_ADD : OP_CANCEL, .side = side == 0 ? BUY : SELL, .qty = 1 };
        r->id = adds ? ++id : taken[side][at];
        r->price = (uint32_t)(side == 0 ? CHURN_MIDDLE - at : CHURN_MIDDLE + 1 + at);
        taken[side][at] = adds ? id : 0;
        w.header.exp_rest += adds ? 1 : (uint64_t)-1;
    }
    w.records = records;
    w.header.max_id = id;
    w.header.n_prefill = 2 * CHURN_LEVELS;
    w.header.peak_rest = w.header.exp_rest + 1;
    return w;
}

static void run_part(const char *name, uint64_t commands, int runs)
{
    char            figure_name[16];
    struct workload w;

    snprintf(figure_name, sizeof(figure_name), "book-%c%s", name[0] == 'W' ? 'w' : 'c', name + 1);
    if (strcmp(name, "churn") == 0) {
        w = churn_load(commands);
        measure(&w, name, figure_name, runs);
        munmap((void *)(uintptr_t)w.records, (w.count + 1) * sizeof(obcmd));
        return;
    }
    w = workload_load(name, commands);
    measure(&w, name, figure_name, runs);
    workload_free(&w);
}

int main(int argc, char **argv)
{
    static const char *const parts[] = { "W2", "W3", "W5", "churn" };
    bool                     wanted[ARRAY_COUNT(parts)] = { false }, all = true;
    uint64_t                 commands = 1000000;
    int                      runs = 5;

    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 1; i < argc; i++) {
        size_t part = 0;

        if (strcmp(argv[i], "--commands") == 0 && i + 1 < argc) commands = strtoull(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--runs") == 0 && i + 1 < argc) runs = atoi(argv[++i]);
        else {
            while (part < ARRAY_COUNT(parts) && strcmp(parts[part], argv[i]) != 0) part += 1;
            CHECK(part < ARRAY_COUNT(parts), "there is no %s here", argv[i]);
            wanted[part] = true;
            all = false;
        }
    }
    CHECK(runs >= 1 && runs <= RUNS_MAX, "1 to %d runs", RUNS_MAX);
    for (size_t i = 0; i < ARRAY_COUNT(parts); i++)
        if (all || wanted[i]) run_part(parts[i], commands, runs);
    return 0;
}
