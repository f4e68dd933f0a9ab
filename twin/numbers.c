/* SPDX-License-Identifier: MIT */
/* numbers.c — mechanics 1: decimals, notionals, and divisions that name their direction. */
#include "world.h"

int128_t power10(int n)
{
    int128_t power = 1;

    while (n-- > 0) power *= 10;
    return power;
}

/* Toward minus and plus infinity, for b > 0. */
int128_t divide_floor(int128_t a, int128_t b) { return a / b - (a % b < 0 ? 1 : 0); }
int128_t divide_ceil(int128_t a, int128_t b) { return a / b + (a % b > 0 ? 1 : 0); }

/* Mechanics 1.2: N = P*x*10^k with k = precision(quote) - pricePrecision - quantityPrecision. */
int128_t n_exact(const struct symbol *symbol, const struct genesis *genesis, int64_t price, int64_t quantity, bool up)
{
    int k = (int)genesis->coins[symbol->quote_coin_id].precision - (int)symbol->price_precision
          - (int)symbol->quantity_precision;
    int128_t product = (int128_t)price * quantity;

    if (k >= 0) return product * power10(k);
    return up ? divide_ceil(product, power10(-k)) : divide_floor(product, power10(-k));
}
int64_t n_floor(const struct symbol *symbol, const struct genesis *genesis, int64_t price, int64_t quantity)
{
    return (int64_t)n_exact(symbol, genesis, price, quantity, false);
}
int64_t n_ceil(const struct symbol *symbol, const struct genesis *genesis, int64_t price, int64_t quantity)
{
    return (int64_t)n_exact(symbol, genesis, price, quantity, true);
}

/* A quantity in units of its coin, which may have more decimals than the symbol's quantities. */
int64_t n_coin(const struct symbol *symbol, const struct genesis *genesis, int64_t quantity)
{
    return (int64_t)(quantity
                     * power10((int)genesis->coins[symbol->base_coin_id].precision - (int)symbol->quantity_precision));
}

/* The value in units of 10^-precision; false when it has more decimals (rulings 5, 26). */
bool units_of(struct decimal decimal, uint32_t precision, int128_t *units)
{
    if (decimal.scale > precision) return false;
    *units = decimal.digits * power10((int)(precision - decimal.scale));
    return true;
}

/* The canonical decimal of units: no trailing zero. A value beyond 64 bits is clamped. */
struct decimal decimal_of(int128_t units, uint32_t precision)
{
    if (units > INT64_MAX) units = INT64_MAX;
    while (precision > 0 && units % 10 == 0) {
        units /= 10;
        precision--;
    }
    return (struct decimal){ .digits = (int64_t)units, .scale = units == 0 ? 0 : precision };
}
struct decimal whole(int128_t number) { return (struct decimal){ .digits = (int64_t)number }; }

int64_t n_bought(const struct symbol *symbol, const struct genesis *genesis, int64_t funds, int64_t price)
{
    int k = (int)genesis->coins[symbol->quote_coin_id].precision - (int)symbol->price_precision
          - (int)symbol->quantity_precision;
    int128_t x = k >= 0 ? funds / (price * power10(k)) : funds * power10(-k) / price;

    return (int64_t)(x - x % symbol->step_size);
}
