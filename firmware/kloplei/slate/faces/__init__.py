"""Draw functions, one module an idea: each gets a box and plain values."""
