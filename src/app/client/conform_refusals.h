/* SPDX-License-Identifier: MIT */
/* conform_refusals.h — requests that an exchange must refuse. */
#ifndef APP_CLIENT_CONFORM_REFUSALS_H
#define APP_CLIENT_CONFORM_REFUSALS_H

#include "app/client/conform_ask.h"

/* One broken rule each, for every path of the contract. */
void conform_refusals(struct conform *conform);

#endif
