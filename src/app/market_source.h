/* SPDX-License-Identifier: MIT */
/* market_source.h — the built-in market as a source of commands: connects src/market with the sequencer. */
#ifndef APP_MARKET_SOURCE_H
#define APP_MARKET_SOURCE_H

#include "io/disk.h"
#include "market/market.h"
#include "pipeline/command_source.h"
#include "pipeline/exchange.h"

struct market_source {
    struct traders         market;
    uint8_t                preset; /* enum market_preset that the process was started with */
    const struct exchange *exchange;
    struct disk_folder    *folder; /* of the log; NULL: it is always synced */
    struct command_source  source;
};

/* Development only. `exchange` has views; the source reads them on the engine's thread. */
void market_source_init(struct market_source *source, uint64_t seed, uint8_t preset, const struct exchange *exchange,
                        struct disk_folder *folder);

#endif
