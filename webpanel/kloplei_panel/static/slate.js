import { Live } from "./live.js";
import { listen } from "./press.js";
import "./countdown.js";
import "./shares.js";
import "./keypad.js";

document.body.classList.toggle("framed", self !== top);
listen(new Live(`/slate${location.search}`));
