import { Live } from "./live.js";

new Live(`/overlay/slate${location.search}`);
