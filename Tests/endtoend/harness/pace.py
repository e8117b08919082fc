"""The speed of peers."""

import time


def pace(started, count, rate):
    """Sleeps until `count` units are due, of which `rate` a second are since `started` (`time.monotonic`)."""
    time.sleep(max(0, started + count / rate - time.monotonic()))
