// Every choice of ours, in mm and degrees. Change one here, or by openscad -D.


board = "zero";           // "zero": Zero 2 W. "b": 3B+, 4, 5
oled = 1.3;               // inches
disc = 27;                // diameter of the piezo disc
ears = false;             // room for one or two boards of ../board.md, and for the pucks' plugs
plugs = 8;                // sockets for pucks in the back wall, with ears

revision = "A";           // stands on every part and in ../REVISIONS.md
tilt = 35;                // of the slate against the table
facets = 48;

// Clearances.
fit = 0.4;                // all around what is pushed into something
drip = 1.2;               // between skirt and wall: beer creeps up what is narrower
gap = 1.5;                // between a board and what it must not touch

// Thicknesses. Walls are multiples of a nozzle of 0.4.
wall = 2.4;
floor_t = 3;
lid_t = 3;
skirt_t = 2;
skirt = 3;                // how far the drip edge hangs down

// Screws. Pilots take the thread of a screw turned into the plastic.
m25_pilot = 2.1;
m25_free = 2.9;
m3_pilot = 2.6;
m3_free = 3.4;
m3_head = 6.4;            // countersunk, 90 degrees
m3_nut = 5.7;             // across flats, with clearance
m3_nut_t = 2.6;
m6_free = 6.6;
m6_nut = 10.3;
m6_nut_t = 5.4;

// Room.
standoff = 5;             // under the Pi
stack = 25;               // over the Pi: plugs on the header, or a board on top of it
lane = 9;                 // on the left of those boards: what leads to their screw clamps
spacer = 15;              // between two of those boards
ears_gap = 4;             // between them and the USB sockets of the Pi
bay = ears ? lane + ears_board[0] + ears_gap : 20;  // on the left: cables, buzzer, off button
right = 9;                // on the right: screws of the lid beside the board
back_gap = 2;             // between the USB sockets' edge and the back wall
overhang_front = 5;
overhang = drip + skirt_t;

// The clamp.
table_z = 8;              // the table top, above the underside of the box
table_min = 18;
table_max = 40;
jaw_gap = 47;             // leaves room for the pad under the thickest table
jaw_t = 5;
jaw_length = 38;
clamp_width = 40;
spine = 7.4;
clamp_screws = [[-12, 16], [12, 16], [-12, 40], [12, 40]];  // from its middle; from the front

// On the lid.
pane_t = 1;               // clear sheet behind the window
window_slack = 1.5;       // around the active area
button_d = 12.2;
button_nut = 16;
lamp_d = 5.2;

assert(tilt >= 30 && tilt <= 45, "tilt is 30 to 45 degrees");

// What follows from these.
pi = pi_board(board);
screen = oled_module(oled);
width = 2 * wall + bay + pi[0] + right;
depth = max(52, 2 * wall + gap + pi[1] + back_gap, ears ? 2 * (wall + 1) + ears_board[1] : 0);
ears_at = [wall + lane, wall + 1, floor_t + standoff];
ears_top = ears_at[2] + 2 * ears_pcb + spacer + ears_parts;  // of the upper one
pi_x = wall + bay;                           // the Pi lies with its power edge at the back
pi_y = depth - wall - back_gap - pi[1];
pi_z = floor_t + standoff;
over_jaw = table_z + jaw_t + 1 + overhang_front * tan(tilt) + skirt * cos(tilt);
over_ears = ears ? ears_top + gap - ears_at[1] * tan(tilt) : 0;
clamp_x = width / 2 - (ears && board == "b" ? 6 : 0);        // else a screw meets a pillar
front_height = max(pi_z + pi_pcb + stack - pi_y * tan(tilt), over_jaw, over_ears);
back_height = front_height + depth * tan(tilt);
slope = depth / cos(tilt);
niche = right - 1.2;                         // so deep that the card reaches into its slot
niche_width = 16;
card_y = depth - wall - back_gap - pi[5];
power_x = pi_x + pi[0] - pi[4];
rail = 9;                                    // left and right of the module
beside = screen[0] / 2 + fit + rail + button_nut / 2 + 0.4;  // from its middle to the button's
buzzer_at = [wall + lane + 14, slope / 2];   // with ears the lid holds it: there is no room below
lamp_at = oled < 2 || ears ? [width - wall - right - 3, slope / 2]
    : [width - wall - 5, slope - 21.5];      // between the niche of the card and a post
// With ears it stands beside the lamp: on the left its back would be in the way of the sockets.
button_at = [ears ? lamp_at[0] - 14 : wall + bay - 5, slope / 2];
oled_x = ears ? min(max(width / 2 + 3.5, 88), button_at[0] - beside)  // its pins beside the last of them
    : max(width / 2 + 3.5, button_at[0] + beside);
// Middle of the module, along the slope. With ears its bars stay clear of the sockets.
oled_u = slope / 2 + (ears ? min(1, 10.7 - screen[1] / 2) : 1);
window_u = oled_u + screen[4];
lid_screws = [for (x = [wall + 3.6, width - wall - 3.6], y = [7, depth - 9.5]) [x, y / cos(tilt)]];

function roof(y) = front_height + y * tan(tilt);
function pi_holes() = [for (x = [pi_hole_edge, pi_hole_edge + pi[2]],
                            y = [pi_hole_edge, pi_hole_edge + pi[3]])
    [pi_x + pi[0] - x, pi_y + pi[1] - y]];
