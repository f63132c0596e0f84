import { Live } from "./live.js";
import "./countdown.js";
import "./fit.js";

new Live(`/tv/slate${location.search}`);
