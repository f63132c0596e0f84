// Follow the table: the stream says that something changed, the server draws what, and
// morph puts it in place. A lost connection is said aloud, and comes back by itself.

import { morph } from "./morph.js";

const AGAIN_MS = 2000; // pause before a closed stream is opened anew, give or take a half
const QUIET_MS = 9000; // so long without a word, and we ask whether anybody is there
const PATIENCE_MS = 4000;

export class Live {
  // address: the server's drawing of #table; onBoard(board) hears every scoreboard.
  constructor(address, onBoard = () => {}) {
    this.address = address;
    this.onBoard = onBoard;
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
    this.source = new EventSource("/api/v1/stream");
    this.source.addEventListener("scoreboard", (event) => {
      this.heardAt = Date.now();
      this.find();
      this.onBoard(JSON.parse(event.data));
      this.redraw();
    });
    this.source.onerror = () => {
      this.lose();
      // A refusal closes a stream for good; the browser only retries broken ones.
      if (this.source.readyState === EventSource.CLOSED) this.retryLater();
    };
  }

  retryLater() {
    clearTimeout(this.again);
    // Phones that lost the table together do not come back in one moment.
    this.again = setTimeout(() => this.open(), AGAIN_MS * (0.5 + Math.random()));
  }

  // Wi-Fi that dies quietly breaks no stream for minutes: ask now and then.
  async watch() {
    if (document.hidden || Date.now() - this.heardAt < QUIET_MS) return;
    try {
      const answer = await fetch("/api/v1/health", { signal: AbortSignal.timeout(PATIENCE_MS) });
      if (!answer.ok) throw new Error(answer.status);
      this.heardAt = Date.now();
      if (this.isLost) this.open();
    } catch {
      this.lose();
      this.retryLater();
    }
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
    try {
      const answer = await fetch("/api/v1/stream", { signal: AbortSignal.timeout(PATIENCE_MS) });
      if (answer.ok) await answer.body.cancel();
      else why = (await answer.json()).message;
    } catch {
      // nothing answers: the connection is lost, as the bar says
    }
    if (this.isLost && this.bar.textContent !== why) this.bar.textContent = why;
  }

  find() {
    this.isLost = false;
    if (this.bar) this.bar.hidden = true;
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

  async draw() {
    try {
      const answer = await fetch(this.address, { signal: AbortSignal.timeout(2 * PATIENCE_MS) });
      if (!answer.ok) throw new Error(answer.status);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      morph(document.getElementById("table"), page.getElementById("table"));
      document.dispatchEvent(new CustomEvent("drawn"));
    } catch {
      this.lose();
      this.retryLater();
    }
  }
}
