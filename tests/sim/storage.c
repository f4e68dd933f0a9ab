/* SPDX-License-Identifier: MIT */
#include "storage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#define SECTOR       512
#define PAGE         4096
#define FILES        512
#define NAMES        500
#define HANDLES      64
#define FIRST_HANDLE 1000
#define FOLDER       0 /* the inode number of the one folder there is */

/* The bytes that a process reads and the stable ones; only sectors in `dirty` can differ. */
struct page {
    uint8_t cache[PAGE], plate[PAGE];
    uint8_t dirty, lost;
};

struct file {
    bool          used;
    uint64_t      bytes, plate_bytes, allocated;
    struct page **pages; /* NULL: zeros, on the plate too */
    size_t        page_count;
    uint32_t     *dirty; /* numbers of pages that may have dirty sectors */
    size_t        dirty_count, dirty_cap;
    int           lock; /* handle that holds it, 0 = none */
};

struct name {
    char     text[48];
    uint32_t file;
};
struct names {
    struct name list[NAMES];
    uint32_t    count;
};

static struct file  files[FILES];
static struct names seen, plate; /* the folder, as processes see it and as it is on the plate */
static struct {
    bool     used;
    uint32_t file;
    bool     write;
} handles[HANDLES];
static uint64_t capacity;
bool            storage_inject_sync_nothing;
uint32_t        storage_inject_sync_nothing_at;

/* ---- files ---- */

/* The disk stays when the server ends. */
static void *take(size_t bytes) { return memset(world_keep(bytes), 0, bytes); }

static void file_drop(struct file *file)
{
    for (size_t i = 0; i < file->page_count; i++) free(file->pages[i]);
    free(file->pages);
    free(file->dirty);
    *file = (struct file){ 0 };
}

static void file_resize(struct file *file, uint64_t bytes)
{
    size_t count = (size_t)((bytes + PAGE - 1) / PAGE);

    if (count > file->page_count) {
        file->pages = realloc(file->pages, count * sizeof(*file->pages));
        assert(file->pages != NULL);
        memset(file->pages + file->page_count, 0, (count - file->page_count) * sizeof(*file->pages));
        file->page_count = count;
    }
    file->bytes = bytes;
}

static bool all_zero(const uint8_t *at, size_t len)
{
    return len == 0 || (at[0] == 0 && memcmp(at, at + 1, len - 1) == 0);
}

static void file_put(struct file *file, uint64_t offset, const uint8_t *bytes, size_t len)
{
    while (len != 0) {
        size_t        number = (size_t)(offset / PAGE), at = (size_t)(offset % PAGE), part = min_size(len, PAGE - at);
        struct page **page = &file->pages[number];

        if (*page == NULL && !all_zero(bytes, part)) *page = take(sizeof(**page));
        if (*page != NULL) {
            memcpy((*page)->cache + at, bytes, part);
            if ((*page)->dirty == 0) {
                if (file->dirty_count == file->dirty_cap) {
                    file->dirty_cap = file->dirty_cap * 2 + 16;
                    file->dirty = realloc(file->dirty, file->dirty_cap * sizeof(uint32_t));
                    assert(file->dirty != NULL);
                }
                file->dirty[file->dirty_count++] = (uint32_t)number;
            }
            for (size_t sector = at / SECTOR; sector <= (at + part - 1) / SECTOR; sector++) {
                (*page)->dirty |= (uint8_t)(1u << sector);
                (*page)->lost &= (uint8_t) ~(1u << sector);
            }
        }
        bytes += part;
        offset += part;
        len -= part;
    }
}

/* Dirty sectors become stable when `arrives` returns true; after a failed sync they are marked clean and never do. */
static void file_settle(struct file *file, bool (*arrives)(uint32_t page, uint32_t sector))
{
    for (size_t i = 0; i < file->dirty_count; i++) {
        struct page *page = file->pages[file->dirty[i]];

        for (uint32_t sector = 0; sector < PAGE / SECTOR; sector++) {
            if ((page->dirty >> sector & 1) == 0) continue;
            if ((page->lost >> sector & 1) == 0 && arrives(file->dirty[i], sector))
                memcpy(page->plate + sector * SECTOR, page->cache + sector * SECTOR, SECTOR);
        }
    }
}

static bool always(uint32_t page, uint32_t sector)
{
    (void)page, (void)sector;
    return true;
}

/* The bytes that are not lost become stable, and clean. */
static void file_sync(struct file *file)
{
    size_t kept = 0;

    file_settle(file, always);
    for (size_t i = 0; i < file->dirty_count; i++) {
        struct page *page = file->pages[file->dirty[i]];
        page->dirty &= page->lost;
        if (page->dirty != 0) file->dirty[kept++] = file->dirty[i];
    }
    file->dirty_count = kept;
    file->plate_bytes = file->bytes;
}

/* A sync that failed: the system calls the pages clean, and they are not (process 6). */
static void file_give_up(struct file *file)
{
    for (size_t i = 0; i < file->dirty_count; i++)
        file->pages[file->dirty[i]]->lost |= file->pages[file->dirty[i]]->dirty;
}

/* ---- names ---- */

static struct name *name_find(struct names *names, const char *text)
{
    for (uint32_t i = 0; i < names->count; i++)
        if (strcmp(names->list[i].text, text) == 0) return &names->list[i];
    return NULL;
}

static void name_put(struct names *names, const char *text, uint32_t file)
{
    struct name *name = name_find(names, text);

    if (name == NULL) {
        assert(names->count < NAMES);
        name = &names->list[names->count++];
    }
    (void)snprintf(name->text, sizeof(name->text), "%s", text);
    name->file = file;
}

static void name_drop(struct names *names, const char *text)
{
    struct name *name = name_find(names, text);

    if (name != NULL) *name = names->list[--names->count];
}

static bool file_has_name(const struct names *names, uint32_t file)
{
    for (uint32_t i = 0; i < names->count; i++)
        if (names->list[i].file == file) return true;
    return false;
}

/* Files without a name in either folder and without an open handle are freed. */
static void collect_files(void)
{
    for (uint32_t i = 1; i < FILES; i++) {
        bool open = false;
        if (!files[i].used || file_has_name(&seen, i) || file_has_name(&plate, i)) continue;
        for (int h = 0; h < HANDLES; h++) open |= handles[h].used && handles[h].file == i;
        if (!open) file_drop(&files[i]);
    }
}

static uint32_t file_new(void)
{
    collect_files();
    for (uint32_t i = 1; i < FILES; i++) {
        if (files[i].used) continue;
        files[i].used = true;
        return i;
    }
    assert(false); /* FILES is too small */
    return 0;
}

uint64_t storage_used(void)
{
    uint64_t sum = 0;

    for (uint32_t i = 1; i < FILES; i++) sum += files[i].used ? files[i].allocated : 0;
    return sum;
}

uint64_t storage_free(void) { return capacity == 0 ? UINT64_C(1) << 40 : capacity - min_u64(capacity, storage_used()); }

void storage_set_capacity(uint64_t bytes) { capacity = bytes; }

void storage_begin(uint64_t bytes)
{
    storage_clear();
    capacity = bytes;
    files[FOLDER].used = true;
}

void storage_clear(void)
{
    for (uint32_t i = 0; i < FILES; i++) file_drop(&files[i]);
    memset(handles, 0, sizeof(handles));
    seen.count = plate.count = 0;
}

void storage_kill(void)
{
    memset(handles, 0, sizeof(handles));
    for (uint32_t i = 0; i < FILES; i++) files[i].lock = 0;
    collect_files();
}

/* ---- the power goes ---- */

static uint32_t pattern, pattern_edge;

/* The unsynced sectors that arrive: none, all, a beginning, an end, every other, or random ones. */
static bool pattern_arrives(uint32_t page, uint32_t sector)
{
    uint32_t at = page * (PAGE / SECTOR) + sector;

    switch (pattern) {
    case 0: return false;
    case 1: return true;
    case 2: return at < pattern_edge;
    case 3: return at >= pattern_edge;
    case 4: return at % 2 == 0;
    case 5: return at % 2 == 1;
    case 6: return world_chance(2);
    case 7: return world_chance(16);
    default: return !world_chance(16);
    }
}

/* Of unsynced changes of the folder a part is there: each name is the old or the new one. */
static void names_after_power_cut(void)
{
    struct names after = plate;

    for (uint32_t i = 0; i < seen.count; i++) {
        struct name *before = name_find(&plate, seen.list[i].text);
        if ((before == NULL || before->file != seen.list[i].file) && world_chance(2))
            name_put(&after, seen.list[i].text, seen.list[i].file);
    }
    for (uint32_t i = 0; i < plate.count; i++)
        if (name_find(&seen, plate.list[i].text) == NULL && world_chance(2)) name_drop(&after, plate.list[i].text);
    seen = plate = after;
}

void storage_power_cut(uint32_t what)
{
    storage_kill();
    pattern = what;
    for (uint32_t i = 1; i < FILES; i++) {
        struct file *file = &files[i];
        if (!file->used) continue;
        pattern_edge = 0;
        if (file->dirty_count != 0) {
            pattern_edge = file->dirty[world_random((uint32_t)file->dirty_count)] * (PAGE / SECTOR);
            pattern_edge += world_random(PAGE / SECTOR);
        }
        file_settle(file, pattern_arrives);
        for (size_t d = 0; d < file->dirty_count; d++) {
            struct page *page = file->pages[file->dirty[d]];
            memcpy(page->cache, page->plate, PAGE);
            page->dirty = page->lost = 0;
        }
        file->dirty_count = 0;
        if (file->plate_bytes != file->bytes && world_chance(2)) file_resize(file, file->plate_bytes);
        file->plate_bytes = file->bytes;
    }
    names_after_power_cut();
    collect_files();
    world_note(pattern);
}

/* ---- the calls of io/disk.c ---- */

/* A call that reaches the disk: others run in the meantime, the life may end here, or the call fails. */
static enum disk_fault disk_call(void)
{
    world.calls += 1;
    world_note(world.calls);
    world.mono_ns += 1000 + world_random(20000);
    fiber_maybe_yield(2);
    if (world.die_at != 0 && world.calls >= world.die_at) {
        world.failed_at |= world.moments;
        fiber_end_life(world.die_how, 0);
    }
    if (world.fault_at == 0 || world.calls < world.fault_at || (world.calls != world.fault_at && !world.fault_stays))
        return DISK_FINE;
    world.failed_at |= world.moments;
    return world.fault;
}

/* The writer of a batch opens a segment by name only when the present one is full. */
static void look_for_a_switch(const char *name)
{
    if (world.appends != 0 && world.appends == fiber_number() && strncmp(name, "journal-", 8) == 0)
        world.moments |= AT_SWITCH;
}

static int fail(int error)
{
    errno = error;
    return -1;
}

static struct file *file_of(int handle) { return &files[handles[handle - FIRST_HANDLE].file]; }

static int open_file(uint32_t file, bool write)
{
    for (int i = 0; i < HANDLES; i++) {
        if (handles[i].used) continue;
        handles[i].used = true;
        handles[i].file = file;
        handles[i].write = write;
        return FIRST_HANDLE + i;
    }
    return fail(EMFILE);
}

int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    const char  *slash = strrchr(path, '/');
    struct name *name = slash == NULL ? NULL : name_find(&seen, slash + 1);

    if (disk_call() == DISK_EIO) return fail(EIO);
    if ((flags & O_DIRECTORY) != 0) return open_file(FOLDER, false);
    if (name == NULL && (flags & O_CREAT) == 0) return fail(ENOENT);
    if (name == NULL) {
        name_put(&seen, slash + 1, file_new());
        name = name_find(&seen, slash + 1);
    }
    return open_file(name->file, true);
}

int __wrap_openat(int folder, const char *text, int flags, ...);
int __wrap_openat(int folder, const char *text, int flags, ...)
{
    look_for_a_switch(text);

    enum disk_fault fault = disk_call();
    struct name    *name = name_find(&seen, text);

    (void)folder;
    if (strcmp(text, "..") == 0) return open_file(FOLDER, false);
    if (fault == DISK_EIO) return fail(EIO);
    if (name == NULL && (flags & O_CREAT) == 0) return fail(ENOENT);
    if (name == NULL && fault == DISK_FULL) return fail(ENOSPC);
    if (name == NULL) name_put(&seen, text, file_new());
    name = name_find(&seen, text);
    if ((flags & O_TRUNC) != 0) {
        file_drop(&files[name->file]);
        files[name->file].used = true;
    }
    return open_file(name->file, (flags & O_ACCMODE) != O_RDONLY);
}

/* The functions that hardened builds call in their place. */
int __wrap___open_2(const char *path, int flags);
int __wrap___open_2(const char *path, int flags) { return __wrap_open(path, flags); }
int __wrap___openat_2(int folder, const char *text, int flags);
int __wrap___openat_2(int folder, const char *text, int flags) { return __wrap_openat(folder, text, flags); }

int __wrap_close(int handle);
int __wrap_close(int handle)
{
    if (handle < FIRST_HANDLE || !handles[handle - FIRST_HANDLE].used) return fail(EBADF);
    if (file_of(handle)->lock == handle) file_of(handle)->lock = 0;
    handles[handle - FIRST_HANDLE].used = false;
    return 0;
}

ssize_t __wrap_pwrite(int handle, const void *bytes, size_t len, off_t offset);
ssize_t __wrap_pwrite(int handle, const void *bytes, size_t len, off_t offset)
{
    enum disk_fault fault = disk_call();
    struct file    *file = file_of(handle);
    uint64_t        end = (uint64_t)offset + len, grows = end > file->allocated ? end - file->allocated : 0;

    assert(handles[handle - FIRST_HANDLE].write);
    if (fault == DISK_EIO) return fail(EIO);
    if (fault == DISK_INTERRUPTED) return fail(EINTR);
    if (fault == DISK_FULL && grows != 0) return fail(ENOSPC);
    if (fault == DISK_SHORT && len > 1) len = 1 + world_random((uint32_t)(len - 1));
    if (grows != 0 && capacity != 0 && storage_used() + grows > capacity) return fail(ENOSPC);
    end = (uint64_t)offset + len;
    if (end > file->bytes) file_resize(file, end);
    file->allocated = max_u64(file->allocated, end);
    file_put(file, (uint64_t)offset, bytes, len);
    world_note_bytes(bytes, min_size(len, 64));
    return (ssize_t)len;
}

ssize_t __wrap_pread(int handle, void *bytes, size_t len, off_t offset);
ssize_t __wrap_pread(int handle, void *bytes, size_t len, off_t offset)
{
    enum disk_fault fault = disk_call();
    struct file    *file = file_of(handle);
    uint64_t        at = (uint64_t)offset;
    uint8_t        *to = bytes;

    if (fault == DISK_EIO) return fail(EIO);
    if (fault == DISK_INTERRUPTED) return fail(EINTR);
    if (fault == DISK_SHORT && len > 1) len = 1 + world_random((uint32_t)(len - 1));
    len = at >= file->bytes ? 0 : (size_t)min_u64(len, file->bytes - at);
    for (size_t done = 0; done < len;) {
        const struct page *page = file->pages[(at + done) / PAGE];
        size_t             in = (size_t)((at + done) % PAGE), part = min_size(len - done, PAGE - in);

        if (page == NULL) memset(to + done, 0, part);
        else memcpy(to + done, page->cache + in, part);
        done += part;
    }
    return (ssize_t)len;
}

/* No holes are known here: every byte of a file may be data. */
off_t __wrap_lseek(int handle, off_t offset, int whence);
off_t __wrap_lseek(int handle, off_t offset, int whence)
{
    (void)handle, (void)offset, (void)whence;
    return fail(EINVAL);
}

ssize_t __wrap___pread_chk(int handle, void *bytes, size_t len, off_t offset, size_t room);
ssize_t __wrap___pread_chk(int handle, void *bytes, size_t len, off_t offset, size_t room)
{
    assert(len <= room);
    return __wrap_pread(handle, bytes, len, offset);
}

/* Of a file or of the folder. */
static int sync_any(int handle)
{
    enum disk_fault fault = disk_call();
    uint32_t        number = handles[handle - FIRST_HANDLE].file;

    if (fault == DISK_EIO || fault == DISK_FULL) {
        if (number != FOLDER) file_give_up(&files[number]);
        return fail(fault == DISK_EIO ? EIO : ENOSPC);
    }
    if (world.lies || storage_inject_sync_nothing || (storage_inject_sync_nothing_at & world.moments) != 0) return 0;
    if (number == FOLDER) plate = seen;
    else file_sync(&files[number]);
    return 0;
}

int __wrap_fsync(int handle);
int __wrap_fsync(int handle) { return sync_any(handle); }
int __wrap_fdatasync(int handle);
int __wrap_fdatasync(int handle) { return sync_any(handle); }

int __wrap_posix_fallocate(int handle, off_t offset, off_t len);
int __wrap_posix_fallocate(int handle, off_t offset, off_t len)
{
    enum disk_fault fault = disk_call();
    struct file    *file = file_of(handle);
    uint64_t        end = (uint64_t)(offset + len), grows = end > file->allocated ? end - file->allocated : 0;

    if (fault == DISK_EIO) return EIO;
    if (fault == DISK_FULL || (capacity != 0 && storage_used() + grows > capacity)) return ENOSPC;
    if (end > file->bytes) file_resize(file, end);
    file->allocated = max_u64(file->allocated, end);
    return 0;
}

int __wrap_ftruncate(int handle, off_t bytes);
int __wrap_ftruncate(int handle, off_t bytes)
{
    if (disk_call() == DISK_EIO) return fail(EIO);
    file_resize(file_of(handle), (uint64_t)bytes);
    return 0;
}

int __wrap_fstatat(int folder, const char *text, struct stat *status, int flags);
int __wrap_fstatat(int folder, const char *text, struct stat *status, int flags)
{
    struct name *name;

    (void)folder, (void)flags;
    look_for_a_switch(text);
    if (disk_call() == DISK_EIO) return fail(EIO);
    name = name_find(&seen, text);
    if (name == NULL) return fail(ENOENT);
    memset(status, 0, sizeof(*status));
    status->st_mode = S_IFREG | 0600;
    status->st_size = (off_t)files[name->file].bytes;
    return 0;
}

int __wrap_renameat(int from_folder, const char *from, int to_folder, const char *to);
int __wrap_renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    struct name *name;
    uint32_t     file;

    (void)from_folder, (void)to_folder;
    if (disk_call() == DISK_EIO) return fail(EIO);
    name = name_find(&seen, from);
    if (name == NULL) return fail(ENOENT);
    file = name->file;
    name_drop(&seen, from);
    name_put(&seen, to, file);
    return 0;
}

int __wrap_unlinkat(int folder, const char *text, int flags);
int __wrap_unlinkat(int folder, const char *text, int flags)
{
    (void)folder, (void)flags;
    if (disk_call() == DISK_EIO) return fail(EIO);
    if (name_find(&seen, text) == NULL) return fail(ENOENT);
    name_drop(&seen, text);
    return 0;
}

int __wrap_fstatvfs(int handle, struct statvfs *info);
int __wrap_fstatvfs(int handle, struct statvfs *info)
{
    (void)handle;
    if (disk_call() == DISK_EIO) return fail(EIO);
    *info = (struct statvfs){ .f_bavail = storage_free() / PAGE, .f_frsize = PAGE };
    return 0;
}

int __wrap_mkdir(const char *path, mode_t mode);
int __wrap_mkdir(const char *path, mode_t mode)
{
    (void)path, (void)mode;
    return fail(EEXIST);
}

int __wrap_flock(int handle, int operation);
int __wrap_flock(int handle, int operation)
{
    struct file *file = file_of(handle);

    (void)operation;
    if (file->lock != 0 && file->lock != handle) return fail(EWOULDBLOCK);
    file->lock = handle;
    return 0;
}

/* ---- behind the server's back ---- */

uint64_t storage_bytes(const char *text)
{
    const struct name *name = name_find(&seen, text);

    return name == NULL ? 0 : files[name->file].bytes;
}

bool storage_read(const char *text, uint64_t offset, void *bytes, size_t len)
{
    const struct name *name = name_find(&seen, text);
    const struct file *file = name == NULL ? NULL : &files[name->file];

    if (file == NULL || offset + len > file->bytes) return false;
    for (size_t i = 0; i < len; i++) {
        const struct page *page = file->pages[(offset + i) / PAGE];
        ((uint8_t *)bytes)[i] = page == NULL ? 0 : page->cache[(offset + i) % PAGE];
    }
    return true;
}

void storage_flip(const char *text, uint64_t offset, uint8_t mask)
{
    const struct name *name = name_find(&seen, text);
    struct page       *page = files[name->file].pages[offset / PAGE];

    if (page == NULL) page = files[name->file].pages[offset / PAGE] = take(sizeof(*page));
    page->cache[offset % PAGE] ^= mask;
    page->plate[offset % PAGE] ^= mask;
}

static int table_size(void *self, const char *name, uint64_t *bytes)
{
    (void)self;
    if (name_find(&seen, name) == NULL) return ENOENT;
    *bytes = storage_bytes(name);
    return 0;
}

static int table_open(void *self, const char *name, bool write, int *handle)
{
    (void)self, (void)write;
    for (uint32_t i = 0; i < seen.count; i++) {
        if (strcmp(seen.list[i].text, name) != 0) continue;
        *handle = (int)i;
        return 0;
    }
    return ENOENT;
}

static int table_read(void *self, int handle, uint64_t offset, void *bytes, size_t len)
{
    (void)self;
    return storage_read(seen.list[handle].text, offset, bytes, len) ? 0 : EIO;
}

static void table_close(void *self, int handle) { (void)self, (void)handle; }

void storage_table(struct disk *disk)
{
    *disk = (struct disk){ .size = table_size, .open = table_open, .read = table_read, .close = table_close };
}
