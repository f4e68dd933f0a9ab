/* SPDX-License-Identifier: MIT */
/*
 * metricsdoc.c — prints docs/METRICS.md from the rows of /metrics. The test "docs/metrics" compares what it prints with
 * the file in the repository, so the page cannot be stale.
 */
#include "app/metrics.h"

#include <stdio.h>

static void print_row(const struct metric *row)
{
    (void)printf("### `%s`\n\n%s\n\n", row->name, row->help);
    (void)printf("%s%s%s. Labels: %s. Counted by: %s.\n\n", metric_type_names[row->type],
                 row->unit[0] != '\0' ? ", in " : "", row->unit, row->labels[0] != '\0' ? row->labels : "none",
                 row->where);
}

int main(void)
{
    (void)printf(
        "# Metrics\n\n"
        "`GET /metrics` on the port of the interface, in the text format of Prometheus (version 0.0.4). Who may read "
        "it is the\n"
        "setting `metrics`, a list of addresses: this machine alone unless it says otherwise. A request that a proxy "
        "brings\n"
        "counts as its client's when the proxy is trusted (`trustedProxies`), and is refused when it is not. Nothing "
        "in an answer\n"
        "names an account, an address or anything that a client said: labels are rows of tables and names of the "
        "genesis, so\n"
        "there are as many series at most as these have rows.\n\n"
        "```\n"
        "curl -s http://127.0.0.1:8080/metrics\n"
        "```\n\n"
        "`ops/prometheus/prometheus.yml` collects them, `ops/prometheus/alerts.yml` says when somebody must look,\n"
        "`ops/grafana/dojima.json` draws them. Counting takes no memory and no lock: each thread counts for itself, "
        "and the\n"
        "reader adds up. Counters begin at 0 with the process unless their sentence says *of the whole log*.\n\n"
        "Histograms have fixed buckets: 256 ns times powers of two and the halves between them, up to 17 s.\n\n"
        "This page is printed from the rows of `src/app/metrics.c` (`build/release/metricsdoc > docs/METRICS.md`).\n"
        "\n");
    for (uint32_t i = 0; i < metric_count; i++) print_row(&metrics[i]);
    return 0;
}
