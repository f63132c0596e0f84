import { Live } from "./live.js";
import "./grace.js";

new Live(`/tv/slate${location.search}`);
