/* SPDX-License-Identifier: MIT */
#include "api/impersonation.h"

/* Rows are never removed and never change their address, so readers need no lock. */
static struct impersonated *find(const struct impersonation *impersonation, const struct address *address)
{
    uint32_t count = atomic_load_explicit(&impersonation->count, memory_order_acquire);

    for (uint32_t i = 0; i < count; i++)
        if (address_equal(&impersonation->rows[i].address, address))
            return (struct impersonated *)&impersonation->rows[i];
    return NULL;
}

static struct impersonated *add(struct impersonation *impersonation, const struct address *address)
{
    uint32_t             count = atomic_load_explicit(&impersonation->count, memory_order_relaxed);
    struct impersonated *row;

    if (count == IMPERSONATED_MAX) return NULL;
    row = &impersonation->rows[count];
    row->address = *address;
    atomic_store_explicit(&impersonation->count, count + 1, memory_order_release);
    return row;
}

bool impersonation_begin(struct impersonation *impersonation, const struct address *address)
{
    struct impersonated *row;

    while (atomic_flag_test_and_set_explicit(&impersonation->adding, memory_order_acquire)) {}
    row = find(impersonation, address);
    if (row == NULL) row = add(impersonation, address);
    if (row != NULL) atomic_store(&row->is_on, 1);
    atomic_flag_clear_explicit(&impersonation->adding, memory_order_release);
    return row != NULL;
}

void impersonation_end(struct impersonation *impersonation, const struct address *address)
{
    struct impersonated *row = find(impersonation, address);

    if (row != NULL) atomic_store(&row->is_on, 0);
}

void impersonation_set_all(struct impersonation *impersonation, bool all) { atomic_store(&impersonation->all, all); }

void impersonation_clear(struct impersonation *impersonation)
{
    uint32_t count = atomic_load_explicit(&impersonation->count, memory_order_acquire);

    impersonation_set_all(impersonation, false);
    for (uint32_t i = 0; i < count; i++) atomic_store(&impersonation->rows[i].is_on, 0);
}

bool impersonation_has(const struct impersonation *impersonation, const struct address *address)
{
    const struct impersonated *row;

    if (atomic_load(&impersonation->all) != 0) return true;
    row = find(impersonation, address);
    return row != NULL && atomic_load(&row->is_on) != 0;
}
