"""Marks the tests that not every run includes."""


def slow(test):
    """Marks a test, or all tests of a class, as slow (seconds): a quick run skips them."""
    test.slow = True
    return test


def soak(test):
    """Marks a test, or all tests of a class, as very slow (minutes): only `--soak` runs them."""
    test.soak = True
    return test
