#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/pure.sh library.a...   Fails when the objects together need anything but these.
# memcpy and friends, the assert, the stack protector's stop, the compiler's own 128-bit helpers, and the linker's
# table of addresses, through which constant tables of another library are reached (what it leads to is listed too).
allowed='^(mem(cpy|move|set|cmp)|strlen|__(u?(div|mod)ti3|muloti4|assert_fail|stack_chk_fail)|_GLOBAL_OFFSET_TABLE_)$'
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
ld -r -o "$out" --whole-archive "$@" || exit 1
nm "$out" | grep -qE ' T engine_apply$' || { echo "engine_apply is not in there: nothing was checked" >&2; exit 1; }
nm -u "$out" | awk '{ print $2 }' | grep -vE "$allowed" && { echo "^ not pure" >&2; exit 1; }
# Writable globals would be state outside the engine. (.data.rel.ro is constant tables of pointers; keccak's
# `known` remembers which of two equal permutations this processor runs faster.)
objdump -t "$out" \
    | awk '/ O \.(data|bss|tdata|tbss)[ \t]/ && $NF !~ /^known\.[0-9]+$/ { print $NF; bad = 1 } END { exit bad }' \
    || { echo "^ writable global data" >&2; exit 1; }
# Money, prices and time are integers: no instruction of the core computes with floating point.
float='^v?((add|sub|mul|div|sqrt|min|max|u?comi)(ss|sd|ps|pd)|cvt.*(ss|sd|ps|pd).*|f(ld|st|add|mul|div)[a-z]*)$'
objdump -d --no-show-raw-insn "$out" | awk -v float="$float" '$2 ~ float { print; bad = 1 } END { exit bad }' \
    || { echo "^ floating point" >&2; exit 1; }
exit 0
