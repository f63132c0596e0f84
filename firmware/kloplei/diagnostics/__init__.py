"""One look each at one thing of the machine: told what to look at, it says what it found.

A check reads files under a given root, asks given programs, and changes nothing. It never opens
a pin: what a running table holds stays its own.
"""
