/* SPDX-License-Identifier: MIT */
/* forward.c — requests to another node, by libcurl's multi interface. One thread owns all but `incoming`. */
#include "io/forward.h"

#include "io/clock.h"
#include "io/libcurl.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/socket.h>

#define KEEP_SECONDS   30L  /* an idle connection is not used again after this: the other side closes it after 60 s */
#define LOOK_MS        50   /* for deadlines and for another node to ask, while there is a request */
#define IDLE_MS        1000 /* without one */
#define ANSWER_INITIAL 1024
#define MS             INT64_C(1000000)

/* A request from forward_send to its end. Its own copies of the request lie behind it. */
struct job {
    struct forward_answer answer; /* what the taker gets; first, so that forward_free finds the job */
    struct job           *next;
    char                 *method, *target; /* with a zero behind them */
    char                 *lines;           /* header lines, each with its CR LF, which `start` makes zeros of */
    size_t                lines_len;
    struct slice          body;
    size_t                bytes; /* of the request, as counted */
    CURL                 *handle;
    struct curl_slist    *list;
    int64_t               deadline_ns;
    bool                  sent;    /* libcurl was about to send it: from here on it may have been received */
    bool                  is_over; /* the head of the answer is complete: what follows are trailers */
    bool                  framed;  /* the answer says how long it is */
    char                 *text;    /* of the answer: head, then body */
    size_t                len, cap, head_len;
    struct forward       *forward;
};

struct jobs {
    struct job *first, **last;
};

struct forward {
    struct forward_settings settings;
    CURLM                  *multi;
    CURL                   *handles[FORWARD_CONNECTIONS]; /* those without a job: the first free_count */
    uint32_t                free_count;
    char                    url[FORWARD_URL_BYTES];
    struct jobs             waiting;
    struct job             *running[FORWARD_CONNECTIONS];
    uint32_t                running_count;
    _Atomic uint32_t        stop;

    pthread_mutex_t  lock; /* of what follows */
    struct jobs      incoming;
    size_t           bytes;
    _Atomic uint32_t count;
};

/* ---- lists of jobs ---- */

static void jobs_init(struct jobs *jobs) { *jobs = (struct jobs){ NULL, &jobs->first }; }

static void jobs_add(struct jobs *jobs, struct job *job)
{
    job->next = NULL;
    *jobs->last = job;
    jobs->last = &job->next;
}

static struct job *jobs_take(struct jobs *jobs)
{
    struct job *job = jobs->first;

    if (job == NULL) return NULL;
    jobs->first = job->next;
    if (jobs->first == NULL) jobs->last = &jobs->first;
    return job;
}

/* ---- an answer, as it comes ---- */

static bool append(struct job *job, const char *bytes, size_t len)
{
    size_t max = job->forward->settings.answer_bytes_max;

    if (len > max - job->len) return false;
    if (job->len + len > job->cap) {
        size_t cap = max_u64(ANSWER_INITIAL, min_u64(max, 2 * (job->len + len)));
        char  *text = realloc(job->text, cap);
        if (text == NULL) return false;
        job->text = text;
        job->cap = cap;
    }
    memcpy(job->text + job->len, bytes, len);
    job->len += len;
    return true;
}

static bool begins(const char *line, size_t len, const char *with)
{
    return len >= strlen(with) && strncasecmp(line, with, strlen(with)) == 0;
}

/* libcurl's: one line of a head, with its CR LF. An interim answer (100) begins another head behind it. */
static size_t take_line(char *line, size_t one, size_t len, void *self)
{
    struct job *job = self;

    assert(one == 1);
    if (job->is_over) return len; /* trailers */
    if (len >= 13 && begins(line, len, "HTTP/1.")) {
        job->len = 0;
        job->answer.status = (line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0');
    }
    if (begins(line, len, "Content-Length:") || begins(line, len, "Transfer-Encoding:")) job->framed = true;
    if (len > 2) return append(job, line, len) ? len : 0;
    job->is_over = job->answer.status >= 200;
    job->head_len = job->len;
    return len;
}

/* libcurl's: bytes of the body. */
static size_t take_body(char *bytes, size_t one, size_t len, void *self)
{
    assert(one == 1);
    return append(self, bytes, len) ? len : CURL_WRITEFUNC_ERROR;
}

/*
 * libcurl's: a connection is there, and the request is about to be sent. It asks again when it would send the request
 * a second time, because a connection that it used again had been closed: the first copy may have been received.
 */
static int before_sending(void *self, char *peer, char *local, int peer_port, int local_port)
{
    struct job *job = self;

    (void)peer, (void)local, (void)peer_port, (void)local_port;
    if (job->sent) return CURL_PREREQFUNC_ABORT;
    job->sent = true;
    return CURL_PREREQFUNC_OK;
}

/* ---- the start of a request ---- */

/* A header line as libcurl wants it: "Name;" for an empty value, because "Name:" takes a header of its own away. */
static struct curl_slist *append_line(struct curl_slist *list, char *line, size_t len)
{
    struct curl_slist *longer;

    while (len != 0 && (line[len - 1] == ' ' || line[len - 1] == '\t')) len -= 1;
    line[len] = '\0';
    if (len != 0 && line[len - 1] == ':') line[len - 1] = ';';
    longer = curl.slist_append(list, line);
    if (longer == NULL) curl.slist_free_all(list);
    return longer;
}

/* NULL: memory is short. The first three take away what libcurl would add of its own. */
static struct curl_slist *list_lines(char *lines, size_t len)
{
    static const char *const without[] = { "Expect:", "Accept:", "Content-Type:" };
    struct curl_slist       *list = NULL;

    for (size_t i = 0; i < ARRAY_COUNT(without); i++) {
        struct curl_slist *longer = curl.slist_append(list, without[i]);
        if (longer == NULL) curl.slist_free_all(list);
        if (longer == NULL) return NULL;
        list = longer;
    }
    for (char *end; list != NULL && len != 0; len -= (size_t)(end + 2 - lines), lines = end + 2) {
        end = memmem(lines, len, "\r\n", 2);
        assert(end != NULL);
        list = append_line(list, lines, (size_t)(end - lines));
    }
    return list;
}

/* libcurl's: a socket before it connects. Bytes to a machine that is cut off are not waited for until the deadline. */
static int set_socket(void *unused, curl_socket_t socket, curlsocktype purpose)
{
    unsigned int alive_ms = FORWARD_ALIVE_MS;

    (void)unused, (void)purpose;
    return setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &alive_ms, sizeof(alive_ms)) == 0 ? CURL_SOCKOPT_OK
                                                                                               : CURL_SOCKOPT_ERROR;
}

static bool set_connection(CURL *handle, const char *url)
{
    return curl.easy_setopt(handle, CURLOPT_URL, url) == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L) == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_PROXY, "") == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_NOPROXY, "*") == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_NOSIGNAL, 1L) == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_TCP_NODELAY, 1L) == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_SOCKOPTFUNCTION, set_socket) == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_MAXAGE_CONN, KEEP_SECONDS) == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, (long)FORWARD_CONNECT_MS) == CURLE_OK;
}

static bool set_request(CURL *handle, struct job *job)
{
    bool has_body = job->body.len != 0 || strcmp(job->method, "POST") == 0;

    return curl.easy_setopt(handle, CURLOPT_REQUEST_TARGET, job->target) == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_HTTPHEADER, job->list) == CURLE_OK
        && (!has_body
            || (curl.easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)job->body.len) == CURLE_OK
                && curl.easy_setopt(handle, CURLOPT_POSTFIELDS, job->body.at) == CURLE_OK))
        && curl.easy_setopt(handle, CURLOPT_CUSTOMREQUEST, job->method) == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_PREREQFUNCTION, before_sending) == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_PREREQDATA, job) == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_HEADERFUNCTION, take_line) == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_HEADERDATA, job) == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_WRITEFUNCTION, take_body) == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_WRITEDATA, job) == CURLE_OK
        && curl.easy_setopt(handle, CURLOPT_PRIVATE, job) == CURLE_OK;
}

/* ---- the end of a request ---- */

static void job_free(struct job *job)
{
    curl.slist_free_all(job->list);
    free(job->text);
    free(job);
}

void forward_free(struct forward_answer *answer) { job_free((struct job *)answer); }

static void forget(struct forward *forward, const struct job *job)
{
    (void)pthread_mutex_lock(&forward->lock);
    forward->bytes -= job->bytes;
    (void)pthread_mutex_unlock(&forward->lock);
    atomic_fetch_sub_explicit(&forward->count, 1, memory_order_relaxed);
}

static void report(struct job *job, enum forward_outcome outcome)
{
    struct forward *forward = job->forward;

    forget(forward, job);
    job->answer.outcome = outcome;
    job->answer.head = slice_make(job->text, job->head_len);
    job->answer.body = slice_make(job->text + job->head_len, job->len - job->head_len);
    forward->settings.done(&job->answer);
}

/* Its handle is free again; a connection with an answer that has not ended is closed. */
static void detach(struct forward *forward, uint32_t index)
{
    struct job *job = forward->running[index];

    (void)curl.multi_remove_handle(forward->multi, job->handle);
    curl.easy_reset(job->handle);
    forward->handles[forward->free_count++] = job->handle;
    job->handle = NULL;
    forward->running[index] = forward->running[--forward->running_count];
}

static bool may_be_without_length(int status) { return status == 204 || status == 304; }

/* An answer that ends with its connection is not taken for one: a node that dies in the middle of it ends it too. */
static enum forward_outcome outcome_of(const struct job *job, CURLcode code)
{
    bool is_whole = job->is_over && (job->framed || may_be_without_length(job->answer.status));

    if (code == CURLE_OK && is_whole) return FORWARD_ANSWERED;
    return job->sent ? FORWARD_UNKNOWN : FORWARD_NOT_SENT;
}

/* ---- the thread ---- */

static void take_incoming(struct forward *forward)
{
    struct job *job;

    (void)pthread_mutex_lock(&forward->lock);
    while ((job = jobs_take(&forward->incoming)) != NULL) jobs_add(&forward->waiting, job);
    (void)pthread_mutex_unlock(&forward->lock);
}

/* Another node is the one to ask: the former one gets a moment for what it has received. */
static void look_for_node(struct forward *forward)
{
    char    url[FORWARD_URL_BYTES];
    int64_t until_ns = clock_mono_ns() + FORWARD_MOVED_MS * MS;

    if (!forward->settings.find(forward->settings.self, url)) url[0] = '\0';
    if (strcmp(url, forward->url) == 0) return;
    memcpy(forward->url, url, sizeof(url));
    for (uint32_t i = 0; i < forward->running_count; i++)
        forward->running[i]->deadline_ns = min_i64(forward->running[i]->deadline_ns, until_ns);
}

static bool start(struct forward *forward, struct job *job)
{
    CURL *handle = forward->handles[forward->free_count - 1];

    job->list = list_lines(job->lines, job->lines_len);
    if (job->list == NULL || !set_connection(handle, forward->url) || !set_request(handle, job)
        || curl.multi_add_handle(forward->multi, handle) != CURLM_OK) {
        curl.easy_reset(handle);
        return false;
    }
    forward->free_count -= 1;
    job->handle = handle;
    job->deadline_ns = clock_mono_ns() + FORWARD_ANSWER_MS * MS;
    forward->running[forward->running_count++] = job;
    return true;
}

static void start_waiting(struct forward *forward)
{
    struct job *job;

    while (forward->waiting.first != NULL && (forward->free_count != 0 || forward->url[0] == '\0')) {
        job = jobs_take(&forward->waiting);
        if (forward->url[0] == '\0' || !start(forward, job)) report(job, FORWARD_NOT_SENT);
    }
}

static uint32_t index_of(const struct forward *forward, const CURL *handle)
{
    uint32_t index = 0;

    while (forward->running[index]->handle != handle) index++;
    assert(index < forward->running_count);
    return index;
}

static void collect(struct forward *forward)
{
    const CURLMsg *message;
    int            left;

    while ((message = curl.multi_info_read(forward->multi, &left)) != NULL) {
        CURLcode    code = message->data.result; /* the message does not outlive the handle */
        uint32_t    index = index_of(forward, message->easy_handle);
        struct job *job = forward->running[index];

        if (message->msg != CURLMSG_DONE) continue;
        detach(forward, index);
        report(job, outcome_of(job, code));
    }
}

static void expire(struct forward *forward)
{
    int64_t now_ns = clock_mono_ns();

    for (uint32_t i = forward->running_count; i-- > 0;) {
        struct job *job = forward->running[i];
        if (now_ns < job->deadline_ns) continue;
        detach(forward, i);
        report(job, job->sent ? FORWARD_UNKNOWN : FORWARD_NOT_SENT);
    }
    while (forward->waiting.first != NULL && now_ns >= forward->waiting.first->deadline_ns)
        report(jobs_take(&forward->waiting), FORWARD_NOT_SENT);
}

void forward_run(struct forward *forward)
{
    int running;

    while (atomic_load_explicit(&forward->stop, memory_order_acquire) == 0) {
        take_incoming(forward);
        look_for_node(forward);
        start_waiting(forward);
        (void)curl.multi_perform(forward->multi, &running);
        collect(forward);
        expire(forward);
        if (forward->waiting.first != NULL && forward->free_count != 0) continue;
        (void)curl.multi_poll(forward->multi, NULL, 0, forward->running_count != 0 ? LOOK_MS : IDLE_MS, NULL);
    }
}

/* ---- its owner ---- */

static bool open_handles(struct forward *forward)
{
    forward->multi = curl.multi_init();
    if (forward->multi == NULL) return false;
    for (uint32_t i = 0; i < FORWARD_CONNECTIONS; i++) {
        forward->handles[i] = curl.easy_init();
        if (forward->handles[i] == NULL) return false;
        forward->free_count += 1;
    }
    return curl.multi_setopt(forward->multi, CURLMOPT_MAXCONNECTS, (long)FORWARD_CONNECTIONS) == CURLM_OK
        && curl.multi_setopt(forward->multi, CURLMOPT_PIPELINING, CURLPIPE_NOTHING) == CURLM_OK
        && curl.easy_setopt(forward->handles[0], CURLOPT_PREREQFUNCTION, before_sending) == CURLE_OK;
}

struct forward *forward_open(const struct forward_settings *settings, const char **why)
{
    struct forward *forward;

    *why = libcurl_load();
    if (*why != NULL) return NULL;
    forward = calloc(1, sizeof(*forward));
    *why = "not enough memory, or " LIBCURL " is older than 7.80";
    if (forward == NULL) return NULL;
    forward->settings = *settings;
    jobs_init(&forward->waiting);
    jobs_init(&forward->incoming);
    (void)pthread_mutex_init(&forward->lock, NULL);
    if (open_handles(forward)) return forward;
    forward_close(forward);
    return NULL;
}

void forward_stop(struct forward *forward)
{
    atomic_store_explicit(&forward->stop, 1, memory_order_release);
    (void)curl.multi_wakeup(forward->multi);
}

static void free_jobs(struct jobs *jobs)
{
    struct job *job;

    while ((job = jobs_take(jobs)) != NULL) job_free(job);
}

void forward_close(struct forward *forward)
{
    while (forward->running_count != 0) {
        struct job *job = forward->running[0];
        detach(forward, 0);
        job_free(job);
    }
    free_jobs(&forward->waiting);
    free_jobs(&forward->incoming);
    for (uint32_t i = 0; i < forward->free_count; i++) curl.easy_cleanup(forward->handles[i]);
    if (forward->multi != NULL) (void)curl.multi_cleanup(forward->multi);
    (void)pthread_mutex_destroy(&forward->lock);
    free(forward);
}

static char *copy(char **at, struct slice text)
{
    char *to = *at;

    if (text.len != 0) memcpy(to, text.at, text.len);
    to[text.len] = '\0';
    *at += text.len + 1;
    return to;
}

static struct job *job_make(struct forward *forward, const struct forward_request *request)
{
    size_t bytes =
        sizeof(struct job) + request->method.len + request->target.len + request->lines.len + request->body.len + 4;
    struct job *job = malloc(bytes);
    char       *at = (char *)(job + 1);

    if (job == NULL) return NULL;
    memset(job, 0, sizeof(*job));
    job->answer.taker = request->taker;
    job->answer.token = request->token;
    job->forward = forward;
    job->bytes = bytes;
    job->method = copy(&at, request->method);
    job->target = copy(&at, request->target);
    job->lines = copy(&at, request->lines);
    job->lines_len = request->lines.len;
    job->body = slice_make(copy(&at, request->body), request->body.len);
    job->deadline_ns = clock_mono_ns() + FORWARD_WAIT_MS * MS;
    return job;
}

bool forward_send(struct forward *forward, const struct forward_request *request)
{
    struct job *job = job_make(forward, request);
    bool        fits;

    if (job == NULL) return false;
    (void)pthread_mutex_lock(&forward->lock);
    fits = atomic_load_explicit(&forward->count, memory_order_relaxed) < FORWARD_PLACES
        && job->bytes <= FORWARD_BYTES - forward->bytes
        && atomic_load_explicit(&forward->stop, memory_order_relaxed) == 0;
    if (fits) {
        forward->bytes += job->bytes;
        atomic_fetch_add_explicit(&forward->count, 1, memory_order_relaxed);
        jobs_add(&forward->incoming, job);
    }
    (void)pthread_mutex_unlock(&forward->lock);
    if (fits) (void)curl.multi_wakeup(forward->multi);
    else free(job);
    return fits;
}
