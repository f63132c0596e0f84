import { Live } from "./live.js";
import "./break.js";
import "./countdown.js";
import "./fit.js";
import "./reactions.js";

new Live(`/tv/slate${location.search}`);
