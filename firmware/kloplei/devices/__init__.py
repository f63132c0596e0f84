"""Edges made of wire: pins, buttons, pads, slate glass, lamp and buzzer."""
