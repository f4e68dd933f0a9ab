/* SPDX-License-Identifier: MIT */
#include "gateway/overload.h"

uint64_t overload_reserved_bytes(uint64_t cap, uint8_t class)
{
    static const uint8_t sixteenths[OVERLOAD_CLASSES] = {
        [CLASS_CANCEL] = 0, [CLASS_REPLACE] = 4, [CLASS_TRANSFER] = 5, [CLASS_RISK] = 6, [CLASS_READ] = 6
    };

    assert(class < OVERLOAD_CLASSES);
    return cap / 16 * sixteenths[class];
}
