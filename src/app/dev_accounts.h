/* SPDX-License-Identifier: MIT */
/*
 * dev_accounts.h — the ten accounts of a development exchange: the well-known ones of DEV_MNEMONIC, the
 * same that other local chains use. THESE KEYS ARE PUBLIC.
 */
#ifndef APP_DEV_ACCOUNTS_H
#define APP_DEV_ACCOUNTS_H

#include "model/text.h"

#define DEV_ACCOUNTS 10
#define DEV_MNEMONIC "test test test test test test test test test test test junk"

extern const uint8_t        dev_secrets[DEV_ACCOUNTS][32];
extern const struct address dev_addresses[DEV_ACCOUNTS];

#endif
