// What Swift's Glibc module leaves out, and what C alone can say without a clash of headers.
#pragma once

#include <sys/epoll.h>
#include <sys/signalfd.h>

#include "termios2.h"
