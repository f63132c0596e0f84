// All parts at their places; apart = 1 pulls them out along the way they go in.
//
// render() draws each part as it will be printed: the quick preview loses faces of parts this deep.

thick = 28;               // of the table in the pictures
bolt_tip = table_z - thick - (pad_t - pad_socket);

module together(apart) {
    color("slategray") render() body();
    translate([0, 0, 45 * apart]) pi_guest();
    if (ears) translate([0, 0, 45 * apart]) ears_guest();
    if (ears) translate([0, 30 * apart, 0]) plugs_guest();
    translate([0, -20 * apart, 105 * apart]) on_body() {
        color("lightsteelblue") render() in_use();
        translate([0, 0, -40 * apart]) oled_guest();
        translate([0, 0, -60 * apart]) bars_in_use();
        translate([0, 0, 24 * apart]) { button_guest(); lamp_guest(); }
    }
    translate([clamp_x, -40 * apart, -30 * apart]) {
        color("darkseagreen") render() clamp_in_use();
        translate([0, bolt_y, -30 * apart]) {
            color("silver") translate([0, 0, bolt_tip - 50 - 9 * apart]) cylinder(d = 6, h = 50);
            color("seagreen") translate([0, 0, bolt_tip + 2 + 44 * apart]) rotate([180, 0, 0]) pad();
            color("seagreen") translate([0, 0, bolt_tip - 56 - 30 * apart]) knob();
        }
    }
    if (apart == 0 && with_table) table_guest(thick);
    translate([width / 2 + 55 + 15 * apart, edge_y - 45, table_z - thick - puck_h - 55 * apart]) {
        color("darkseagreen") render() puck();
        translate([0, 0, 14 * apart]) disc_guest();
    }
}

// What lies in the body, before the lid comes on.
module inside() {
    color("slategray") render() body();
    pi_guest();
    if (ears) { ears_guest(); plugs_guest(); }
}

module bars_in_use() {
    color("darkseagreen") for (side = [0, 1])
        translate([oled_x, oled_u, -behind + press]) rotate(side * 180)
            translate([-screen[0] / 2 - fit - rail, 0, 0]) mirror([0, 0, 1]) bar();
}
