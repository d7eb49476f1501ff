#ifndef CSUPPORT_H
#define CSUPPORT_H

#include <stddef.h>

/// The bytes that are allocated now, the allocator's own overhead included.
///
/// In C, since Swift does not import the allocator's header of the GNU C library.
size_t heap_allocated_bytes(void);

/// Has the optimiser assume that all of the memory has changed. No instruction comes of it.
__attribute__((always_inline)) static inline void memory_barrier(void) {
  __asm__ volatile("" ::: "memory");
}

#endif
