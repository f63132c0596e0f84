"""The uplink: what a table tells a house, and hears of it; a unit of its own, needed by nobody.

The table is asked through the same seam as by the panel (`kloplei.table.uplink_client`), and what
goes over the wire is told in `wire`, for both ends. The journal is the outbox, the hub's retained
``have`` the cursor: nothing is kept here but how to reach the hub.

To a house: `sender` says what goes next, without a socket; `links` carry it, by MQTT or https;
`boxes` is the loop that keeps it going, and `service` has its threads and follows the table. To
others: `outsiders` have a thread each, and tell moments to Home Assistant (`home_agent`, in the
shapes of `home_assistant`) or to a `webhook`. Read `wire` first, then `sender`.
"""
