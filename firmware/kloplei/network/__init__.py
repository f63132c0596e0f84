"""How phones get to the table: which address leads here, and a Wi-Fi where there is none.

`addresses` asks the kernel which networks this machine is in, without netlink, which the units may
not use, and says where the slate's code leads (`JoinAddress`); a thread of its own looks again and
tells what has changed. `hotspot` switches the box's own Wi-Fi through NetworkManager: no daemon of
ours, two profiles and a drop-in, and what fails leaves nothing behind. Only commands that root
calls change anything; units and the panel ask. Read `addresses` first.
"""
