// Where things are, said instead of drawn: for the tests, and for who cuts the pane.

module places() {
    echo(tilt = tilt);
    echo(front_height = front_height);
    echo(outside = [width, depth, back_height]);
    echo(walls = wall);
    echo(board_z = pi_z);
    echo(lid_t = lid_t);
    echo(lid_screws = lid_screws);
    echo(module_at = [oled_x, oled_u]);
    echo(pane = [screen[0] - fit, screen[3] + 2 * (window_slack + 3) - fit, pane_t]);
    echo(bar_at = [oled_x - screen[0] / 2 - fit - rail, oled_x + screen[0] / 2 + fit + rail]);
    echo(bars_w = -behind + press);
    echo(button = [button_at[0], button_at[1], button_d]);
    echo(lamp = [lamp_at[0], lamp_at[1], lamp_d]);
    echo(table_edge = [edge_y, table_z]);
    echo(jaws = [table_z, lower_z, lower_t]);
    echo(bolt_y = bolt_y);
    echo(pad = [pad_t, pad_socket]);
    echo(clamp_width = clamp_width);
    echo(clamp_x = clamp_x);
    echo(clamp_screws = clamp_screws);
    echo(seat = [puck_floor + well, puck_h]);
    echo(ears = ears ? [for (n = [0, 1]) [ears_at[0], ears_at[1], ears_at[2] + n * (ears_pcb + spacer)]] : []);
    echo(ears_board = [ears_board[0], ears_board[1], ears_pcb, ears_parts]);
    echo(ears_screws = ears_screws);
    echo(sockets = ears ? sockets_at() : []);
    echo(socket_d = socket_d);
    echo(buzzer = [buzzer_at[0], buzzer_at[1], buzzer_d]);
    echo(revision = revision);
    cube(1);
}
