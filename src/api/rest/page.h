/* SPDX-License-Identifier: MIT */
/* page.h — the contract for programs (/openapi.json) and for people (/docs), both printed from the rows. */
#ifndef API_REST_PAGE_H
#define API_REST_PAGE_H

#include "api/inside.h"

void answer_root(struct call *call);          /* /: leads to /docs */
void answer_page(struct call *call);          /* /docs */
void answer_page_script(struct call *call);   /* /docs/page.mjs */
void answer_page_signer(struct call *call);   /* /docs/sign.mjs */
void answer_page_style(struct call *call);    /* /docs/style.css */
void answer_page_settings(struct call *call); /* /docs/settings.json: chain ids; in development the public accounts */

#endif
