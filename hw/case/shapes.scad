// Shapes that several parts share.

module rounded(size, r = 3) {
    translate([r, r]) offset(r) square([size[0] - 2 * r, size[1] - 2 * r]);
}

module slot(size) {  // in the middle of where it is
    translate(-size / 2) square(size);
}

module hexagon(flats) {  // flats left and right: lying, its roof is a short bridge
    rotate(30) circle(d = flats / cos(30), $fn = 6);
}

// Letters of revisions, as strokes on a grid of 2 x 4: no font is needed to build a part.
function strokes(letter) =
    letter == "A" ? [[[0, 0], [1, 4]], [[1, 4], [2, 0]], [[0.4, 1.4], [1.6, 1.4]]] :
    letter == "B" ? [[[0, 0], [0, 4]], [[0, 4], [1.6, 3]], [[1.6, 3], [0, 2]], [[0, 2], [2, 1]],
                     [[2, 1], [0, 0]]] :
    letter == "C" ? [[[2, 4], [0, 3]], [[0, 3], [0, 1]], [[0, 1], [2, 0]]] :
    letter == "D" ? [[[0, 0], [0, 4]], [[0, 4], [2, 2]], [[2, 2], [0, 0]]] :
    assert(false, "draw the strokes of this letter in shapes.scad");

module mark(letter, height = 6, pen = 0.9) {
    scale = height / 4;
    for (stroke = strokes(letter)) hull() for (end = stroke)
        translate(end * scale) circle(d = pen, $fn = 8);
}
