/* SPDX-License-Identifier: MIT */
/*
 * operator.h — what an operator itself may ask for, {"type":…,"params":…}, as commands of the log (rulings 30,
 * 49). The administration socket and the development methods of /rpc are two ways to it. The door for
 * server/ is in api.h.
 */
#ifndef API_OPERATOR_OPERATOR_H
#define API_OPERATOR_OPERATOR_H

#include "api/inside.h"
#include "model/operator.h"

/*
 * Fills room, signed bytes and the rest of the write; false: *failure says why. The bytes are in
 * api->signed_canonical, good until the next call.
 */
bool operator_deposit(struct api *api, const char *type, const struct deposit_request *request, struct api_write *write,
                      struct failure *failure);

/* The same for an index price by hand, in development. */
bool operator_set_index(struct api *api, const struct set_index_request *request, struct api_write *write,
                        struct failure *failure);

/* An ADVANCE_TIME; the sequencer writes the bytes (enum advance_kind). A TICK that somebody wants now. */
void operator_advance(enum advance_kind advance_kind, int64_t ms, struct api_write *write);
void operator_tick(struct api_write *write);

#endif
