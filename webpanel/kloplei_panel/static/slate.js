import { Live } from "./live.js";
import { listen } from "./press.js";
import "./grace.js";

listen(new Live(`/slate${location.search}`));
