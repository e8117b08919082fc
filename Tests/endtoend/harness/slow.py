"""Marks the tests that not every run includes, and those that no other test may disturb."""


def slow(test):
    """Marks a test, or all tests of a class, as slow (seconds): a quick run skips them."""
    test.slow = True
    return test


def soak(test):
    """Marks a test, or all tests of a class, as very slow (minutes): only `--soak` runs them."""
    test.soak = True
    return test


def alone(test):
    """Marks a test, or all tests of a class, that measure times or rates: they run one after the other, when the
    others have ended."""
    test.runs_alone = True
    return test
