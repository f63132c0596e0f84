"""When an edge was, by the table's own clock."""

OLDEST_EDGE_S = 5.0  # an edge "older" than this was stamped by another clock


def edge_time_s(age_s: float | None, now_s: float) -> float:
    """Return when an edge was, given its age by the pin factory's own clock.

    Ticks only mean something to their factory (pigpio's wrap every 71 minutes), so the age is
    taken there and counted back from our clock.
    """
    if age_s is None or not 0 <= age_s <= OLDEST_EDGE_S:
        return now_s
    return now_s - age_s
