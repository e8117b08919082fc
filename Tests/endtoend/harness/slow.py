"""Marks the tests that a quick run leaves out."""


def slow(test):
    """Marks a test, or all of a class, as taking seconds."""
    test.slow = True
    return test
