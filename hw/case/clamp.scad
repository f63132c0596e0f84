// The clamp: a jaw on the table, a bolt from below, and a shelf for the box outside the edge.
//
// Its frame is the body's: y = 0 is the front wall, z = 0 the underside of the box.

lower_t = 12;
shelf_t = 6;
shelf_y = 47;
lower_z = table_z - jaw_gap;
back_y = -0.6;            // a gap to the front wall
edge_y = back_y - spine;  // the table ends here
bolt_y = edge_y - jaw_length / 2 - 4;
pad_t = 6;
pad_socket = 4;

module profile() {  // [y, z]
    difference() {
        offset(-3) offset(3) union() {
            translate([edge_y, lower_z - lower_t]) square([spine, table_z + jaw_t - lower_z + lower_t]);
            translate([edge_y - jaw_length, table_z]) square([jaw_length + 1, jaw_t]);
            translate([edge_y - jaw_length, lower_z - lower_t]) square([jaw_length + 1, lower_t]);
            translate([edge_y, -shelf_t]) square([shelf_y - edge_y, shelf_t]);
            polygon([[back_y - 1, -shelf_t], [back_y + 10, -shelf_t], [back_y - 1, -shelf_t - 14]]);
        }
        // The inner corners of jaw and shelf stay sharp: table and box have sharp edges.
        translate([edge_y - 10, table_z - 10]) square(10);
        translate([back_y, 0]) square(10);
    }
}

module clamp_cuts() {
    for (at = clamp_screws) translate([at[0], at[1], -shelf_t - 1]) {
        cylinder(d = m3_free, h = shelf_t + 2, $fn = 16);
        linear_extrude(m3_nut_t + 1) hexagon(m3_nut);
    }
    translate([0, bolt_y, lower_z - lower_t - 1]) cylinder(d = m6_free, h = lower_t + 2);
    translate([0, bolt_y, lower_z - m6_nut_t]) linear_extrude(m6_nut_t + 1) hexagon(m6_nut);
    translate([clamp_width / 2 - mark_t, edge_y + 2, -24]) rotate([90, 0, 90])
        linear_extrude(1) mark(revision);
}

module clamp_in_use() {
    difference() {
        rotate([90, 0, 90]) linear_extrude(clamp_width, center = true) profile();
        clamp_cuts();
    }
}

module clamp() {  // on its side: the layers run around the C, which is where it is strong
    translate([0, 0, clamp_width / 2]) rotate([0, -90, 0]) clamp_in_use();
}

// Turns on the tip of the bolt and spares the wood.
module pad() {
    difference() {
        cylinder(d = 22, h = pad_t);
        translate([0, 0, pad_t - pad_socket]) cylinder(d = m6_free, h = pad_socket + 1);
        translate([6, -2, pad_t - 0.6]) linear_extrude(1) mark(revision, 4);
    }
}

// Holds the head of the bolt.
module knob() {
    difference() {
        linear_extrude(11) union() {
            circle(d = 24);
            for (a = [0 : 60 : 300]) rotate(a) translate([11.5, 0]) circle(d = 7);
        }
        translate([0, 0, -1]) cylinder(d = m6_free, h = 20);
        translate([0, 0, 6]) linear_extrude(10) hexagon(m6_nut);
        translate([7, -2, 10.4]) linear_extrude(1) mark(revision, 4);
    }
}
