// A function of Swift's runtime that the language has no syntax for.
#pragma once

// Retains an object and returns it. Returns NULL if the object is being deinitialised or has been.
//
// The memory must not have been freed; an unowned reference ensures that. Loading a weak reference
// ends in the same call, after a look-up in a side table. See docs/Runtime.md and
// stdlib/public/runtime/HeapObject.cpp in the Swift repository.
void *_Nullable swift_tryRetain(void *_Nonnull object);
