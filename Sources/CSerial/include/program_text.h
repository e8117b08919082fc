// The instructions and constants of the program and its libraries, as the kernel has mapped them from
// their files.
#pragma once

// Lets go of the pages that were used so far: what is used again comes back from the page cache,
// sixteen pages at a time. For a program that runs long and does little once it has begun: what only
// its beginning needed counts as its memory otherwise (12.9 MB resident instead of 5.6). See
// madvise(2), MADV_DONTNEED.
void cserial_let_go_of_program_text(void);
