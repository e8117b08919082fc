// The runtime has the definition; a target needs a file.
#include "CObserving.h"
