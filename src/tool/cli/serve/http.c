#include "tool/cli/serve/http.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/clock.h"

#define CLIENTS 32
#define REQUEST_BYTES 8192
#define REQUEST_SECONDS 10.0 /* a request that is not whole by then is dropped */

typedef struct Client {
    int fd;
    bool listens;  /* to events */
    double since;  /* when it came */
    size_t count;  /* of `request' */
    Buffer output; /* from `sent' on still to be sent */
    size_t sent;
    bool closes; /* when all is sent */
    char request[REQUEST_BYTES + 1];
} Client;

struct Http {
    int fd;
    unsigned port;
    Str page;
    Client client[CLIENTS];
    int count;
    Buffer last; /* the newest event */
};

Http *http_open(unsigned port, Str page, Error *error)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof address;
    int yes = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool fine = fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
                bind(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
                listen(fd, CLIENTS) == 0 &&
                getsockname(fd, (struct sockaddr *)&address, &bytes) == 0;
    Http *http = fine ? calloc(1, sizeof *http) : NULL;
    if (!http) {
        error_set(error, "can't listen on port %u of this machine: %s", port, strerror(errno));
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    http->fd = fd;
    http->port = ntohs(address.sin_port);
    http->page = page;
    return http;
}

unsigned http_port(const Http *http)
{
    return http->port;
}

static void drop(Http *http, int c)
{
    close(http->client[c].fd);
    vec_free(&http->client[c].output);
    http->client[c] = http->client[--http->count];
}

static void accept_all(Http *http)
{
    for (int fd; (fd = accept4(http->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0;) {
        if (http->count == CLIENTS) {
            close(fd);
            continue;
        }
        Client *client = &http->client[http->count++];
        memset(client, 0, sizeof *client);
        client->fd = fd;
        client->since = clock_seconds();
    }
}

/* ---- answers ---- */

static void answer(Client *client, const char *status, const char *type, Str body)
{
    buffer_printf(&client->output,
                  "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
                  "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                  "Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n"
                  "Connection: close\r\n\r\n",
                  status, type, body.length);
    buffer_append(&client->output, body.at, body.length);
    client->closes = true;
}

static void refuse(Client *client, const char *status)
{
    answer(client, status, "text/plain; charset=utf-8", str_of(status));
}

static void begin_events(const Http *http, Client *client)
{
    buffer_printf(
        &client->output,
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
        "X-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\n"
        "Connection: close\r\n\r\n");
    client->listens = true;
    if (http->last.count)
        buffer_append(&client->output, http->last.at, http->last.count);
}

/* Is HOST, up to the end of its line, this machine with our port? */
static bool is_own_host(const Http *http, const char *host)
{
    static const char *const names[] = {"127.0.0.1", "localhost"};
    host += strspn(host, " \t");
    for (size_t i = 0; i < 2; i++) {
        char own[32];
        int count = snprintf(own, sizeof own, "%s:%u", names[i], http->port);
        if (!strncasecmp(host, own, (size_t)count) && strchr(" \t\r\n", host[count]))
            return true;
    }
    return false;
}

static const char *host_of(const char *request)
{
    for (const char *line = strchr(request, '\n'); line; line = strchr(line + 1, '\n'))
        if (!strncasecmp(line + 1, "Host:", 5))
            return line + 6;
    return "";
}

static void take_request(const Http *http, Client *client)
{
    const char *request = client->request;
    const char *path = memchr(request, ' ', strcspn(request, "\r\n"));
    size_t length = path ? strcspn(++path, " ?\r\n") : 0;
    if (strlen(request) != client->count || !path)
        refuse(client, "400 Bad Request");
    else if (!is_own_host(http, host_of(request)))
        refuse(client, "403 Forbidden");
    else if (strncmp(request, "GET ", 4) != 0)
        refuse(client, "405 Method Not Allowed");
    else if (length == 1 && path[0] == '/')
        answer(client, "200 OK", "text/html; charset=utf-8", http->page);
    else if (length == 7 && !strncmp(path, "/events", 7))
        begin_events(http, client);
    else
        refuse(client, "404 Not Found");
}

/* ---- bytes ---- */

/* False: the client is gone, or sends too much. */
static bool take_bytes(const Http *http, Client *client)
{
    char rest[512];
    bool whole = client->listens || client->closes;
    char *to = whole ? rest : client->request + client->count;
    size_t room = whole ? sizeof rest : REQUEST_BYTES - client->count;
    ssize_t got = room ? recv(client->fd, to, room, 0) : 0;
    if (got <= 0)
        return got < 0 && (errno == EAGAIN || errno == EINTR);
    if (whole)
        return true; /* nothing that follows a request matters */
    client->count += (size_t)got;
    client->request[client->count] = 0;
    if (strstr(client->request, "\r\n\r\n") || strlen(client->request) != client->count)
        take_request(http, client);
    return true;
}

static bool send_bytes(Client *client)
{
    size_t left = client->output.count - client->sent;
    ssize_t got = send(client->fd, client->output.at + client->sent, left, MSG_NOSIGNAL);
    if (got < 0)
        return errno == EAGAIN || errno == EINTR;
    client->sent += (size_t)got;
    if (client->sent < client->output.count)
        return true;
    vec_clear(&client->output);
    client->sent = 0;
    return !client->closes;
}

/* False: a signal came. */
static bool serve_once(Http *http, int milliseconds)
{
    struct pollfd polled[CLIENTS + 1] = {{.fd = http->fd, .events = POLLIN}};
    for (int c = 0; c < http->count; c++)
        polled[c + 1] = (struct pollfd){
            .fd = http->client[c].fd,
            .events = (short)(http->client[c].output.count ? POLLIN | POLLOUT : POLLIN)};
    if (poll(polled, (nfds_t)http->count + 1, milliseconds) < 0)
        return false;
    for (int c = http->count - 1; c >= 0; c--) {
        Client *client = &http->client[c];
        short events = polled[c + 1].revents;
        bool stays = !(events & (POLLERR | POLLNVAL));
        if (stays && events & (POLLIN | POLLHUP))
            stays = take_bytes(http, client);
        if (stays && events & POLLOUT)
            stays = send_bytes(client);
        if (!client->listens && clock_seconds() - client->since > REQUEST_SECONDS)
            stays = false;
        if (!stays)
            drop(http, c);
    }
    if (polled[0].revents & POLLIN)
        accept_all(http);
    return true;
}

void http_serve(Http *http, int milliseconds)
{
    double end = clock_seconds() + milliseconds * 1e-3;
    for (double left; (left = end - clock_seconds()) > 0;) {
        if (!serve_once(http, (int)(left * 1e3) + 1))
            return;
    }
}

void http_tell(Http *http, const char *text)
{
    vec_clear(&http->last);
    buffer_printf(&http->last, "data: %s\n\n", text);
    for (int c = 0; c < http->count; c++) {
        Client *client = &http->client[c];
        if (client->listens && !client->output.count)
            buffer_append(&client->output, http->last.at, http->last.count);
    }
}

void http_close(Http *http)
{
    static const char end[] = "event: end\ndata: {}\n\n";
    for (int c = 0; c < http->count; c++)
        if (http->client[c].listens) {
            buffer_append(&http->client[c].output, end, sizeof end - 1);
            http->client[c].closes = true;
        }
    http_serve(http, 200);
    while (http->count)
        drop(http, http->count - 1);
    close(http->fd);
    vec_free(&http->last);
    free(http);
}
