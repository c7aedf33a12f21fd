/* Makes the same calls again and again, in some threads, and prints how many a second.
   Usage: caller getattr|open <threads> <milliseconds to warm up> <milliseconds to count> <folder>
   Each thread has a file of its own there: 0, 1 and so on. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MOST_THREADS 64

static const char *folder;
static int is_open;
static atomic_int ended, failed;
static struct counter {
  _Alignas(64) atomic_long calls;
} counters[MOST_THREADS];

static int get_attributes(int file) {
  struct stat st;
  return fstat(file, &st);
}

static int open_read_close(const char *path) {
  char bytes[4096];
  int file = open(path, O_RDONLY);
  if (file < 0) return -1;
  if (read(file, bytes, sizeof bytes) != (ssize_t)sizeof bytes) return -1;
  return close(file);
}

static void *call(void *argument) {
  long thread = (long)argument;
  char path[4096];
  snprintf(path, sizeof path, "%s/%ld", folder, thread);
  int file = open(path, O_RDONLY);
  while (!ended) {
    if ((is_open ? open_read_close(path) : get_attributes(file)) != 0) failed = ended = 1;
    counters[thread].calls += 1;
  }
  if (file >= 0) close(file);
  return NULL;
}

static long all_calls(int threads) {
  long sum = 0;
  for (int thread = 0; thread < threads; thread += 1) sum += counters[thread].calls;
  return sum;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
  pthread_t ids[MOST_THREADS];
  if (argc != 6) return 2;
  is_open = strcmp(argv[1], "open") == 0;
  int threads = atoi(argv[2]);
  if (threads < 1 || threads > MOST_THREADS) return 2;
  folder = argv[5];
  for (long thread = 0; thread < threads; thread += 1) pthread_create(&ids[thread], NULL, call, (void *)thread);
  usleep(atoi(argv[3]) * 1000);
  double start = now();
  long before = all_calls(threads);
  usleep(atoi(argv[4]) * 1000);
  double rate = (all_calls(threads) - before) / (now() - start);
  ended = 1;
  for (int thread = 0; thread < threads; thread += 1) pthread_join(ids[thread], NULL);
  printf("%.1f\n", rate);
  return failed;
}
