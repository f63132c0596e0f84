"""The way in as it is now: the settings, and what the kernel says of the network."""

from collections.abc import Callable

from kloplei.addresses import is_on_hotspot, url_now
from kloplei.config import Config
from kloplei.hotspot.password import known_wifi
from kloplei.joining import WayIn, Wifi, page_at
from kloplei.kernel_addresses import Network, look_at_network


def way_in(config: Config, look: Callable[[], Network] = look_at_network) -> WayIn:
    """Return how phones get to the box of *config* at this moment.

    The hotspot's password is in it only where the process may read it, which is the table.
    """
    network = look()
    panel = config.panel
    if config.network.address is not None:
        url: str | None = page_at(config.network.address, panel.port)
    else:
        url = url_now(panel.host, panel.port, network)
    if is_on_hotspot(network):
        return WayIn(url, known_wifi(config), on_hotspot=True)
    house = config.network
    return WayIn(url, Wifi(house.name, house.password) if house.name else None)
