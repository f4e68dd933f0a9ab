/* SPDX-License-Identifier: MIT */
/*
 * signed_record.h — what a signed record of the log proves by itself (ruling 55): its bytes are those of its command,
 * and its signature is the signer's, by libsecp256k1 alone (crypto.h, recover_signer). For dojima verify, and for the
 * second check of a running exchange (second_check.h).
 */
#ifndef APP_SIGNED_RECORD_H
#define APP_SIGNED_RECORD_H

#include "log/batch.h"
#include "model/genesis.h"

/* Whether a signature belongs to it: not of an operator, not marked, no TICK. */
bool signed_record_is(const struct log_record *record);

/* Bytes of a caller's room for a decoded request, aligned to 8. */
#define SIGNED_RECORD_ROOM (sizeof(struct replace_orders) + sizeof(struct place_orders))

/* Whether the signed bytes say what the command does, decoded into `room`: NULL, or what is wrong. */
const char *signed_record_payload(const struct genesis *genesis, const struct log_record *record, void *room);

/* Whether its signer signed it; `room` as above. */
bool signed_record_signer(const struct genesis *genesis, const struct log_record *record, void *room);

#endif
