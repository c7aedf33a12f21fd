/* The tree of memory-tree.ts, served by libfuse3's own loop: what a driver can reach at best.
   Usage: memory-tree <small files> <big bytes> <mountpoint and options of libfuse>, in front (-f). */
#define FUSE_USE_VERSION 312
#define _GNU_SOURCE
#include <errno.h>
#include <fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK_BYTES (1024 * 1024)
#define SMALL_BYTES 4096

static int small_files;
static off_t big_bytes;
static char source[BLOCK_BYTES];
static char sink[BLOCK_BYTES];

/* How many names a folder has, or -1 when the path is none. Writes what the names look like. */
static int names_in(const char *path, const char **pattern) {
  *pattern = "entry-%06d.dat";
  if (strcmp(path, "/names-20000") == 0) return 20000;
  if (strcmp(path, "/names-100000") == 0) return 100000;
  *pattern = "%d";
  return strcmp(path, "/small") == 0 ? small_files : -1;
}

static void fill(struct stat *st, int is_folder, off_t size) {
  memset(st, 0, sizeof *st);
  st->st_mode = is_folder ? S_IFDIR | 0755 : S_IFREG | 0644;
  st->st_nlink = 1;
  st->st_size = size;
  st->st_blocks = (size + 511) / 512;
  st->st_uid = getuid();
  st->st_gid = getgid();
  st->st_mtime = st->st_atime = st->st_ctime = 1767225600;
}

static int in_folder(const char *path, struct stat *st) {
  char folder[64], expected[64];
  const char *slash = strrchr(path, '/'), *pattern;
  int index, count;
  if (slash == path || slash - path >= (int)sizeof folder) return -ENOENT;
  memcpy(folder, path, slash - path);
  folder[slash - path] = 0;
  count = names_in(folder, &pattern);
  if (count < 0 || sscanf(slash + 1, pattern, &index) != 1 || index < 0 || index >= count) return -ENOENT;
  snprintf(expected, sizeof expected, pattern, index);
  if (strcmp(expected, slash + 1) != 0) return -ENOENT;
  fill(st, 0, strcmp(folder, "/small") == 0 ? SMALL_BYTES : 0);
  return 0;
}

static int get_attributes(const char *path, struct stat *st, struct fuse_file_info *fi) {
  const char *pattern;
  (void)fi;
  if (strcmp(path, "/") == 0 || names_in(path, &pattern) >= 0) return fill(st, 1, 0), 0;
  if (strcmp(path, "/big") == 0) return fill(st, 0, big_bytes), 0;
  if (strcmp(path, "/sink") == 0) return fill(st, 0, 0), 0;
  return in_folder(path, st);
}

static int read_directory(const char *path, void *buffer, fuse_fill_dir_t add, off_t offset, struct fuse_file_info *fi,
                          enum fuse_readdir_flags flags) {
  const char *pattern;
  int count = names_in(path, &pattern), isPlus = (flags & FUSE_READDIR_PLUS) != 0;
  (void)fi;
  if (count < 0) return -ENOENT;
  /* By offset, so that libfuse does not keep the whole listing. */
  for (off_t index = offset; index < count; index += 1) {
    char name[32];
    struct stat st;
    snprintf(name, sizeof name, pattern, (int)index);
    fill(&st, 0, strcmp(path, "/small") == 0 ? SMALL_BYTES : 0);
    if (add(buffer, name, &st, index + 1, isPlus ? FUSE_FILL_DIR_PLUS : 0)) break;
  }
  return 0;
}

static int open_file(const char *path, struct fuse_file_info *fi) {
  (void)path, (void)fi;
  return 0;
}

static int read_file(const char *path, char *into, size_t size, off_t position, struct fuse_file_info *fi) {
  off_t end = strcmp(path, "/big") == 0 ? big_bytes : SMALL_BYTES;
  (void)fi;
  if (position >= end) return 0;
  if ((off_t)size > end - position) size = end - position;
  if (size > BLOCK_BYTES) size = BLOCK_BYTES;
  memcpy(into, source, size);
  return size;
}

static int write_file(const char *path, const char *data, size_t size, off_t position, struct fuse_file_info *fi) {
  (void)path, (void)position, (void)fi;
  if (size > BLOCK_BYTES) return -EIO;
  memcpy(sink, data, size);
  return size;
}

static int truncate_file(const char *path, off_t size, struct fuse_file_info *fi) {
  (void)path, (void)size, (void)fi;
  return 0;
}

static int flush_file(const char *path, struct fuse_file_info *fi) {
  (void)path, (void)fi;
  return 0;
}

static int get_xattr(const char *path, const char *name, char *value, size_t size) {
  (void)path, (void)name, (void)value, (void)size;
  return -ENODATA;
}

static void *start(struct fuse_conn_info *connection, struct fuse_config *config) {
  const char *valid = getenv("VALID_SECONDS");
  connection->max_background = 128;
  config->entry_timeout = config->attr_timeout = valid ? atof(valid) : 0;
  config->negative_timeout = 0;
  return NULL;
}

static const struct fuse_operations operations = {
    .init = start,
    .getattr = get_attributes,
    .readdir = read_directory,
    .open = open_file,
    .read = read_file,
    .write = write_file,
    .truncate = truncate_file,
    .flush = flush_file,
    .getxattr = get_xattr,
};

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  small_files = atoi(argv[1]);
  big_bytes = atoll(argv[2]);
  for (int at = 0; at < BLOCK_BYTES; at += 1) source[at] = "pailfs"[at % 6];
  argv[2] = argv[0];
  return fuse_main(argc - 2, argv + 2, &operations, NULL);
}
