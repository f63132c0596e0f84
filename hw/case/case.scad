// One part, laid out as it is printed, or all of them together as pictures:
//
//     openscad -o lid.stl -D 'part="lid"' -D 'board="b"' -D oled=0.96 case.scad
//
// All files are included here, and only here, so that -D reaches every one of them.
include <boards.scad>
include <parameters.scad>
include <shapes.scad>
include <body.scad>
include <lid.scad>
include <clamp.scad>
include <puck.scad>
include <guests.scad>
include <assembly.scad>
include <places.scad>

part = "assembled";
with_table = true;        // in the pictures
$fn = facets;

if (part == "body") body();
else if (part == "lid") lid();
else if (part == "bar") bar();
else if (part == "clamp") clamp();
else if (part == "pad") pad();
else if (part == "knob") knob();
else if (part == "puck") puck();
else if (part == "assembled") together(0);
else if (part == "exploded") together(1);
else if (part == "inside") inside();
else if (part == "places") places();
else assert(false, "part is body, lid, bar, clamp, pad, knob, puck, assembled, exploded, inside or places");
