// Follow the table: the stream brings what changed, drawn by the server, and morph puts it in
// place. What the stream does not draw, or only this phone may read, is fetched when it says that
// something changed. A lost connection is said aloud, and comes back by itself.

import { morph } from "./morph.js";

const AGAIN_MS = 2000; // pause before a closed stream is opened anew, give or take a half
const QUIET_MS = 9000; // so long without a word, not even of none, and we ask if anybody is there
const PATIENCE_MS = 4000;
const ASK_MS = 40000; // who is told everything asks now and then: places are for who reads
const OF_FILES = /\/static\/(v[0-9a-f]{12})\//; // the version of pages and scripts, in each address
const FULL = 8; // times as long a pause while all places are taken

export class Live {
  // address: the server's drawing of #table; onBoard(board) hears every scoreboard.
  constructor(address, onBoard = () => {}) {
    this.address = address;
    this.onBoard = onBoard;
    this.stream = streamOf(address);
    this.told = 0; // drawings that the stream has brought
    this.askedAt = Date.now();
    this.pause = 1;
    this.isPlain = false;
    this.isLost = false;
    this.heardAt = Date.now();
    this.bar = document.getElementById("lost");
    addEventListener("offline", () => this.lose());
    addEventListener("online", () => this.open());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && this.isLost) this.open(); // a phone out of the pocket
    });
    addEventListener("pagehide", () => this.source?.close());
    addEventListener("pageshow", (event) => event.persisted && this.open());
    setInterval(() => this.watch(), QUIET_MS / 3);
    this.open();
  }

  open() {
    clearTimeout(this.again);
    this.source?.close();
    // Who finds no place to follow from looks now and then, and is told what has changed.
    if (this.pause > 1) this.draw(this.name ? { "If-None-Match": this.name } : {});
    this.source = new EventSource(this.stream + (this.isPlain ? "&packed=no" : ""));
    let isDrawn = false;
    // A page goes before the scoreboard that it shows.
    this.source.addEventListener("page", (event) => {
      this.told += 1;
      isDrawn = true;
      this.put(event.data);
    });
    this.source.addEventListener("scoreboard", (event) => {
      this.heardAt = Date.now();
      this.find();
      this.onBoard(JSON.parse(event.data));
      if (!isDrawn) this.redraw();
      else if (Date.now() - this.askedAt > ASK_MS) this.ask();
      isDrawn = false;
    });
    this.source.addEventListener("still", () => {
      this.heardAt = Date.now();
    });
    this.source.onerror = () => {
      this.lose();
      // A refusal closes a stream for good; the browser only retries broken ones.
      if (this.source.readyState === EventSource.CLOSED) this.retryLater();
    };
  }

  // Follow what is drawn at another address: the table as another place sees it.
  turnTo(address) {
    this.address = address;
    this.stream = streamOf(address);
    this.name = null;
    this.open();
  }

  retryLater() {
    clearTimeout(this.again);
    // Phones that lost the table together do not come back in one moment.
    this.again = setTimeout(() => this.open(), AGAIN_MS * this.pause * (0.5 + Math.random()));
  }

  // Wi-Fi that dies quietly breaks no stream for minutes: ask now and then.
  async watch() {
    if (document.hidden || Date.now() - this.heardAt < QUIET_MS) return;
    try {
      await this.ask();
      this.heardAt = Date.now();
      if (this.pause > 1) return;
      // It is there, and a stream that seems open brings nothing: what is packed may lie about on
      // its way, as browsers and proxies are not told to pass it on at once.
      if (this.source.readyState === EventSource.OPEN) this.isPlain = true;
      this.open();
    } catch {
      this.lose();
      this.retryLater();
    }
  }

  async ask() {
    this.askedAt = Date.now();
    const answer = await fetch("/api/v1/health", { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (!answer.ok) throw new Error(answer.status);
  }

  lose() {
    const isNews = !this.isLost;
    this.isLost = true;
    if (!this.bar) return;
    if (isNews) this.bar.textContent = this.bar.dataset.lost;
    this.bar.hidden = false;
    this.askWhy();
  }

  // Where the box answers, and only its table does not, or all places are taken, the Wi-Fi is
  // not to blame. A stream cannot say why it was refused; a plain question is told.
  async askWhy() {
    let why = this.bar.dataset.lost;
    let isFull = false;
    try {
      const answer = await fetch("/api/v1/stream", { signal: AbortSignal.timeout(PATIENCE_MS) });
      if (answer.ok) await answer.body.cancel();
      else {
        const told = await answer.json();
        why = told.message;
        isFull = told.error === "too_many_streams";
      }
    } catch {
      // nothing answers: the connection is lost, as the bar says
    }
    if (!this.isLost) return;
    this.pause = isFull ? FULL : 1;
    if (this.bar.textContent !== why) this.bar.textContent = why;
  }

  find() {
    this.isLost = false;
    this.pause = 1;
    this.bar?.toggleAttribute("hidden", true);
  }

  // One drawing at a time; if more happened meanwhile, one more when it is there.
  async redraw() {
    if (this.drawing) {
      this.drawAgain = true;
      return;
    }
    this.drawing = true;
    do {
      this.drawAgain = false;
      await this.draw();
    } while (this.drawAgain);
    this.drawing = false;
  }

  async draw(headers = {}) {
    const { told } = this;
    this.askedAt = Date.now();
    try {
      const signal = AbortSignal.timeout(2 * PATIENCE_MS);
      const answer = await fetch(this.address, { headers, signal });
      if (answer.status === 304) return;
      if (!answer.ok) throw new Error(answer.status);
      const text = await answer.text();
      if (told !== this.told) return; // the stream has brought a newer one meanwhile
      this.put(text);
      this.name = answer.headers.get("ETag");
    } catch {
      this.lose();
      this.retryLater();
    }
  }

  put(text) {
    const page = new DOMParser().parseFromString(text, "text/html");
    morph(document.getElementById("table"), page.getElementById("table"));
    this.name = null;
    document.dispatchEvent(new CustomEvent("drawn"));
    this.renew(text);
  }

  // A page that was left open while the box was updated: its script may not know what to make of
  // what is drawn now, and taps would go nowhere. Once for each version, whatever a phone keeps.
  renew(text) {
    const [, version] = OF_FILES.exec(text) ?? [];
    if (!version || import.meta.url.includes(version) || history.state?.renewed === version) return;
    history.replaceState({ ...history.state, renewed: version }, "");
    location.reload();
  }
}

const PAGES = { "/slate": "slate", "/tv/slate": "tv", "/overlay/slate": "overlay", "/demo/table": "demo" };

// A page comes drawn with the stream; place and language are those of the page.
function streamOf(address) {
  const [path, search] = address.split("?");
  return `/api/v1/stream?page=${PAGES[path]}${search ? `&${search}` : ""}`;
}
