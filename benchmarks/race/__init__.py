"""The race: what slate, phones, starts and rules cost, beside their peers in the same run.

``make race`` runs it (`__main__`). A `row.Row` is one line of the table: ours, and the peers or
limits that it is compared with, each a `Side` that is opened once and measured in turn, so that
what else the machine does falls on all of them alike. `glass`, `starts`, `rules`, `disk`, `ears`
and `phones` hold the rows of one topic each; `history` keeps one line a release. What is counted
and not timed is held by tests as well (`tests/benchmarks/test_race.py`), milliseconds never are.
"""
