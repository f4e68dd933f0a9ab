/* SPDX-License-Identifier: MIT */
/* page.h — facts for pages that sign. */
#ifndef API_REST_PAGE_H
#define API_REST_PAGE_H

#include "api/inside.h"

void answer_page_settings(struct call *call); /* /docs/settings.json: chain ids; in development the public accounts */

#endif
