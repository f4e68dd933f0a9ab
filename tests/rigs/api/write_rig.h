/* SPDX-License-Identifier: MIT */
/* write_rig.h — shared by the tests of signed placements on spot. Header only. */
#ifndef RIGS_API_WRITE_RIG_H
#define RIGS_API_WRITE_RIG_H

#include "rigs/api/signed_rig.h"

#define PLACE "/api/v1/spot/trade/orders/batch"
#define NONCE NOW_TEXT
#define ONE_ORDER                                                                                                      \
    "{\"accountID\":1001,\"orders\":[{\"symbolID\":1,\"clOrdID\":\"a-1\",\"side\":1,\"type\":1,\"timeInForce\":1,"     \
    "\"price\":\"95000\",\"quantity\":\"0.01\"}]}"
#define ONE_CANCEL "{\"accountID\":1001,\"cancels\":[{\"symbolID\":1,\"clOrdID\":\"c-1\",\"orderID\":7}]}"

static const char *sign_place(const char *params)
{
    return sign_as(0, rig_secret[0], DOMAIN_SPOT, 286623, "batchNewOrder", params, NOW);
}

static inline struct http_request place(const char *body, const char *sign)
{
    return write_of(HTTP_POST, PLACE, body, sign);
}

#endif
