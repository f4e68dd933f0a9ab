/* SPDX-License-Identifier: MIT */
/*
 * power_disk FOLDER MOUNT [--lie PREFIX] — a file system in user space with a simulated power failure. It begins with
 * a copy of FOLDER, keeps unsynced changes apart from synced ones (image.h), and obeys lines on its standard input:
 *
 *   lose SEED PATH                        the power fails now; the rest is written to PATH, a new folder
 *   arm SEED PATH KIND WHEN N PREFIX      it fails at the N-th call from now on: KIND write, sync, names, syncnames
 *                                         or any, WHEN before or after its effect, of files whose name begins with
 *                                         PREFIX (-: all)
 *   keep PATH                             everything arrives, and is written to PATH
 *
 * It answers each with one line of JSON on standard output when it has happened. From then on every call fails with
 * EIO. When its input ends it unmounts itself and exits: nothing is left behind, however its parent died.
 * --lie: syncs of files whose name begins with PREFIX do nothing, and report success.
 *
 * The kernel sends every write at once (no write-back cache), so the order of writes is known; it keeps pages, so
 * files can be mapped, and its own locks work.
 */
#define FUSE_USE_VERSION 35

#include "switch.h"

#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define FOREVER_S 86400.0 /* only the kernel changes anything, so it may cache everything */

static const char *lie; /* syncs of files whose name begins with it do nothing */

/* ---- what FUSE speaks of ---- */

static struct image_file *file_of(fuse_ino_t number)
{
    return number == FUSE_ROOT_ID ? switch_image()->root : (struct image_file *)(uintptr_t)number;
}

static struct stat facts_of(const struct image_file *file)
{
    return (struct stat){ .st_ino = file->number,
                          .st_mode = file->mode,
                          .st_nlink = S_ISDIR(file->mode) ? 2 : 1,
                          .st_uid = getuid(),
                          .st_gid = getgid(),
                          .st_size = (off_t)image_size(file),
                          .st_blksize = 4096,
                          .st_blocks = (blkcnt_t)((image_size(file) + 511) / 512),
                          .st_atim = file->changed,
                          .st_mtim = file->changed,
                          .st_ctim = file->changed };
}

/* The kernel remembers the file from here on. */
static struct fuse_entry_param entry_of(struct image_file *file)
{
    file->uses += 1;
    return (struct fuse_entry_param){ .ino = (uintptr_t)file,
                                      .generation = 1,
                                      .attr = facts_of(file),
                                      .attr_timeout = FOREVER_S,
                                      .entry_timeout = FOREVER_S };
}

static void answer_facts(fuse_req_t request, const struct image_file *file)
{
    struct stat facts = facts_of(file);
    fuse_reply_attr(request, &facts, FOREVER_S);
}

static void answer(fuse_req_t request, int error) { fuse_reply_err(request, error); }

/* ---- reads ---- */

static void do_lookup(fuse_req_t request, fuse_ino_t parent, const char *name)
{
    struct image_file      *file = image_find(file_of(parent), name);
    struct fuse_entry_param entry = { .entry_timeout = 0 };

    if (switch_is_out()) {
        answer(request, EIO);
        return;
    }
    if (file != NULL) entry = entry_of(file);
    if (file != NULL) fuse_reply_entry(request, &entry);
    else answer(request, ENOENT);
}

static void do_forget(fuse_req_t request, fuse_ino_t number, uint64_t uses)
{
    if (number != FUSE_ROOT_ID) image_unuse(file_of(number), uses);
    fuse_reply_none(request);
}

static void do_getattr(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *info)
{
    (void)info;
    answer_facts(request, file_of(number));
}

static void do_open(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *info)
{
    (void)number;
    info->keep_cache = 1;
    if (switch_is_out()) answer(request, EIO);
    else fuse_reply_open(request, info);
}

static void do_read(fuse_req_t request, fuse_ino_t number, size_t len, off_t at, struct fuse_file_info *info)
{
    char *bytes = malloc(len + 1);

    (void)info;
    if (bytes == NULL || switch_is_out()) answer(request, EIO);
    else fuse_reply_buf(request, bytes, image_read(file_of(number), (uint64_t)at, bytes, len));
    free(bytes);
}

static void do_readdir(fuse_req_t request, fuse_ino_t number, size_t len, off_t from, struct fuse_file_info *info)
{
    const struct image_names *names = &file_of(number)->names;
    char                     *bytes = malloc(len + 1);
    size_t                    used = 0;

    (void)info;
    for (uint32_t i = (uint32_t)from; bytes != NULL && i < names->count + 2; i++) {
        const struct image_file *file = i < 2 ? file_of(number) : names->rows[i - 2].file;
        struct stat              facts = facts_of(file);
        size_t                   more = fuse_add_direntry(request, bytes + used, len - used,
                                        i == 0   ? "."
                                                          : i == 1 ? ".."
                                                                   : names->rows[i - 2].text,
                                                          &facts, (off_t)i + 1);
        if (more > len - used) break;
        used += more;
    }
    if (bytes == NULL || switch_is_out()) answer(request, EIO);
    else fuse_reply_buf(request, bytes, used);
    free(bytes);
}

static void do_statfs(fuse_req_t request, fuse_ino_t number)
{
    const struct statvfs facts = { .f_bsize = 4096,
                                   .f_frsize = 4096,
                                   .f_blocks = 1u << 22,
                                   .f_bfree = 1u << 21,
                                   .f_bavail = 1u << 21,
                                   .f_namemax = IMAGE_NAME_MAX };

    (void)number;
    fuse_reply_statfs(request, &facts);
}

/* ---- bytes ---- */

static void do_write(fuse_req_t request, fuse_ino_t number, const char *bytes, size_t len, off_t at,
                     struct fuse_file_info *info)
{
    struct image_file *file = file_of(number);

    (void)info;
    if (!switch_passes(KIND_WRITE, file->called, false)) {
        answer(request, EIO);
        return;
    }
    image_write(file, (uint64_t)at, bytes, len);
    if (switch_passes(KIND_WRITE, file->called, true)) fuse_reply_write(request, len);
    else answer(request, EIO);
}

static bool resize(struct image_file *file, uint64_t bytes)
{
    if (!switch_passes(KIND_WRITE, file->called, false)) return false;
    image_resize(file, bytes);
    return switch_passes(KIND_WRITE, file->called, true);
}

static void do_setattr(fuse_req_t request, fuse_ino_t number, struct stat *wanted, int which,
                       struct fuse_file_info *info)
{
    struct image_file *file = file_of(number);

    (void)info;
    if (switch_is_out() || ((which & FUSE_SET_ATTR_SIZE) != 0 && !resize(file, (uint64_t)wanted->st_size))) {
        answer(request, EIO);
        return;
    }
    if ((which & FUSE_SET_ATTR_MODE) != 0) file->mode = (file->mode & S_IFMT) | (wanted->st_mode & 07777);
    if ((which & FUSE_SET_ATTR_MTIME) != 0) file->changed = wanted->st_mtim;
    if ((which & FUSE_SET_ATTR_MTIME_NOW) != 0) (void)clock_gettime(CLOCK_REALTIME, &file->changed);
    answer_facts(request, file);
}

/* Space costs nothing here; only the length is visible. */
static void do_fallocate(fuse_req_t request, fuse_ino_t number, int mode, off_t at, off_t len,
                         struct fuse_file_info *info)
{
    struct image_file *file = file_of(number);
    uint64_t           end = (uint64_t)at + (uint64_t)len;

    (void)info;
    if (mode != 0) answer(request, EOPNOTSUPP);
    else if (switch_is_out() || (end > image_size(file) && !resize(file, end))) answer(request, EIO);
    else answer(request, 0);
}

static void do_fsync(fuse_req_t request, fuse_ino_t number, int datasync, struct fuse_file_info *info)
{
    struct image_file *file = file_of(number);

    (void)datasync;
    (void)info;
    if (switch_passes(KIND_SYNC, file->called, false)) switch_take_time();
    if (switch_is_out()) {
        answer(request, EIO);
        return;
    }
    if (lie == NULL || strncmp(file->called, lie, strlen(lie)) != 0) image_sync(file);
    answer(request, switch_passes(KIND_SYNC, file->called, true) ? 0 : EIO);
}

/* ---- names ---- */

static bool make(fuse_ino_t parent, const char *name, mode_t mode, struct fuse_entry_param *entry)
{
    struct image_file *file;

    if (!switch_passes(KIND_NAMES, name, false)) return false;
    file = image_new(switch_image(), mode);
    image_name(switch_image(), file_of(parent), name, file);
    *entry = entry_of(file);
    image_unuse(file, 1);
    if (switch_passes(KIND_NAMES, name, true)) return true;
    image_unuse(file, 1); /* the kernel is not informed */
    return false;
}

static void do_mknod(fuse_req_t request, fuse_ino_t parent, const char *name, mode_t mode, dev_t device)
{
    struct fuse_entry_param entry;

    (void)device;
    if (!S_ISREG(mode) && !S_ISSOCK(mode)) answer(request, EOPNOTSUPP);
    else if (make(parent, name, mode, &entry)) fuse_reply_entry(request, &entry);
    else answer(request, EIO);
}

static void do_mkdir(fuse_req_t request, fuse_ino_t parent, const char *name, mode_t mode)
{
    struct fuse_entry_param entry;

    if (make(parent, name, S_IFDIR | (mode & 07777), &entry)) fuse_reply_entry(request, &entry);
    else answer(request, EIO);
}

static void do_create(fuse_req_t request, fuse_ino_t parent, const char *name, mode_t mode, struct fuse_file_info *info)
{
    struct fuse_entry_param entry;

    info->keep_cache = 1;
    if (make(parent, name, S_IFREG | (mode & 07777), &entry)) fuse_reply_create(request, &entry, info);
    else answer(request, EIO);
}

static void do_unlink(fuse_req_t request, fuse_ino_t parent, const char *name)
{
    if (image_find(file_of(parent), name) == NULL) {
        answer(request, ENOENT);
    } else if (!switch_passes(KIND_NAMES, name, false)) {
        answer(request, EIO);
    } else {
        image_name(switch_image(), file_of(parent), name, NULL);
        answer(request, switch_passes(KIND_NAMES, name, true) ? 0 : EIO);
    }
}

/* Files within one folder; nothing else is needed. */
static void do_rename(fuse_req_t request, fuse_ino_t parent, const char *name, fuse_ino_t other, const char *to,
                      unsigned flags)
{
    const struct image_file *file = image_find(file_of(parent), name), *there = image_find(file_of(other), to);

    if (parent != other) answer(request, EXDEV);
    else if (file == NULL) answer(request, ENOENT);
    else if (flags != 0 || S_ISDIR(file->mode)) answer(request, EINVAL);
    else if (there != NULL && S_ISDIR(there->mode)) answer(request, EISDIR);
    else if (!switch_passes(KIND_NAMES, to, false)) answer(request, EIO);
    else {
        image_rename(switch_image(), file_of(parent), name, to);
        answer(request, switch_passes(KIND_NAMES, to, true) ? 0 : EIO);
    }
}

static void do_fsyncdir(fuse_req_t request, fuse_ino_t number, int datasync, struct fuse_file_info *info)
{
    struct image_file *folder = file_of(number);

    (void)datasync;
    (void)info;
    if (!switch_passes(KIND_SYNCNAMES, folder->called, false)) {
        answer(request, EIO);
        return;
    }
    image_sync_names(switch_image(), folder);
    answer(request, switch_passes(KIND_SYNCNAMES, folder->called, true) ? 0 : EIO);
}

/* The kernel sends a new length as a call of its own, and only it changes files. */
static void do_init(void *nobody, struct fuse_conn_info *connection)
{
    (void)nobody;
    connection->want &= ~(unsigned)(FUSE_CAP_ATOMIC_O_TRUNC | FUSE_CAP_AUTO_INVAL_DATA | FUSE_CAP_SPLICE_READ);
}

static const struct fuse_lowlevel_ops operations = {
    .init = do_init,
    .lookup = do_lookup,
    .forget = do_forget,
    .getattr = do_getattr,
    .setattr = do_setattr,
    .mknod = do_mknod,
    .mkdir = do_mkdir,
    .unlink = do_unlink,
    .rename = do_rename,
    .open = do_open,
    .read = do_read,
    .write = do_write,
    .fsync = do_fsync,
    .opendir = do_open,
    .readdir = do_readdir,
    .fsyncdir = do_fsyncdir,
    .statfs = do_statfs,
    .create = do_create,
    .fallocate = do_fallocate,
};

/* ---- one turn after the other ---- */

static void serve(struct fuse_session *session)
{
    struct pollfd   polls[2] = { { fuse_session_fd(session), POLLIN, 0 }, { 0, POLLIN, 0 } };
    struct fuse_buf buffer = { .mem = NULL };

    while (!fuse_session_exited(session)) {
        if (poll(polls, 2, -1) < 0 && errno != EINTR) break;
        if (polls[1].revents != 0 && !switch_hear()) break;
        if (polls[0].revents == 0) continue;
        int got = fuse_session_receive_buf(session, &buffer);
        if (got == -EAGAIN || got == -EINTR) continue; /* the caller was killed meanwhile */
        if (got <= 0) break;
        fuse_session_process_buf(session, &buffer);
    }
    free(buffer.mem);
}

static int mount_and_serve(const char *mount)
{
    char                 words[2][64] = { "power_disk", "-ofsname=power_disk,default_permissions" };
    char                *list[3] = { words[0], words[1], NULL };
    struct fuse_args     args = FUSE_ARGS_INIT(2, list);
    struct fuse_session *session = fuse_session_new(&args, &operations, sizeof(operations), NULL);
    int                  code = 1;

    if (session != NULL && fuse_session_mount(session, mount) == 0) {
        int flags = fcntl(fuse_session_fd(session), F_GETFL);
        if (fcntl(fuse_session_fd(session), F_SETFL, flags | O_NONBLOCK) == 0) {
            printf("{\"mounted\": true}\n");
            (void)fflush(stdout);
            serve(session);
            code = 0;
        }
        fuse_session_unmount(session);
    }
    if (session != NULL) fuse_session_destroy(session);
    fuse_opt_free_args(&args);
    return code;
}

int main(int argc, char **argv)
{
    int error;

    if (argc != 3 && (argc != 5 || strcmp(argv[3], "--lie") != 0)) {
        fprintf(stderr, "power_disk FOLDER MOUNT [--lie PREFIX]\n");
        return 2;
    }
    lie = argc == 5 ? argv[4] : NULL;
    image_init(switch_image());
    error = image_load(switch_image(), argv[1]);
    if (error != 0) {
        fprintf(stderr, "power_disk: %s: %s\n", argv[1], strerror(error));
        return 1;
    }
    return mount_and_serve(argv[2]);
}
