/* SPDX-License-Identifier: MIT */
/* payload.h — an operator's request as it was read becomes the payload of its command. */
#ifndef API_OPERATOR_PAYLOAD_H
#define API_OPERATOR_PAYLOAD_H

#include "api/inside.h"
#include "model/operator.h"

/* An empty command of a kind with a payload of `bytes`, which it returns. */
void *operator_command(struct command_room *room, uint16_t kind, size_t bytes);

/* The coin with a name, or NULL. */
const struct coin *operator_coin(const struct genesis *genesis, const struct name *name);

/*
 * The command of `kind` into *room: what the request has of the payload, with the numbers for which its names, amounts
 * and id stand (`lookup` of the shape's fields). False: a name is unknown or an amount does not fit, and *failure says
 * which.
 */
bool operator_payload(const struct genesis *genesis, uint16_t kind, const struct shape *shape,
                      const struct operator_request *request, struct command_room *room, struct failure *failure);

#endif
