// Key-value observing of GNUstep, the only one of its kind on Linux, doing operations of the benchmarks.
//
// usage: kvo ROUNDS
//
// Prints, as Compare does, the name of each operation, the lower quartile and the median of its times
// in nanoseconds, and 0 for the bytes, which are not counted here.

#import <Foundation/Foundation.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

@interface Model : NSObject {
  NSInteger number;
  Model *next;
}
@property (nonatomic) NSInteger number;
@property (nonatomic, retain) Model *next;
@end

@implementation Model
@synthesize number, next;

- (void)dealloc {
  [next release];
  [super dealloc];
}
@end

// Adds the new value less the old one to the sum, as every handler of the benchmarks does.
@interface Tally : NSObject {
@public
  NSInteger sum;
}
@end

@implementation Tally
- (void)observeValueForKeyPath:(NSString *)keyPath
                      ofObject:(id)object
                        change:(NSDictionary *)change
                       context:(void *)context {
  sum += [[change objectForKey:NSKeyValueChangeNewKey] integerValue]
    - [[change objectForKey:NSKeyValueChangeOldKey] integerValue];
}
@end

static const NSKeyValueObservingOptions options =
  NSKeyValueObservingOptionNew | NSKeyValueObservingOptionOld;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static void check(BOOL isRight, const char *name) {
  if (isRight) return;
  printf("%s: the observers were not told what they should be\n", name);
  exit(1);
}

// Sets 1, 2, … count. Values are boxed and autoreleased: the pool is emptied now and then, as an
// application does with each event.
static void set_numbers(Model *model, NSInteger count) {
  NSAutoreleasePool *pool = [NSAutoreleasePool new];
  for (NSInteger value = 1; value <= count; value++) {
    model.number = value;
    if (value % 100 == 0) {
      [pool release];
      pool = [NSAutoreleasePool new];
    }
  }
  [pool release];
}

static double set(NSInteger count, NSInteger observers, const char *name) {
  Model *model = [Model new];
  Tally **tallies = calloc(observers, sizeof *tallies);
  for (NSInteger i = 0; i < observers; i++) {
    tallies[i] = [Tally new];
    [model addObserver:tallies[i] forKeyPath:@"number" options:options context:NULL];
  }
  double start = now();
  set_numbers(model, count);
  double time = now() - start;
  check(model.number == count, name);
  for (NSInteger i = 0; i < observers; i++) {
    check(tallies[i]->sum == count, name);
    [model removeObserver:tallies[i] forKeyPath:@"number"];
    [tallies[i] release];
  }
  free(tallies);
  [model release];
  return time;
}

static double set_unobserved(NSInteger count, const char *name) { return set(count, 0, name); }
static double set_1(NSInteger count, const char *name) { return set(count, 1, name); }
static double set_10(NSInteger count, const char *name) { return set(count, 10, name); }

static double observe(NSInteger count, const char *name) {
  Model *model = [Model new];
  Tally *tally = [Tally new];
  double start = now();
  for (NSInteger i = 0; i < count; i++) {
    NSAutoreleasePool *pool = [NSAutoreleasePool new];
    [model addObserver:tally forKeyPath:@"number" options:options context:NULL];
    [model removeObserver:tally forKeyPath:@"number"];
    [pool release];
  }
  double time = now() - start;
  model.number = 1;
  check(tally->sum == 0, name);
  [tally release];
  [model release];
  return time;
}

static double set_leaf(NSInteger count, const char *name) {
  Model *model = [Model new];
  Model *next = [Model new];
  model.next = next;
  Tally *tally = [Tally new];
  [model addObserver:tally forKeyPath:@"next.number" options:options context:NULL];
  double start = now();
  set_numbers(next, count);
  double time = now() - start;
  check(tally->sum == count, name);
  [model removeObserver:tally forKeyPath:@"next.number"];
  [tally release];
  [next release];
  [model release];
  return time;
}

static const struct {
  const char *name;
  NSInteger count;
  double (*time)(NSInteger count, const char *name);
} operations[] = {
  {"set-int-0/KVO", 100000, set_unobserved},
  {"set-int-1/KVO", 500, set_1},
  {"set-int-10-controllers/KVO", 300, set_10},
  {"observe-unobserve/KVO", 500, observe},
  {"path-leaf/KVO", 500, set_leaf},
};

int main(int argc, char **argv) {
  int rounds = argc == 2 ? atoi(argv[1]) : 0;
  if (rounds < 1) {
    printf("usage: kvo ROUNDS\n");
    return 1;
  }
  double *times = calloc(rounds, sizeof *times);
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
    for (int round = -1; round < rounds; round++) {
      NSAutoreleasePool *pool = [NSAutoreleasePool new];
      double time = operations[i].time(operations[i].count, operations[i].name);
      // The first round does not count.
      if (round >= 0) times[round] = time / operations[i].count;
      [pool release];
    }
    qsort(times, rounds, sizeof *times, compare);
    printf("%s %f %f 0\n", operations[i].name, times[rounds / 4], times[rounds / 2]);
  }
  free(times);
  return 0;
}
