/* SPDX-License-Identifier: MIT */
/* process.c — the rows of the process: the system's figures, the build, the audit log, the cluster. */
#include "app/metrics/scrape.h"
#include "io/process.h"

/* ---- process ---- */

void scrape_resident(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, tally_of(&server_of(scrape)->figures.resident));
}
void scrape_handles(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, tally_of(&server_of(scrape)->figures.handles));
}
void scrape_handles_max(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, process_handles_max());
}

void scrape_cpu(const struct scrape *scrape, const struct metric *row)
{
    put_decimal(scrape, row, (int64_t)tally_of(&server_of(scrape)->figures.cpu_ns), 9);
}

void scrape_start(const struct scrape *scrape, const struct metric *row)
{
    put_decimal(scrape, row, scrape->instance->started_ms, 3);
}

void scrape_build(const struct scrape *scrape, const struct metric *row)
{
    struct sample sample = sample_begin(scrape->out, row->name, "");

    sample_label(&sample, "version", scrape->instance->api.version);
    sample_label(&sample, "compiler", slice_of(__VERSION__));
    sample_end(&sample, 1);
}

/* ---- the audit log ---- */

void scrape_audit_failures(const struct scrape *scrape, const struct metric *row)
{
    put(scrape, row, tally_of(&scrape->instance->audit.failures));
}

/* ---- several nodes with one log; of a node with a log of its own all zeros, and it leads ---- */

static struct cluster *cluster_of(const struct scrape *scrape)
{
    return server_of(scrape)->lead != NULL ? (struct cluster *)(uintptr_t)&scrape->instance->cluster : NULL;
}

void scrape_role(const struct scrape *scrape, const struct metric *row)
{
    static const struct {
        const char *name;
        uint32_t    role;
    } roles[] = { { "leader", NODE_LEADER }, { "leading", NODE_LEADING }, { "follower", NODE_FOLLOWER } };
    uint32_t role = atomic_load(&server_of(scrape)->shared.role);

    for (size_t i = 0; i < ARRAY_COUNT(roles); i++) put_one(scrape, row, "role", roles[i].name, roles[i].role == role);
}

void scrape_term(const struct scrape *scrape, const struct metric *row)
{
    struct cluster *cluster = cluster_of(scrape);

    put(scrape, row, cluster == NULL ? 0 : atomic_load(&cluster->lead.term));
}

void scrape_fence(const struct scrape *scrape, const struct metric *row)
{
    struct cluster *cluster = cluster_of(scrape);

    put_decimal(scrape, row, cluster == NULL ? 0 : atomic_load(&cluster->lead.fence_ms), 3);
}

void scrape_resigned(const struct scrape *scrape, const struct metric *row)
{
    struct cluster *cluster = cluster_of(scrape);

    put(scrape, row, cluster == NULL ? 0 : atomic_load(&cluster->lead.resigned));
}

void scrape_lease(const struct scrape *scrape, const struct metric *row)
{
    struct cluster *cluster = cluster_of(scrape);

    put_decimal(scrape, row, cluster == NULL ? 0 : cluster_lease_ms(cluster), 3);
}

void scrape_node_lag(const struct scrape *scrape, const struct metric *row)
{
    struct cluster *cluster = cluster_of(scrape);

    put(scrape, row, cluster == NULL ? 0 : cluster_lag(cluster));
}

void scrape_lag_seconds(const struct scrape *scrape, const struct metric *row)
{
    struct cluster *cluster = cluster_of(scrape);

    put_decimal(scrape, row, cluster == NULL ? 0 : cluster_lag_ms(cluster), 3);
}

void scrape_lease_steps(const struct scrape *scrape, const struct metric *row)
{
    struct cluster      *cluster = cluster_of(scrape);
    struct cluster_facts facts = cluster == NULL ? (struct cluster_facts){ .steps = 0 } : cluster_facts(cluster);

    put_one(scrape, row, "result", "ok", facts.steps - facts.failures);
    put_one(scrape, row, "result", "failed", facts.failures);
}
