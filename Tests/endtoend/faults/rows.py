"""The rows of the fault matrix that a session is tested for: the fault, and what is required."""

ROWS = {
    1: ("quit key, end of input", "exit 0, terminal and port given back, ≤ 100 ms"),
    2: ("SIGTERM, SIGINT, SIGHUP, SIGQUIT", "128 + N, given back, log complete, ≤ 200 ms"),
    3: ("crash of our own", "terminal restored, the signal's status kept"),
    4: ("SIGKILL", "a guard restores the terminal, ≤ 200 ms, and leaves it alone if it is taken"),
    5: ("stopped and continued", "the shell's terminal while stopped, raw after, 50 times"),
    6: ("others in the process group", "only the session ends"),
    7: ("interrupted system calls", "1 MiB each way without a difference"),
    8: ("user's terminal closed", "ends as a hang-up, nobody left, ≤ 1 s"),
    9: ("unplugged while idle", "said ≤ 100 ms, waits with < 1 % of a processor; or exit 6"),
    10: ("unplugged while writing", "exact count of what was not sent, nothing sent later"),
    11: ("last bytes before the unplug", "none lost"),
    24: ("XOFF for ever", "receives, says so, can be left ≤ 500 ms"),
    25: ("drain or close blocks", "bounded by 1 s, then told"),
    26: ("short writes, and none", "80 kB pasted and 200 kB piped, exact"),
    27: ("device never reads", "memory ≤ 64 MiB, refused visibly, can be left ≤ 500 ms"),
    28: ("user's terminal stalled", "log complete, gap counted, can be left ≤ 500 ms"),
    29: ("standard output gone", "exit 9, ≤ 500 ms"),
    36: ("NUL, bad UTF-8, split code points", "log exact"),
    37: ("a line of 100 MiB", "log exact, memory grows ≤ 8 MiB"),
    49: ("no descriptors, no memory", "said, exit 1, terminal restored"),
}
