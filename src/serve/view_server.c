// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The viewer's server on libwebsockets: serves the page, opens a WebSocket for each client, and sends the frames
// published by the session. A page gets the newest frame whenever its socket has room, so a slow page gets fewer
// frames, and at most one message waits for it. Requests are checked by view_gate.c, messages by view_message.c.
#define _POSIX_C_SOURCE 200809L
#include "base/guard.h"
#include "pawl/page.h"
#include "pawl/viewer.h"
#include "serve/view_gate.h"
#include "serve/view_session.h"
#include "serve/view_thumbs.h"
#include <libwebsockets.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SERVER_CHUNK = 16384,        // of a page, written at a time
    SERVER_MOST_COMMANDS = 2000, // of one page in a second; more is an attack or a loop
    SERVER_UNSEEN = 4,           // frames that a page has not shown yet
    SERVER_ADDRESS = 256,
    SERVER_MOST_FILM = 512 << 20 // bytes
};

struct pawl_viewer {
    const pawl_env *env;
    pawl_viewer_options options;
    char **gallery;  // what options.gallery points to
    char *copies[6]; // of the texts of the options
    char token[VIEW_TOKEN_SIZE], address[SERVER_ADDRESS];
    bool loopback;
    struct lws_context *context;
    struct lws_protocols protocols[3];
    view_session *session;
    view_thumbs *thumbs;
    pawl_string page;
    int viewers, port, video;
    view_bytes send; // shared: libwebsockets takes a copy of what a socket does not take at once
};

// A request or a page that is connected; memory that libwebsockets makes, of zeros.
typedef struct server_client {
    // of a request
    const char *body; // borrowed, unless owned
    char *owned;
    size_t size, done;
    bool film;            // the body of the request is a film, or why there is none
    unsigned char *taken; // of it
    size_t taken_size, taken_capacity;
    // of a WebSocket
    bool counted;
    uint32_t document, frame, state; // seen
    unsigned rate;
    uint32_t sent, drawn; // frames
    double next_frame, second;
    int commands; // in this second
    size_t received;
    unsigned char message[VIEW_MOST_BYTES];
} server_client;

static double server_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- checks ------------------------------------------------------------------------------------------

static const char *server_header(struct lws *wsi, enum lws_token_indexes which, char *text,
                                 int size)
{
    int length = lws_hdr_copy(wsi, text, size, which);
    return length > 0 ? text : "";
}

// Whether a request may be answered at all: by its name and its token.
static bool server_admits(pawl_viewer *view, struct lws *wsi)
{
    char host[256], token[128];
    (void)server_header(wsi, WSI_TOKEN_HOST, host, sizeof host);
    const char *given = lws_get_urlarg_by_name(wsi, "token=", token, (int)sizeof token);
    return (!view->loopback || view_gate_host(host)) && view_gate_token(view->token, given);
}

// The same for a WebSocket, which a foreign page could open.
static bool server_admits_socket(pawl_viewer *view, struct lws *wsi)
{
    char host[256], origin[512];
    (void)server_header(wsi, WSI_TOKEN_HOST, host, sizeof host);
    (void)server_header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin);
    return server_admits(view, wsi) && view_gate_origin(origin, host) &&
           view->viewers < view->options.max_viewers;
}

// ---- requests ----------------------------------------------------------------------------------------

static int server_begin_body(struct lws *wsi, server_client *client, unsigned code,
                             const char *type)
{
    static const char policy[] =
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
        "img-src data: blob:; connect-src 'self'; media-src blob:; base-uri 'none'; "
        "frame-ancestors 'none'; form-action 'none'";
    unsigned char buffer[LWS_PRE + 2048], *start = buffer + LWS_PRE, *at = start;
    unsigned char *end = buffer + sizeof buffer - 1;
    static const struct {
        const char *name, *value;
    } headers[] = {{"content-security-policy:", policy},
                   {"referrer-policy:", "no-referrer"},
                   {"x-content-type-options:", "nosniff"},
                   {"cache-control:", "no-store"}};
    if (lws_add_http_common_headers(wsi, code, type, (lws_filepos_t)client->size, &at, end) != 0) {
        return -1;
    }
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; ++i) {
        if (lws_add_http_header_by_name(wsi, (const unsigned char *)headers[i].name,
                                        (const unsigned char *)headers[i].value,
                                        (int)strlen(headers[i].value), &at, end) != 0) {
            return -1;
        }
    }
    if (lws_finalize_write_http_header(wsi, start, &at, end) != 0) {
        return -1;
    }
    lws_callback_on_writable(wsi);
    return 0;
}

static int server_refuse(struct lws *wsi, unsigned code, const char *why)
{
    if (lws_return_http_status(wsi, code, why) != 0) {
        return -1;
    }
    return lws_http_transaction_completed(wsi) != 0 ? -1 : 0;
}

// Statistics of the server, for tests and for users.
static int server_status(pawl_viewer *view, struct lws *wsi, server_client *client)
{
    view_counts c = view_session_counts(view->session);
    enum { ROOM = 256 };
    client->owned = malloc(ROOM);
    if (client->owned == NULL) {
        return -1;
    }
    int size = snprintf(client->owned, ROOM,
                        "{\"steps\":%lld,\"frames\":%lld,\"cpu\":%.6f,\"frameCpu\":%.6f,"
                        "\"clock\":%.6f,\"time\":%.9g,\"running\":%s,\"viewers\":%d}\n",
                        (long long)c.steps, (long long)c.frames, c.cpu, c.frame_cpu, c.clock,
                        c.time, c.running ? "true" : "false", view->viewers);
    client->body = client->owned;
    client->size = (size_t)size;
    return server_begin_body(wsi, client, 200, "application/json");
}

static int server_thumb(pawl_viewer *view, struct lws *wsi, server_client *client,
                        const char *number)
{
    char *end = NULL;
    long index = strtol(number, &end, 10);
    bool good = end != number && *end == '\0' && index >= 0 && index < view->options.gallery_count;
    pawl_string text = {0};
    view_thumb_state state =
        good ? view_thumbs_get(view->thumbs, (int)index, &text) : VIEW_THUMB_FAILED;
    static const char waiting[] = "{\"wait\":true}", failed[] = "{\"failed\":true}";
    client->body = state == VIEW_THUMB_READY    ? text.data
                   : state == VIEW_THUMB_FAILED ? failed
                                                : waiting;
    client->size = state == VIEW_THUMB_READY ? text.size : strlen(client->body);
    return server_begin_body(wsi, client, 200, "application/json");
}

// Whether the request brings a film; its body follows.
static bool server_takes_film(pawl_viewer *view, struct lws *wsi, server_client *client,
                              const char *path)
{
    char kind[128]; // room for every argument before it, too
    if (view->options.video_path == NULL || strcmp(path, "/video") != 0 ||
        lws_hdr_total_length(wsi, WSI_TOKEN_POST_URI) == 0) {
        return false;
    }
    const char *given = lws_get_urlarg_by_name(wsi, "kind=", kind, (int)sizeof kind);
    client->film = given != NULL && strcmp(given, "film") == 0;
    return true;
}

static int server_take_body(server_client *client, const void *in, size_t size)
{
    if (client->taken_size + size + 1 > client->taken_capacity) {
        size_t capacity = 2 * (client->taken_size + size) + 4096;
        unsigned char *grown =
            capacity <= SERVER_MOST_FILM ? realloc(client->taken, capacity) : NULL;
        if (grown == NULL) {
            return -1;
        }
        client->taken = grown;
        client->taken_capacity = capacity;
    }
    memcpy(client->taken + client->taken_size, in, size);
    client->taken_size += size;
    client->taken[client->taken_size] = '\0';
    return 0;
}

static int server_keep_film(pawl_viewer *view, struct lws *wsi, server_client *client)
{
    const char *path = view->options.video_path;
    if (client->film && client->taken != NULL) {
        FILE *file = fopen(path, "wb");
        bool whole = file != NULL &&
                     fwrite(client->taken, 1, client->taken_size, file) == client->taken_size;
        whole = file != NULL && fclose(file) == 0 && whole;
        view->video = whole ? 1 : -1;
        if (!whole) {
            (void)PAWL_FAIL(view->env, PAWL_IO_ERROR, "%s: cannot write it", path);
        }
    } else {
        view->video = -1;
        (void)PAWL_FAIL(view->env, PAWL_UNSUPPORTED, "the browser could not make the film: %s",
                        client->taken != NULL ? (const char *)client->taken : "it gave no reason");
    }
    free(client->taken);
    client->taken = NULL;
    client->taken_size = client->taken_capacity = 0;
    client->body = "{}";
    client->size = 2;
    return server_begin_body(wsi, client, 200, "application/json");
}

static int server_request(pawl_viewer *view, struct lws *wsi, server_client *client,
                          const char *path)
{
    client->body = NULL;
    client->size = client->done = 0;
    if (!server_admits(view, wsi)) {
        return server_refuse(
            wsi, HTTP_STATUS_FORBIDDEN,
            "The address needs its token: use the whole of what pawl view printed.");
    }
    if (server_takes_film(view, wsi, client, path)) {
        return 0;
    }
    if (strcmp(path, "/") == 0) {
        client->body = view->page.data;
        client->size = view->page.size;
        return server_begin_body(wsi, client, 200, "text/html; charset=utf-8");
    }
    if (strcmp(path, "/status") == 0 && view->session != NULL) {
        return server_status(view, wsi, client);
    }
    if (strncmp(path, "/thumb/", 7) == 0) {
        return server_thumb(view, wsi, client, path + 7);
    }
    return server_refuse(wsi, HTTP_STATUS_NOT_FOUND, "There is nothing here.");
}

static int server_write_body(struct lws *wsi, server_client *client)
{
    if (client->body == NULL) {
        return 0;
    }
    size_t left = client->size - client->done;
    size_t part = left < SERVER_CHUNK ? left : SERVER_CHUNK;
    unsigned char buffer[LWS_PRE + SERVER_CHUNK];
    memcpy(buffer + LWS_PRE, client->body + client->done, part);
    bool last = part == left;
    if (lws_write(wsi, buffer + LWS_PRE, part, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < 0) {
        return -1;
    }
    client->done += part;
    if (!last) {
        lws_callback_on_writable(wsi);
        return 0;
    }
    free(client->owned);
    client->owned = NULL;
    client->body = NULL;
    return lws_http_transaction_completed(wsi) != 0 ? -1 : 0;
}

static int server_http(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                       size_t size)
{
    pawl_viewer *view = lws_context_user(lws_get_context(wsi));
    server_client *client = user;
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return server_request(view, wsi, client, in);
    case LWS_CALLBACK_HTTP_BODY:
        return server_take_body(client, in, size);
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
        return server_keep_film(view, wsi, client);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return server_write_body(wsi, client);
    case LWS_CALLBACK_CLOSED_HTTP:
        if (client != NULL) {
            free(client->owned);
            free(client->taken);
            client->owned = NULL;
            client->taken = NULL;
        }
        return 0;
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: // a WebSocket of a protocol that is not ours
        return -1;
    default:
        return 0;
    }
}

// ---- WebSockets --------------------------------------------------------------------------------------

static void server_count(pawl_viewer *view, server_client *client, bool here)
{
    if (client->counted != here) {
        client->counted = here;
        view->viewers += here ? 1 : -1;
        if (view->session != NULL) { // not while the view is destroyed
            view_session_set_viewers(view->session, view->viewers);
        }
    }
}

// A whole message. False: the page does not keep to the protocol.
static bool server_message(pawl_viewer *view, server_client *client)
{
    view_command command;
    double now = server_now();
    if (now - client->second > 1.0) {
        client->second = now;
        client->commands = 0;
    }
    if (++client->commands > SERVER_MOST_COMMANDS ||
        !view_message_read(client->message, client->received, &command)) {
        return false;
    }
    client->received = 0;
    if (command.kind == VIEW_RATE) {
        client->rate = command.index;
    } else if (command.kind == VIEW_DRAWN) {
        client->drawn = command.index;
    } else {
        (void)view_session_ask(view->session,
                               &command); // where there is no room, a newer one will come
    }
    return true;
}

static int server_receive(pawl_viewer *view, struct lws *wsi, server_client *client, const void *in,
                          size_t size)
{
    if (!lws_frame_is_binary(wsi) || client->received + size > sizeof client->message) {
        lws_close_reason(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, NULL, 0);
        return -1;
    }
    memcpy(client->message + client->received, in, size);
    client->received += size;
    if (lws_remaining_packet_payload(wsi) > 0 || !lws_is_final_fragment(wsi)) {
        return 0;
    }
    if (!server_message(view, client)) {
        lws_close_reason(wsi, LWS_CLOSE_STATUS_PROTOCOL_ERR, NULL, 0);
        return -1;
    }
    lws_callback_on_writable(wsi); // it may have shown a frame
    return 0;
}

// The next message that the page has not seen; whether there is one.
static bool server_next(pawl_viewer *view, server_client *client)
{
    view_bytes *send = &view->send;
    send->size = 0;
    send->failed = false;
    (void)view_bytes_extend(send, LWS_PRE);
    if (view_session_document(view->session, &client->document, send) ||
        view_session_state(view->session, &client->state, send)) {
        return true;
    }
    double now = server_now(), interval = client->rate > 0 ? 1.0 / client->rate : 0.0;
    // Frames queued for a slow page would only delay it further: the next frame waits until one was shown.
    if (now < client->next_frame || client->sent - client->drawn >= SERVER_UNSEEN ||
        !view_session_frame(view->session, &client->frame, send)) {
        return false;
    }
    ++client->sent;
    client->next_frame = now - client->next_frame < interval ? client->next_frame + interval : now;
    return true;
}

static int server_write(pawl_viewer *view, struct lws *wsi, server_client *client)
{
    if (!server_next(view, client)) {
        return 0;
    }
    size_t size = view->send.size - LWS_PRE;
    if (lws_write(wsi, view->send.data + LWS_PRE, size, LWS_WRITE_BINARY) < (int)size) {
        return -1;
    }
    lws_callback_on_writable(wsi); // for what else there is
    return 0;
}

static int server_socket(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                         size_t size)
{
    pawl_viewer *view = lws_context_user(lws_get_context(wsi));
    server_client *client = user;
    switch (reason) {
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        if (view->session == NULL || !server_admits_socket(view, wsi)) {
            (void)lws_return_http_status(wsi, HTTP_STATUS_FORBIDDEN, NULL);
            return -1;
        }
        return 0;
    case LWS_CALLBACK_ESTABLISHED:
        *client = (server_client){0};
        server_count(view, client, true);
        lws_callback_on_writable(wsi);
        return 0;
    case LWS_CALLBACK_CLOSED:
        server_count(view, client, false);
        return 0;
    case LWS_CALLBACK_RECEIVE:
        return server_receive(view, wsi, client, in, size);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return server_write(view, wsi, client);
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED: // the session has something new
        lws_callback_on_writable_all_protocol(view->context, &view->protocols[1]);
        return 0;
    default:
        return 0;
    }
}

// ---- the view ----------------------------------------------------------------------------------------

bool pawl_viewer_is_supported(void)
{
    return true;
}

static void server_wake(void *user)
{
    pawl_viewer *view = user;
    if (view->context != NULL) {
        lws_cancel_service(view->context);
    }
}

static bool server_copy(pawl_viewer *view, int slot, const char **text)
{
    if (*text != NULL) {
        view->copies[slot] = strdup(*text);
        *text = view->copies[slot];
        return *text != NULL;
    }
    return true;
}

static bool server_take_options(pawl_viewer *view, const pawl_viewer_options *options)
{
    view->options = *options;
    pawl_viewer_options *o = &view->options;
    bool whole = server_copy(view, 0, &o->model_path) && server_copy(view, 1, &o->record_path) &&
                 server_copy(view, 2, &o->gallery_folder) &&
                 server_copy(view, 3, &o->output_folder) && server_copy(view, 4, &o->host) &&
                 server_copy(view, 5, &o->video_path);
    view->gallery = calloc((size_t)o->gallery_count + 1, sizeof *view->gallery);
    whole = whole && view->gallery != NULL;
    for (int i = 0; i < o->gallery_count && whole; ++i) {
        view->gallery[i] = strdup(options->gallery[i]);
        whole = view->gallery[i] != NULL;
    }
    o->gallery = (const char *const *)view->gallery;
    return whole;
}

static pawl_status server_listen(pawl_viewer *view)
{
    static const lws_retry_bo_t idle = {.secs_since_valid_ping = 20, .secs_since_valid_hangup = 60};
    view->protocols[0] = (struct lws_protocols){
        .name = "http", .callback = server_http, .per_session_data_size = sizeof(server_client)};
    view->protocols[1] = (struct lws_protocols){.name = VIEW_SUBPROTOCOL,
                                                .callback = server_socket,
                                                .per_session_data_size = sizeof(server_client),
                                                .rx_buffer_size = VIEW_MOST_BYTES};
    struct lws_context_creation_info info = {
        .port = view->options.port,
        .iface = view->options.host,
        .protocols = view->protocols,
        .user = view,
        .gid = -1,
        .uid = -1,
        .timeout_secs = 15,
        .keepalive_timeout = 15,
        .retry_and_idle_policy = &idle,
        .fd_limit_per_thread = (unsigned)view->options.max_viewers * 4 + 32,
        .options = LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND,
    };
    lws_set_log_level(0, NULL);
    view->context = lws_create_context(&info);
    if (view->context == NULL) {
        return PAWL_FAIL(view->env, PAWL_IO_ERROR, "cannot listen on %s, port %d: is it taken?",
                         view->options.host, view->options.port);
    }
    view->port = lws_get_vhost_listen_port(lws_get_vhost_by_name(view->context, "default"));
    (void)snprintf(view->address, sizeof view->address, "http://%s:%d/?token=%s",
                   view->options.host, view->port, view->token);
    return PAWL_OK;
}

static pawl_status server_open(pawl_viewer *view)
{
    if (!view_gate_make_token(view->token)) {
        return PAWL_FAIL(view->env, PAWL_IO_ERROR, "the system has no random numbers for a token");
    }
    view->loopback =
        strcmp(view->options.host, "127.0.0.1") == 0 || strcmp(view->options.host, "::1") == 0;
    if (view->options.record_path != NULL) {
        PAWL_TRY(pawl_report_make(view->env, view->options.record_path, &view->page));
        return server_listen(view);
    }
    PAWL_TRY(
        pawl_page_make(view->env, "pawl view", "{\"format\":1,\"page\":\"view\"}", &view->page));
    if (view->options.gallery_count > 0) {
        PAWL_TRY(view_thumbs_create(view->env, &view->options, &view->thumbs));
    }
    PAWL_TRY(server_listen(view));
    return view_session_create(view->env, &view->options, server_wake, view, &view->session);
}

pawl_status pawl_viewer_create(const pawl_env *env, const pawl_viewer_options *options,
                               pawl_viewer **out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, out);
    *out = NULL;
    PAWL_NEED(env, options);
    PAWL_NEED_STAMP(env, options, PAWL_STAMP_VIEW_OPTIONS, "pawl_viewer_options_default()");
    pawl_viewer *view = pawl_alloc(env, sizeof *view);
    if (view == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for the viewer");
    }
    view->env = env;
    view->send.env = env;
    pawl_status status = server_take_options(view, options)
                             ? server_open(view)
                             : PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for the viewer");
    if (status != PAWL_OK) {
        pawl_viewer_destroy(view);
        return status;
    }
    *out = view;
    return PAWL_OK;
}

void pawl_viewer_destroy(pawl_viewer *view)
{
    if (view == NULL) {
        return;
    }
    view_session_destroy(view->session); // first: its thread wakes the server
    view->session = NULL;
    if (view->context != NULL) {
        view->viewers = 0;
        lws_context_destroy(view->context);
    }
    view_thumbs_destroy(view->thumbs);
    view_bytes_free(&view->send);
    pawl_string_free(view->env, &view->page);
    for (int i = 0; view->gallery != NULL && i < view->options.gallery_count; ++i) {
        free(view->gallery[i]);
    }
    free(view->gallery);
    for (size_t i = 0; i < sizeof view->copies / sizeof view->copies[0]; ++i) {
        free(view->copies[i]);
    }
    pawl_free(view->env, view, sizeof *view);
}

const char *pawl_viewer_address(const pawl_viewer *view)
{
    return view != NULL ? view->address : "";
}

int pawl_viewer_port(const pawl_viewer *view)
{
    return view != NULL ? view->port : 0;
}

int pawl_viewer_video(const pawl_viewer *view)
{
    return view != NULL ? view->video : -1;
}

pawl_status pawl_viewer_serve(pawl_viewer *view)
{
    if (view == NULL) {
        return PAWL_BAD_ARGUMENT;
    }
    return lws_service(view->context, 250) >= 0 ? PAWL_OK : PAWL_IO_ERROR;
}
