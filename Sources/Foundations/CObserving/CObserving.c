// The Swift runtime defines the function; a target needs a source file.
#include "CObserving.h"
