import { Live } from "./live.js";
import "./countdown.js";

new Live(`/tv/slate${location.search}`);
