// What the parts are made for, drawn for the pictures. Tests bring guests of their own.

module pi_guest() {
    translate([pi_x + pi[0], pi_y + pi[1], pi_z]) rotate(180) {
        color("seagreen") linear_extrude(pi_pcb) difference() {
            rounded([pi[0], pi[1]]);
            for (x = [0, pi[2]], y = [0, pi[3]]) translate([pi_hole_edge + x, pi_hole_edge + y]) circle(d = pi_hole_d);
        }
        color("dimgray") translate([7.1, pi[1] - 6, pi_pcb]) cube([50.8, 5, 2.5]);
        color("gold") translate([7.6, pi[1] - 5, pi_pcb]) for (x = [0 : 2.54 : 49], y = [0, 2.54])
            translate([x, y]) cube([0.6, 0.6, 8.5]);
        color("silver") translate([pi[4] - 4.5, -pi_power_out, pi_pcb]) cube([9, 7.4, 3.2]);
        color("black") translate([pi[0] * 0.4, pi[1] * 0.35, pi_pcb]) cube([13, 13, 1.5]);
        color("goldenrod") translate([-pi_card_out, pi[5] - 5.5, pi[6] ? -1.2 : pi_pcb]) cube([15, 11, 1]);
        if (board == "b") color("silver") for (y = [2.5, 20.5, 38])
            translate([pi[0] + pi_ports_out - 17.5, y, pi_pcb]) cube([17.5, 14, 14]);
    }
}

// Two boards of ../board.md with what stands highest on them.
module ears_guest() {
    for (n = [0, 1]) translate(ears_at + [0, 0, n * (ears_pcb + spacer)]) {
        color("peru") linear_extrude(ears_pcb) difference() {
            square(ears_board);
            for (at = ears_screws) translate(at) circle(d = 2.7);
        }
        translate([0, 0, ears_pcb]) {
            color("seagreen") for (k = [0 : 3]) translate([1.9, 6.5 + 12.7 * k]) cube([8.1, 10.2, 10.5]);
            color("goldenrod") for (k = [0 : 3]) translate([31.5, 15.5 + 12.7 * k]) cube([4, 7.5, 9]);
            if (n == 0) color("dimgray") translate([43.2, 10.2]) cube([10.2, 20.3, 9]);
            color("silver") if (n == 0) for (at = ears_screws) translate(at) cylinder(d = 5, h = spacer, $fn = 6);
        }
    }
}

// The sockets of the pucks, and a plug on each.
module plugs_guest() {
    for (at = sockets_at()) translate([at[0], depth, at[1]]) rotate([-90, 0, 0]) {
        color("silver") {
            translate([0, 0, -wall - 12]) cylinder(d = 11, h = wall + 14);
            translate([0, 0, -wall - 2.5]) cylinder(d = 16, h = 2.5, $fn = 6);
            translate([0, 0, 0.1]) cylinder(d = 15, h = 2);
        }
        color("lightgray") translate([0, 0, 2.5]) cylinder(d = 15, h = 9);
        color("dimgray") translate([0, 0, 11.5]) cylinder(d = 12, h = 17);
        color("black") translate([0, 0, 28.5]) cylinder(d = 4, h = 12);
    }
}

module oled_guest() {  // its glass on the pane
    translate([oled_x, oled_u, 0]) {
        color("royalblue") translate([0, 0, -behind]) linear_extrude(screen[6]) slot([screen[0], screen[1]]);
        color("black") translate([0, screen[4] - 1.5, -screen[5]]) linear_extrude(screen[5])
            slot([screen[0] - 1, screen[3] + 8]);
        color("white") translate([0, screen[4], -0.05]) linear_extrude(0.1) slot([screen[2], screen[3]]);
    }
}

module button_guest() {
    color("firebrick") translate([button_at[0], button_at[1], -18]) cylinder(d = 12, h = 18 + lid_t);
    color("firebrick") translate([button_at[0], button_at[1], lid_t]) cylinder(d = 15, h = 2);
}

module lamp_guest() {
    color("orange") translate([lamp_at[0], lamp_at[1], -5]) cylinder(d = 5, h = 9);
}

module disc_guest() {
    color("goldenrod") translate([0, 0, puck_h - 0.3]) cylinder(d = plate_d, h = 0.3);
}

module table_guest(thick = 28) {
    color("burlywood", 0.45) translate([-40, edge_y - 95, table_z - thick]) cube([width + 80, 95, thick]);
}
