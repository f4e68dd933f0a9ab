/* SPDX-License-Identifier: MIT */
#include "app/cluster.h"

#include "diagnostics/program_log.h"
#include "io/clock.h"
#include "io/files.h"
#include "io/thread.h"

#include <errno.h>
#include <stdio.h>

#define MS INT64_C(1000000)

static int64_t lease_ns(const struct cluster *cluster) { return cluster->settings->lease_ms * MS; }

static enum node_role role_of(const struct cluster *cluster)
{
    return (enum node_role)atomic_load(&cluster->server->shared.role);
}

void cluster_init(struct cluster *cluster, const struct cluster_settings *settings, struct server *server)
{
    memset(cluster, 0, sizeof(*cluster));
    cluster->settings = settings;
    cluster->server = server;
    cluster->facts.caught_up_ns = clock_mono_ns(); /* with the log that the start has read */
    (void)pthread_mutex_init(&cluster->lock, NULL);
    leadership_init(&cluster->lead, settings->compare_blocks);
    server->lead = &cluster->lead;
}

int cluster_open(struct cluster *cluster)
{
    struct log_report report = { .fault = LOG_OK };
    int               error = lease_open(cluster->server->commit.log, &cluster->lease, &report);

    if (error == 0) return EXIT_FINE;
    cluster->lease = NULL;
    if (error == EEXIST) return complain(EXIT_IN_USE, "%s", report.text);
    return complain(EXIT_GENERAL, "the lease of the log cannot be used: %s",
                    report.text[0] != '\0' ? report.text : strerror(error));
}

/* ---- state hashes ---- */

/* Own hashes are kept until the leader's of the same block is known. */
static void keep_mark(struct cluster *cluster, const struct applied_mark *mark)
{
    const struct applied_mark *last = &cluster->marks[(cluster->mark_count + CLUSTER_MARKS - 1) % CLUSTER_MARKS];

    if (mark->hash_block == 0 || (cluster->mark_count != 0 && last->hash_block == mark->hash_block)) return;
    cluster->marks[cluster->mark_count++ % CLUSTER_MARKS] = *mark;
}

/* A node whose state is not the leader's stops: one of the two computes wrongly, and clients must not see both. */
static void compare(const struct cluster *cluster, const struct lease_view *view)
{
    if (view->compared == 0 || view->is_ours) return;
    for (uint32_t i = 0; i < CLUSTER_MARKS && i < cluster->mark_count; i++) {
        const struct applied_mark *mark = &cluster->marks[i];

        if (mark->hash_block != view->compared || hash256_equal(&mark->state_hash, &view->state)) continue;
        log_line(LOG_ERROR,
                 "the state of this node is another one than that of the leader %s behind block %lu (another build of "
                 "the engine, or bad memory); this node stops",
                 view->holder, (unsigned long)view->compared);
        files_exit_now(EXIT_DAMAGE);
    }
}

/* ---- the lease ---- */

/* A node that is behind what the leader last told leaves a free lease to the others for a while. */
static bool may_lead(const struct cluster *cluster, uint64_t command)
{
    int64_t now_ns = clock_mono_ns();

    if (cluster->settings->candidate == 0) return false;
    if (now_ns < cluster->retired_ns && strcmp(cluster->facts.view.next, cluster->settings->node) != 0) return false;
    if (role_of(cluster) == NODE_LEADER || command >= cluster->facts.view.command) return true;
    return cluster->free_ns != 0 && now_ns - cluster->free_ns >= lease_ns(cluster) / 2;
}

static void begin_to_lead(struct cluster *cluster, int64_t sent_ns)
{
    struct leadership *lead = &cluster->lead;

    cluster->retired_ns = 0;
    atomic_store(&lead->until_ns, sent_ns + lease_ns(cluster));
    if (atomic_exchange(&lead->wish, WISH_LEAD) == WISH_LEAD) return;
    log_nudge(cluster->server->commit.log);
}

/* The lease is another node's, or nobody's: whatever is on its way is answered now. */
static void end_to_lead(struct cluster *cluster)
{
    struct leadership *lead = &cluster->lead;

    atomic_store(&lead->until_ns, 0);
    if (atomic_exchange(&lead->wish, WISH_FOLLOW) != WISH_FOLLOW) park_wake(&cluster->server->shared.engine);
}

static void note_view(struct cluster *cluster, const struct lease_view *view, uint64_t command)
{
    int64_t now_ns = clock_mono_ns();

    if (view->remaining_ms > 0) cluster->free_ns = 0;
    else if (cluster->free_ns == 0) cluster->free_ns = now_ns;
    (void)pthread_mutex_lock(&cluster->lock);
    cluster->facts.view = *view;
    cluster->facts.seen_ns = now_ns;
    if (command >= view->command) cluster->facts.caught_up_ns = now_ns;
    (void)pthread_mutex_unlock(&cluster->lock);
    leader_url_set(&cluster->server->shared.leader, view->remaining_ms > 0 ? view->url : "");
}

/* The database does not answer: who leads is not known for longer than a lease. */
static void note_failure(struct cluster *cluster)
{
    int64_t seen_ns = cluster->facts.seen_ns;

    if (seen_ns != 0 && clock_mono_ns() - seen_ns < lease_ns(cluster)) return;
    leader_url_set(&cluster->server->shared.leader, "");
}

static void count_step(struct cluster *cluster, int error)
{
    (void)pthread_mutex_lock(&cluster->lock);
    cluster->facts.steps += 1;
    cluster->facts.failures += error != 0;
    (void)pthread_mutex_unlock(&cluster->lock);
}

static void step(struct cluster *cluster)
{
    struct applied_mark mark = leadership_mark(&cluster->lead);
    struct lease_view   view;
    int64_t             sent_ns = clock_mono_ns();
    struct lease_wish   wish = { .lead = may_lead(cluster, mark.command),
                                 .url = cluster->settings->url,
                                 .term = role_of(cluster) == NODE_LEADER ? atomic_load(&cluster->lead.term) : 0,
                                 .command = mark.command,
                                 .block = mark.block,
                                 .compared = mark.hash_block,
                                 .state = mark.state_hash };
    int                 error = lease_step(cluster->lease, &wish, &view);

    count_step(cluster, error);
    keep_mark(cluster, &mark);
    if (error != 0) {
        note_failure(cluster);
        return;
    }
    note_view(cluster, &view, mark.command);
    if (view.is_ours && wish.lead) begin_to_lead(cluster, sent_ns);
    else end_to_lead(cluster);
    compare(cluster, &view);
}

/* ---- handing over ---- */

static int hand_over(struct cluster *cluster)
{
    struct leadership *lead = &cluster->lead;
    struct lease_wish  release = { .release = true, .url = cluster->settings->url };
    struct lease_view  view;
    int                error;

    if (role_of(cluster) != NODE_LEADER) return EPERM;
    atomic_store(&lead->wish, WISH_HAND_OVER);
    park_wake(&cluster->server->shared.engine);
    while (role_of(cluster) == NODE_LEADER) thread_sleep_ms(1); /* at the latest its lease ends it */
    if (cluster->hand_to[0] != '\0') error = lease_hand_over(cluster->lease, cluster->hand_to);
    else error = lease_step(cluster->lease, &release, &view);
    if (error != 0) return error; /* the next step continues to lead */
    cluster->retired_ns = clock_mono_ns() + 2 * lease_ns(cluster);
    end_to_lead(cluster);
    return 0;
}

static void serve_hand_over(struct cluster *cluster)
{
    bool asked;
    int  error;

    (void)pthread_mutex_lock(&cluster->lock);
    asked = cluster->hand_asked;
    (void)pthread_mutex_unlock(&cluster->lock);
    if (!asked) return;
    error = hand_over(cluster);
    (void)pthread_mutex_lock(&cluster->lock);
    cluster->hand_asked = false;
    cluster->hand_error = error;
    (void)pthread_mutex_unlock(&cluster->lock);
}

static bool ask_hand_over(struct cluster *cluster, const char *to)
{
    bool free;

    (void)pthread_mutex_lock(&cluster->lock);
    free = !cluster->hand_asked;
    if (free) {
        cluster->hand_asked = true;
        (void)snprintf(cluster->hand_to, sizeof(cluster->hand_to), "%s", to);
    }
    (void)pthread_mutex_unlock(&cluster->lock);
    lease_nudge(cluster->lease);
    return free;
}

/* Whether the request has been served and another node leads: it has the lease and has said its fence's term. */
static bool is_handed(struct cluster *cluster, int *error)
{
    bool there;

    (void)pthread_mutex_lock(&cluster->lock);
    *error = cluster->hand_asked ? EINPROGRESS : cluster->hand_error;
    there = *error == 0 && cluster->facts.view.remaining_ms > 0 && cluster->facts.view.term != 0
         && strcmp(cluster->facts.view.holder, cluster->settings->node) != 0;
    (void)pthread_mutex_unlock(&cluster->lock);
    return there;
}

static bool say_not_handed(const struct cluster *cluster, const char *to, int error, char *text, size_t cap)
{
    if (error == EPERM) (void)snprintf(text, cap, "node %s does not lead", cluster->settings->node);
    else if (error == ENOENT)
        (void)snprintf(text, cap, "no node %s was seen lately; %s leads on", to, cluster->settings->node);
    else if (error == EINPROGRESS || error == 0)
        (void)snprintf(text, cap, "no other node has taken the lead yet; ask /readyz of the nodes");
    else (void)snprintf(text, cap, "the database did not take it: %s", strerror(error));
    return false;
}

bool cluster_hand_over(void *self, const char *to, char *text, size_t cap)
{
    struct cluster *cluster = self;
    int64_t         began_ns = clock_mono_ns();
    int             error = EINPROGRESS;

    if (strcmp(to, cluster->settings->node) == 0) {
        (void)snprintf(text, cap, "node %s is this one", to);
        return false;
    }
    if (!ask_hand_over(cluster, to)) {
        (void)snprintf(text, cap, "it is handed over already");
        return false;
    }
    while (clock_mono_ns() - began_ns < 3 * lease_ns(cluster)) {
        if (is_handed(cluster, &error)) {
            (void)snprintf(text, cap, "node %s leads after %ld ms", cluster_facts(cluster).view.holder,
                           (long)((clock_mono_ns() - began_ns) / MS));
            return true;
        }
        if (error != 0 && error != EINPROGRESS) break;
        thread_sleep_ms(2);
    }
    return say_not_handed(cluster, to, error, text, cap);
}

/* ---- the thread ---- */

/*
 * A node looks at the lease of another node when it ends. It looks again soon at a free one that is not its own to
 * take, and at one whose holder does not lead yet: the holder says when it does, and a node that hands over waits for
 * it.
 */
static int64_t rest_ms(const struct cluster *cluster)
{
    int64_t quarter = cluster->settings->lease_ms / 4, remaining = cluster->facts.view.remaining_ms;

    if (remaining <= 0 || cluster->facts.view.term == 0) return min_i64(quarter, 20);
    return cluster->facts.view.is_ours ? quarter : min_i64(quarter, remaining + 1);
}

static void *run(void *argument)
{
    struct cluster   *cluster = argument;
    struct lease_wish release = { .release = true, .url = cluster->settings->url };
    struct lease_view view;

    thread_stand_forward(true);
    while (atomic_load(&cluster->stop) == 0) {
        serve_hand_over(cluster);
        step(cluster);
        lease_await(cluster->lease, rest_ms(cluster));
    }
    if (cluster->facts.view.is_ours) (void)!lease_step(cluster->lease, &release, &view);
    return NULL;
}

int cluster_start(struct cluster *cluster)
{
    int error = thread_start(&cluster->thread, "lease", run, cluster);

    cluster->runs = error == 0;
    return error == 0 ? EXIT_FINE : complain(EXIT_GENERAL, "cannot start a thread: %s", strerror(error));
}

void cluster_stop(struct cluster *cluster)
{
    if (!cluster->runs) return;
    atomic_store(&cluster->stop, 1);
    lease_nudge(cluster->lease);
    thread_join(cluster->thread);
    cluster->runs = false;
}

void cluster_close(struct cluster *cluster)
{
    if (cluster->lease != NULL) lease_close(cluster->lease);
    cluster->lease = NULL;
}

/* ---- what others see ---- */

struct cluster_facts cluster_facts(struct cluster *cluster)
{
    struct cluster_facts facts;

    (void)pthread_mutex_lock(&cluster->lock);
    facts = cluster->facts;
    (void)pthread_mutex_unlock(&cluster->lock);
    return facts;
}

static uint64_t applied_seq(const struct cluster *cluster) { return atomic_load(&cluster->server->shared.applied_seq); }

uint64_t cluster_lag(struct cluster *cluster)
{
    uint64_t told = cluster_facts(cluster).view.command, applied = applied_seq(cluster);

    return told > applied ? told - applied : 0;
}

int64_t cluster_age_ms(void *self) { return (clock_mono_ns() - cluster_facts(self).caught_up_ns) / MS; }

int64_t cluster_lag_ms(struct cluster *cluster) { return cluster_lag(cluster) == 0 ? 0 : cluster_age_ms(cluster); }

int64_t cluster_lease_ms(struct cluster *cluster)
{
    struct cluster_facts facts = cluster_facts(cluster);

    return max_i64(0, facts.view.remaining_ms - (clock_mono_ns() - facts.seen_ns) / MS);
}

static struct slice role_text(enum node_role role)
{
    return role == NODE_LEADER ? SLICE("leader") : role == NODE_LEADING ? SLICE("leading") : SLICE("follower");
}

void cluster_look(void *self, struct ready_record *record, char leader[256])
{
    struct cluster      *cluster = self;
    struct cluster_facts facts = cluster_facts(cluster);
    struct applied_mark  mark = leadership_mark(&cluster->lead);
    enum node_role       role = role_of(cluster);

    record->node = slice_of(cluster->settings->node);
    record->role = role_text(role);
    record->term = (struct optional_u64){ role == NODE_LEADER ? atomic_load(&cluster->lead.term) : facts.view.term, 1 };
    record->sequence = (struct optional_u64){ applied_seq(cluster), 1 };
    record->block = (struct optional_u64){ mark.block, 1 };
    record->lag = (struct optional_u64){ cluster_lag(cluster), 1 };
    record->lease_ms = (struct optional_u64){ (uint64_t)cluster_lease_ms(cluster), 1 };
    (void)leader_url_get(&cluster->server->shared.leader, leader);
    record->leader = slice_of(leader);
    record->hash_block = mark.hash_block;
    record->state_hash = mark.state_hash;
}
