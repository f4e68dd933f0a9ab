/* SPDX-License-Identifier: MIT */
/* transaction.h — where the transaction stands that a command became. */
#ifndef MODEL_TRANSACTION_H
#define MODEL_TRANSACTION_H

#include "base/keccak.h"

/* Status: 1 when at least one item of the command succeeded. */
struct tx_location {
    struct hash256 hash;
    uint64_t       block;
    uint32_t       index, status;
};

#endif
