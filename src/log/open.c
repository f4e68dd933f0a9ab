/* SPDX-License-Identifier: MIT */
/* open.c — which logs there are. It is the only file outside of the folders of implementations that names one. */
#include "log/file/file.h"
#include "log/kind.h"
#include "log/postgres/postgres.h"

/* By log_settings.kind: the order never changes. */
const struct log_kind *const log_kinds[] = { &log_file, &log_postgres, NULL };

size_t log_bytes(void)
{
    size_t bytes = 0;

    for (const struct log_kind *const *kind = log_kinds; *kind != NULL; kind++)
        if ((*kind)->bytes() > bytes) bytes = (*kind)->bytes();
    assert(bytes >= sizeof(struct log));
    return bytes;
}

static const struct log_kind *kind_of(const struct log_settings *settings)
{
    assert(settings->kind < ARRAY_COUNT(log_kinds) - 1);
    return log_kinds[settings->kind];
}

enum log_fault log_create(void *memory, const struct disk *folder, const struct log_settings *settings,
                          struct slice genesis, struct log_report *report)
{
    return kind_of(settings)->create(memory, folder, settings, genesis, report);
}

enum log_fault log_open(void *memory, const struct disk *folder, const struct log_settings *settings, struct log **log,
                        struct slice *genesis, struct log_report *report)
{
    return kind_of(settings)->open(memory, folder, settings, log, genesis, report);
}
