// What goes into the box, in mm, from its makers' drawings. Nothing here is a choice of ours.
//
// Pi: "Raspberry Pi Zero 2 W", "3 Model B+", "4 Model B" and "5" mechanical drawings,
// datasheets.raspberrypi.com. Positions are measured from the corner of the board with the
// power connector below and the microSD card on the left, as the drawings do.
// OLED: panel 0.96 inch UG-2864HSWEG01 (WiseChip: panel 26.70 x 19.26, active 21.74 x 10.86)
// and 1.3 inch (active 29.42 x 14.70). The boards behind them follow no standard: these are
// the common four-pin ones. 2.42 inch: active area and board of Waveshare's module, as it says. Measure yours; README.md says how to name other figures, and which
// of all these are published, and which are from boards in the hand.

// [length, width, pitch of holes along, across, power at, microSD at, card below the board?]
function pi_board(board) =
    board == "zero" ? [65, 30, 58, 23, 54, 16.9, false] :
    board == "b" ? [85, 56, 58, 49, 11.2, 28, true] :  // 3B+: power at 10.6
    assert(false, "board is \"zero\" or \"b\"");

pi_hole_edge = 3.5;       // centre of a hole from the edges of its corner
pi_hole_d = 2.75;
pi_pcb = 1.4;
pi_card_out = 2.6;        // the card stands out of the edge by so much at most
pi_ports_out = 3;         // USB-A of the large boards, over the far short edge
pi_power_out = 1.6;       // USB sockets, over the long edge

// [board width, height, active width, height, active centre above the middle, glass, board]
function oled_module(oled) =
    oled == 0.96 ? [27.8, 27.8, 21.74, 10.86, 1.75, 1.7, 1.6] :
    oled == 1.3 ? [35.4, 33.5, 29.42, 14.70, 2.0, 1.7, 1.6] :
    oled == 2.42 ? [61.5, 39.5, 55.01, 27.49, 2.0, 2.1, 1.6] :
    assert(false, "oled is 0.96, 1.3 or 2.42");

// The boards of ../board.md, as hw/layouts.py has them: a test compares. Along their strips and
// across, then the middles of their screws from the corner at Y1.
ears_board = [60.96, 63.5];
ears_screws = [for (x = [3.81, 57.15], y = [3.81, 59.69]) [x, y]];
ears_pcb = 1.6;
ears_parts = 11.5;        // what stands on them: the tallest is C5
ears_legs = 2;            // what stands out below

// The cable of a puck: one core, a braid, a jacket: microphone cable (3 to 4), or RG174 (2.8).
jacket = 4;

// The socket that a puck's plug is screwed to: GX12 with two pins. Its thread is 12 mm wide; nut
// are on the large side, and 15 behind the wall are free for it and its wires. Measure yours.
socket_d = 12.2;
socket_nut = 17;          // over its corners, and as wide as two of them stand apart

// The piezo disc: [brass plate, ceramic on it]; both are about half a mm thick together.
function piezo_disc(disc) =
    disc == 27 ? [27, 20] :
    disc == 35 ? [35, 25] :
    assert(false, "disc is 27 or 35");
