// The lid: it slopes, carries the slate, and sheds beer past the walls.
//
// Its own frame: x as the body, u up the slope, w out of the face; w = 0 lies on the walls.

front_u = -overhang_front / cos(tilt);
back_u = (depth + overhang) / cos(tilt);
behind = screen[5] + screen[6];  // the back of the module, below the walls' top
press = 0.2;

module plate() {
    translate([-overhang, front_u]) rounded([width + 2 * overhang, back_u - front_u], 4);
}

module window(grow = 0) {
    translate([oled_x, window_u]) slot([screen[2] + 2 * (window_slack + grow),
                                        screen[3] + 2 * (window_slack + grow)]);
}

module pane() {  // as wide as the module, and 3 mm more than the window at top and bottom
    translate([oled_x, window_u]) slot([screen[0], screen[3] + 2 * (window_slack + 3)]);
}

// Rails left and right of the module, with hooks around its corners.
module rails() {
    translate([oled_x, oled_u]) difference() {
        slot([screen[0] + 2 * (fit + rail), screen[1] + 2 * (fit + 2)]);
        slot([screen[0] + 2 * fit, screen[1] + 2 * fit]);
        slot([screen[0] - 6, screen[1] + 20]);
    }
}

function rail_screws() = [for (x = [-1, 1], u = [-1, 1])
    [oled_x + x * (screen[0] / 2 + fit + rail / 2), oled_u + u * (screen[1] / 2 - 4)]];

module holes() {
    translate(button_at) circle(d = button_d);
    translate(lamp_at) circle(d = lamp_d);
    for (at = lid_screws) translate(at) circle(d = m3_free);
}

module rail_pilots() {
    for (at = rail_screws()) translate(at) circle(d = m25_pilot, $fn = 12);
}

module layer(from, to) {
    translate([0, 0, from]) linear_extrude(to - from) children();
}

// Holds the buzzer, in a drop of glue; it sounds through the slots of the body.
module buzzer_ring() {
    translate(buzzer_at) difference() {
        circle(d = buzzer_d + 0.4 + 2 * 1.6);
        circle(d = buzzer_d + 0.4, $fn = 32);
    }
}

// Cut where it is wide and where it is narrow: people look in from the side, and heads sink in.
module funnels() {
    hull() {
        layer(lid_t - 1.2, lid_t - 1.19) window();
        layer(lid_t, lid_t + 0.01) window(1.2);
    }
    sunk = (m3_head - m3_free) / 2;
    // They begin inside the holes: edges that nearly meet are no solid once an STL has rounded them.
    for (at = lid_screws) translate([at[0], at[1], lid_t - sunk - 0.1])
        cylinder(d1 = m3_free - 0.2, d2 = m3_head, h = sunk + 0.1, $fn = 16);
}

module in_use() {
    assert(oled < 2 || ears || board != "zero",
           "the glass of 2.42 inch is too wide for the usual box of a Zero: add -D ears=true");
    difference() {
        union() {
            layer(0, lid_t) difference() { plate(); holes(); window(); }
            layer(-skirt, 0.01) difference() {
                plate();
                offset(delta = -skirt_t) plate();
            }
            // A little lower than the module, so that the bars press on it.
            layer(-behind + press, 0.01) rails();
            if (ears) layer(-5, 0.01) buzzer_ring();
        }
        union() {
            layer(-1, pane_t) pane();
            layer(-behind, 1) rail_pilots();
            layer(-1, mark_t) translate([width - 20, 4]) mirror([1, 0]) mark(revision);
            funnels();
        }
    }
}

module lid() {  // on its face
    translate([0, 0, lid_t]) rotate([180, 0, 0]) in_use();
}

// Presses one edge of the module onto the pane; two of them.
module bar() {
    long = screen[1] + 2 * (fit + 2);
    difference() {
        linear_extrude(2.6) difference() {
            translate([0, -long / 2]) square([rail + fit + 1.8, long]);
            for (u = [-1, 1]) translate([rail / 2, u * (screen[1] / 2 - 4)]) circle(d = m25_free);
        }
        translate([1.5, -2, 2]) linear_extrude(1) mark(revision, 4);
    }
}

module on_body() {
    translate([0, 0, front_height]) rotate([tilt, 0, 0]) children();
}
