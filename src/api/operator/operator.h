/* SPDX-License-Identifier: MIT */
/*
 * operator.h — requests of operators, {"type":…,"params":…}, as commands of the log (rulings 30, 49). The
 * administration socket and the development methods of /rpc both lead here. The interface for other rooms is in api.h.
 */
#ifndef API_OPERATOR_OPERATOR_H
#define API_OPERATOR_OPERATOR_H

#include "api/inside.h"
#include "model/operator.h"

/*
 * Fills room, signed bytes and the rest of the write for a request of `kind` that its shape has read; false: *failure
 * has the reason. The bytes are in api->signed_canonical, valid until the next call.
 */
bool operator_make(struct api *api, uint16_t kind, const struct operator_request *request, struct api_write *write,
                   struct failure *failure);

/* An ADVANCE_TIME; the sequencer writes the bytes (enum advance_kind). A TICK on request. */
void operator_advance(enum advance_kind advance_kind, int64_t ms, struct api_write *write);
void operator_tick(struct api_write *write);

/* The rest of a write whose command is filled and that nobody signs (COMMAND_IMPERSONATED): its text, in canonical
 * form, in api->signed_canonical. */
void operator_sign_nothing(struct api *api, struct api_write *write);

#endif
