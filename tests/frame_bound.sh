#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/frame_bound.sh COMPILER FLAG — checks that the flag, with -Werror, stops a function whose frame is above 64 KiB
# and lets one below pass.
set -u
compiler=$1 flag=$2
compiles() { # BYTES
    printf 'void use(char *); void frame(void); void frame(void) { char room[%d]; use(room); }\n' "$1" |
        "$compiler" -O2 -Werror "$flag" -x c -c -o /dev/null - 2>/dev/null
}
compiles 65000 || { echo "$flag refuses a frame of 65,000 bytes"; exit 1; }
compiles 66000 && { echo "$flag lets a frame of 66,000 bytes pass"; exit 1; }
exit 0
