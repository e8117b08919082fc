// The one function of Swift's runtime that the language has no word for.
#pragma once

// Retains an object, unless it is being deinitialised or has been: then it returns NULL.
//
// The memory must not have been freed, which an unowned reference sees to. It is what loading a weak
// reference does at its end, without the side table on the way there. See docs/Runtime.md and
// stdlib/public/runtime/HeapObject.cpp in the repository of Swift.
void *_Nullable swift_tryRetain(void *_Nonnull object);
