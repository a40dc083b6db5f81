/* http.h: the little of HTTP that a page for one person needs: a page, and events that go on until
 * the server ends. It listens on this machine only, answers nothing but GET, and refuses requests
 * whose Host is another name than this machine's own, so that a page from elsewhere can't read it
 * by having its name point here. Clients that are slow lose events, never hold anybody up. */
#ifndef HEDDLE_CLI_SERVE_HTTP_H
#define HEDDLE_CLI_SERVE_HTTP_H
#include "base/error.h"
#include "base/str.h"

typedef struct Http Http;

/* Listens on PORT of 127.0.0.1 (0: any that is free). PAGE is what `/' answers and must outlive the
 * server. NULL on error. */
Http *http_open(unsigned port, Str page, Error *error);
unsigned http_port(const Http *http);
/* Serves for up to MILLISECONDS, less if a signal comes. */
void http_serve(Http *http, int milliseconds);
/* Whoever listens to `/events' gets TEXT, one line; whoever comes later gets it first. */
void http_tell(Http *http, const char *text);
/* Says that no event will follow, and ends. */
void http_close(Http *http);
#endif
