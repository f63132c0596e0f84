"""What the builder of a box may set: read from TOML, checked at start, frozen after that."""

from kloplei.config.reader import DEFAULT_PATH, load_config
from kloplei.config.schema import ConfigError
from kloplei.config.settings import (
    JOURNAL,
    TUNING_BEFORE,
    TUNING_IN_FORCE,
    AdcConfig,
    BuzzerConfig,
    Config,
    EarsConfig,
    HotspotConfig,
    LampConfig,
    NetworkConfig,
    OffConfig,
    PanelConfig,
    PinsConfig,
    SeatPins,
    SlateConfig,
    SocketConfig,
    TableConfig,
    TimingConfig,
)

__all__ = [
    "DEFAULT_PATH",
    "JOURNAL",
    "TUNING_BEFORE",
    "TUNING_IN_FORCE",
    "AdcConfig",
    "BuzzerConfig",
    "Config",
    "ConfigError",
    "EarsConfig",
    "HotspotConfig",
    "LampConfig",
    "NetworkConfig",
    "OffConfig",
    "PanelConfig",
    "PinsConfig",
    "SeatPins",
    "SlateConfig",
    "SocketConfig",
    "TableConfig",
    "TimingConfig",
    "load_config",
]
