import { Live } from "./live.js";
import { listen } from "./press.js";
import "./countdown.js";
import "./shares.js";
import "./keypad.js";

document.body.classList.toggle("framed", self !== top);
// A form that was refused left its own address, which a reload would send once more.
if (location.pathname !== "/") history.replaceState(null, "", `/${location.search}`);
listen(new Live(`/slate${location.search}`));
