/* SPDX-License-Identifier: MIT */
/*
 * files.h — folders, locks and pages. Every function returns 0 or an errno value unless stated otherwise. Texts are C
 * strings, as the system calls need them.
 */
#ifndef IO_FILES_H
#define IO_FILES_H

#include "base/slice.h"

/* Makes a folder (its parent must exist); fine when it is there already. */
int files_make_folder(const char *path) MUST_USE;

/* A new folder for this process under $TMPDIR or the system's place for such; its path into `path`. */
int files_make_temporary(char *path, size_t cap) MUST_USE;

/* Removes a folder and everything in it, without following links. */
void files_remove_tree(const char *path);

/*
 * A name in a folder that is none of `known`, which ends with NULL: EEXIST and the name; 0: there is none, or no
 * folder; or errno.
 */
int files_find_other(const char *path, const char *const known[], char name[256]) MUST_USE;

/* A program that this process starts does not inherit the file number. 0 or errno. */
int files_keep_from_children(int handle) MUST_USE;

/*
 * Writes what part of a file the system still holds back, and waits until the disk has it; nothing is made durable by
 * that. 0 or errno; a system without this call writes the part when it wants to.
 */
int files_write_back(int handle, uint64_t offset, uint64_t len) MUST_USE;

/* Closes a file number. */
void files_close(int handle);

/* Is it a folder in which files can be made? 0, ENOENT, ENOTDIR, EACCES … */
int files_check_folder(const char *path, bool write) MUST_USE;

/* Reads the first bytes of a file, at most `cap`; *len is the number read. */
int files_read(const char *path, void *bytes, size_t cap, size_t *len) MUST_USE;

/* Makes a file (0600) with these bytes, durable when this returns 0; EEXIST: there is one, which stays as it is. */
int files_create(const char *path, struct slice bytes) MUST_USE;

/*
 * Appends a line to folder/name; it is whole and durable when this returns 0. `line` ends with its line feed. An
 * absent file is created (0600, its name durable too). The file is never shortened or overwritten, so it may be
 * append-only for the system (chattr +a), and it is opened anew each time, so an operator may rename old ones. Part of
 * a line that a failure or a kill left stays; the next line starts on a line of its own. EINVAL: not a plain file.
 */
int files_append(const char *folder, const char *name, struct slice line) MUST_USE;

/* The identity of this boot of the machine, or an empty slice. Points into static memory. */
struct slice files_boot_id(void);

/* Lets this process have `wanted` file numbers if the system allows it; how many it may have now. */
uint64_t files_want_handles(uint64_t wanted);

/* Zeroed memory by the page, 64-byte aligned, taken from the system when it is first touched. NULL when there is none.
 */
void *files_take_memory(size_t bytes);

/*
 * Takes the first `bytes` of such memory from the system now, in pages of 2 MiB where it has them; the contents stay.
 * No other thread may write them at the moment.
 */
void files_touch_memory(void *at, size_t bytes);

/* Forgets what whole pages of such memory hold; they read as zeros when touched again. */
void files_forget_memory(void *at, size_t bytes);

void files_give_memory(void *at, size_t bytes);

/* Unpredictable bytes from the kernel; false when it has none. */
bool files_random(void *bytes, size_t len) MUST_USE;

/* Is this file number a terminal? */
bool files_is_terminal(int number);

/* Ends the process here and now: no handlers, no flushing. */
__attribute__((noreturn)) void files_exit_now(int code);

#endif
