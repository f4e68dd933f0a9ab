/* SPDX-License-Identifier: MIT */
/* terminal_page.h — the terminal for browsers (api/terminal.h), and pages of the program where its files are not. */
#ifndef API_REST_TERMINAL_PAGE_H
#define API_REST_TERMINAL_PAGE_H

#include "api/inside.h"
#include "api/terminal.h"

void answer_root(struct call *call);       /* /: the terminal; without one it leads to /docs */
void answer_docs(struct call *call);       /* /docs: the API page of the terminal, or a page with links */
void answer_docs_style(struct call *call); /* /docs/style.css: how the program's own pages look */

/*
 * Whether the path is none of the interface, but a file of the terminal or /trade/SYMBOL. Then terminal_handle answers
 * the request, or call->failure has the reason why not.
 */
bool terminal_has(const struct call *call, const struct path *path);
void terminal_handle(struct call *call, const struct path *path);

#endif
