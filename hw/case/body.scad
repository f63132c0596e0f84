// The body: floor with pillars for the Pi, four walls, open at its sloping top.
//
// Solids overlap where they are joined, cuts are joined before they cut, and what lies in a plane
// is drawn there: OpenSCAD takes ten times as long otherwise.

post = [11, 13];          // of the lid's screws, with the walls they stand in
power_hole = [14, 9.5];   // lets the moulding of a USB-C or micro-USB plug in
card_hole = [14, 8];
pilot_floor = 1;          // left under the pilots of the pillars
mark_t = 0.6;
buzzer_y = depth / 2 - 1;
buzzer_d = 14;
cable_at = [wall + bay - 5.4, depth - 19];
vents_at = ears ? max(width / 2, post[0] + 4 * socket_nut + 25) : width / 2;

module footprint() {
    difference() {
        rounded([width, depth]);
        translate([width - niche, card_y - niche_width / 2]) square([niche + 1, niche_width]);
    }
}

module at_pillars() {
    for (at = pi_holes()) translate(at) children();
    if (ears) for (at = ears_screws) translate([ears_at[0] + at[0], ears_at[1] + at[1]]) children();
}

// Two rows of four above the boards, [x, z]; the upper one first.
function sockets_at() = [for (n = [0 : plugs - 1])
    [post[0] + (n % 4 + 0.5) * socket_nut + 0.5, ears_top + 10 + (n < 4 ? 16 : 0)]];

module floor_cuts() {
    for (at = clamp_screws) translate([clamp_x + at[0], at[1]]) circle(d = m3_free);
    // Cables of modules come in through the floor and are tied down on the bars between the slots.
    if (!ears) translate(cable_at) {
        slot([9, 6]);
        for (x = [-3.6, 0, 3.6]) translate([x, -9]) slot([1.8, 4]);
    }
    // Air comes in from below, where no beer does.
    for (x = [pi_x + pi[0] - 12 : -5 : width / 2 + 21]) translate([x, depth / 2]) slot([2.5, 18]);
}

module base() {
    difference() {
        union() {
            linear_extrude(floor_t) difference() { footprint(); floor_cuts(); }
            on_floor(standoff) at_pillars() circle(d = 6);
            // Two ribs hold a buzzer against the holes in the left wall.
            if (!ears) on_floor(13) for (side = [-1, 1])
                translate([wall + 3.5, buzzer_y + side * (buzzer_d / 2 + 1.1)]) slot([8, 1.6]);
        }
        union() {
            translate([0, 0, pilot_floor]) linear_extrude(pi_z) at_pillars() circle(d = m25_pilot, $fn = 12);
            on_floor(1, mark_t) translate([width / 2 - 2, depth / 2 - 3]) mark(revision);
        }
    }
}

module on_floor(height, deep = 0.01) {
    translate([0, 0, floor_t - deep]) linear_extrude(height + deep) children();
}

module standing() {
    difference() {
        footprint();
        offset(delta = -wall) footprint();
    }
    intersection() {
        footprint();
        for (x = [0, width - post[0]], y = [0, depth - post[1]]) translate([x, y]) square(post);
    }
}

// Round below; its roof leans in by 45 degrees, and ends under the ring of the socket.
module socket_hole() {
    circle(d = socket_d);
    intersection() {
        rotate(45) square(socket_d / 2);
        translate([0, socket_d / 2]) square([socket_d, 2], center = true);
    }
}

module back_holes() {  // [x, z]
    translate([power_x, pi_z + pi_pcb + 2]) slot(power_hole);
    for (side = [-1, 1]) translate([power_x - 16 + side * 3.4, pi_z + 1]) slot([2, 6]);  // a cable tie
    for (x = [-21 : 6 : 21]) translate([vents_at + x, back_height - 17]) slot([2.5, 14]);
    if (ears) for (at = sockets_at()) translate(at) socket_hole();
}

module left_holes() {  // [y, z]
    for (y = [-6, 0, 6], z = [-4, 4]) translate([buzzer_y + y, floor_t + 9 + z]) circle(d = 2.6, $fn = 12);
}

module above_walls() {
    translate([-1, 0, front_height]) rotate([tilt, 0, 0])
        translate([0, -20, 0]) cube([width + 2, 2 * depth + 40, 2 * depth]);
}

module lid_pilots() {
    translate([0, 0, front_height]) rotate([tilt, 0, 0])
        for (at = lid_screws) translate([at[0], at[1], -10]) cylinder(d = m3_pilot, h = 11, $fn = 12);
}

module body() {
    base();
    difference() {
        linear_extrude(back_height) standing();
        union() {
            translate([0, depth + 1, 0]) rotate([90, 0, 0]) linear_extrude(wall + 2) back_holes();
            translate([-1, 0, 0]) rotate([90, 0, 90]) linear_extrude(wall + 2) left_holes();
            translate([width - niche - wall - 1, card_y - card_hole[0] / 2, pi_z - 4])
                cube([wall + 2, card_hole[0], card_hole[1]]);
            lid_pilots();
            above_walls();
        }
    }
}
