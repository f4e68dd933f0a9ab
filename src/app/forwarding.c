/* SPDX-License-Identifier: MIT */
#include "app/forwarding.h"

#include "diagnostics/program_log.h"
#include "io/files.h"
#include "io/forward.h"

#include <errno.h>

/* One word of visible characters; blanks and line ends around it do not count. */
static bool is_word(struct slice *text)
{
    while (text->len != 0 && text->at[text->len - 1] <= ' ') text->len -= 1;
    while (text->len != 0 && text->at[0] <= ' ') *text = slice_make(text->at + 1, text->len - 1);
    for (size_t i = 0; i < text->len; i++)
        if (text->at[i] <= ' ' || text->at[i] > '~') return false;
    return text->len >= SECRET_BYTES_MIN && text->len <= SECRET_BYTES_MAX;
}

int forwarding_read_secret(const char *what, const char *path, char *room, size_t cap, struct slice *word)
{
    int error;

    *word = (struct slice){ room, 0 };
    error = files_read(path, room, cap, &word->len);
    if (error != 0) return complain(EXIT_CONFIG, "%s: %s cannot be read: %s", what, path, strerror(error));
    if (!is_word(word))
        return complain(EXIT_CONFIG, "%s: %s does not hold one word of %d to %d visible characters", what, path,
                        SECRET_BYTES_MIN, SECRET_BYTES_MAX);
    return EXIT_FINE;
}

static int read_secret(struct instance *instance, const char *path)
{
    if (path[0] == '\0') {
        log_line(LOG_WARN, "[cluster] secret is not set: the leader takes requests that this node passes on for those "
                           "of a stranger at this node's address");
        return EXIT_FINE;
    }
    return forwarding_read_secret("[cluster] secret", path, instance->secret, sizeof(instance->secret),
                                  &instance->forwarding.secret);
}

int forwarding_open(struct instance *instance)
{
    const struct cluster_settings *cluster = instance->options.cluster;
    struct forward_settings        settings = { &instance->server.shared, gateway_find_leader, gateway_forwarded,
                                                GATEWAY_FORWARD_BYTES };
    const char                    *why;
    int                            code;

    if (cluster == NULL) return EXIT_FINE;
    code = read_secret(instance, cluster->secret);
    if (code != EXIT_FINE) return code;
    instance->forwarding.node = cluster->node;
    giver_init(&instance->giver, instance->options.folder, &instance->replay.disk, instance->history,
               instance->replay.genesis_json);
    instance->forwarding.copy = &instance->giver.copy;
    instance->forwarding.forward = forward_open(&settings, &why);
    if (instance->forwarding.forward == NULL)
        return complain(EXIT_GENERAL, "writes cannot be passed on to the leader: %s", why);
    instance->server.shared.cluster = &instance->forwarding;
    return EXIT_FINE;
}

void forwarding_close(struct instance *instance)
{
    if (instance->forwarding.forward != NULL) forward_close(instance->forwarding.forward);
    instance->forwarding.forward = NULL;
}
