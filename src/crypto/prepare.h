/* SPDX-License-Identifier: MIT */
/* prepare.h — what crypto_begin and crypto_check need of the library. Only crypto/ includes it. */
#ifndef CRYPTO_PREPARE_H
#define CRYPTO_PREPARE_H

#include <stdbool.h>
#include <stdint.h>

/* Makes the library's context and the hashes of all domains; false: no memory. */
bool crypto_prepare(void);

/* secret * G, uncompressed: 4, x, y. False: the secret is 0 or not below the order. */
bool crypto_point(const uint8_t secret[32], uint8_t point[65]);

#endif
