// Counts what the process allocates, by standing in for the C library's allocator.
#pragma once

// How many allocations (malloc, calloc, realloc, aligned) the process has made so far.
long allocations_count(void);
