/* SPDX-License-Identifier: MIT */
#include "log/postgres/beginning.h"

#include <inttypes.h>

#define BEGINNING                                                                                                      \
    "SELECT first, batches, next_command, digest, term, engine_ms, hash, chain FROM dojima.beginning WHERE shard = 0"

#define UNDEFINED_TABLE "42P01"

static void read_row(const PGresult *result, struct beginning *beginning)
{
    uint64_t first = (uint64_t)link_number(result, 0, 0), next_seq = (uint64_t)link_number(result, 0, 2);

    beginning->gone = (struct log_trimmed){ first, (uint64_t)link_number(result, 0, 1), next_seq, { { 0 } } };
    beginning->before = (struct row_place){ .number = first - 1,
                                            .term = (uint64_t)link_number(result, 0, 4),
                                            .next_seq = next_seq,
                                            .time_ms = link_number(result, 0, 5) };
    link_copy_hash(result, 0, 3, &beginning->gone.digest);
    link_copy_hash(result, 0, 6, &beginning->before.hash);
    link_copy_hash(result, 0, 7, &beginning->before.chain);
}

bool beginning_ask(struct link *link, struct beginning *beginning, int64_t ms)
{
    struct link_statement statement = { .text = BEGINNING };
    PGresult             *result = link_ask(link, &statement, ms);
    const char           *state = result == NULL ? NULL : pq.resultErrorField(result, PG_DIAG_SQLSTATE);
    bool                  good = result != NULL && pq.resultStatus(result) == PGRES_TUPLES_OK;

    *beginning = (struct beginning){ 0 };
    if (good && pq.ntuples(result) == 1) read_row(result, beginning);
    if (state != NULL && strcmp(state, UNDEFINED_TABLE) == 0) good = true;
    pq.clear(result);
    if (!good) link_close(link);
    return good;
}

enum log_fault beginning_refuse(const struct beginning *beginning, struct log_report *report)
{
    return link_say(report, LOG_REFUSED, NULL,
                    "the log begins at row %" PRIu64 ", command %" PRIu64
                    ": what came before was trimmed, and there is no snapshot here from there on; empty this node's "
                    "folder and run dojima join --from URL of a running node",
                    beginning->gone.row, beginning->gone.next_seq);
}
