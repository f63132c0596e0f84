// The puck: covers a piezo disc that is glued under the wood, and holds its cable.
//
// It is printed, and looked at here, with the wood above.

plate_d = piezo_disc(disc)[0];
rim = 3.2;
puck_floor = 1.6;
well = 2.4;               // for the solder under the disc
seat = 2.6;               // under the rim: a foam ring of 3 mm and the disc of 0.5
puck_h = puck_floor + well + seat;
foam = 4;                 // width of the ring
cable = jacket + 0.2;
tail = 17;                // where the cable is tied down
outer_d = plate_d + 2 * (fit + rim);
ear_x = outer_d / 2 + 4.5;
braid = 8;                // width of the pocket where the braid is soldered to the rim of the brass

module puck_outline() {
    circle(d = outer_d);
    hull() for (side = [-1, 1]) translate([side * ear_x, 0]) circle(d = 10);
    translate([-6, -outer_d / 2 - tail]) square([12, tail + rim]);
}

module puck() {
    difference() {
        linear_extrude(puck_h) puck_outline();
        translate([0, 0, puck_floor + well]) cylinder(d = plate_d + 2 * fit, h = seat + 1);
        translate([0, 0, puck_floor]) cylinder(d = plate_d - 2 * foam, h = well + 1);
        translate([-braid / 2, -plate_d / 2 - fit + 0.01, puck_floor + 0.8])
            cube([braid, foam + fit + 2, puck_h]);
        translate([-cable / 2, -outer_d / 2 - tail - 1, puck_floor + 0.8])
            cube([cable, tail + outer_d / 2, puck_h]);
        for (side = [-1, 1]) translate([side * ear_x, 0, -1]) cylinder(d = m3_free, h = puck_h + 2);
        for (side = [-1, 1]) translate([side * ear_x, 0, -0.01])
            cylinder(d1 = m3_head, d2 = m3_free, h = (m3_head - m3_free) / 2);
        // A cable tie goes around the tail and its cable; a groove below keeps it off the table.
        for (side = [-1, 1]) translate([side * 4, -outer_d / 2 - tail + 6, -1])
            linear_extrude(puck_h + 2) slot([1.8, 4]);
        translate([0, outer_d / 2 - rim / 2 - 0.4, puck_h - 0.6]) linear_extrude(1)
            translate([-1, -1]) mark(revision, 2.2, 0.5);
    }
}
