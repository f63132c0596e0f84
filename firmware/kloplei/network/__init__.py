"""The box's own Wi-Fi, driven by NetworkManager: no daemon of ours, two profiles and a drop-in."""
