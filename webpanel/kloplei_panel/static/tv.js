import { Live } from "./live.js";
import "./countdown.js";
import "./fit.js";
import "./reactions.js";

new Live(`/tv/slate${location.search}`);
