// What happens at the table is called out on the loudspeaker of this device. As the caller of the
// box does: what is played for goes first, nothing is said that is no news any more, and nothing
// begins while a pattern of knocks grows.

const FRESH_MS = 2000;
const LESSON = 6; // of a first hand: said as long as it stands there, and until somebody knocks on

const waiting = [];
let sounds;
let board = {};
let newest; // what had happened before this page looked is no news
let isAsking = false;
let asksAgain = false;
let spoken;

// One call, from when its sound is fetched: it may be stopped before it begins.
class Speaking {
  #source;
  #isOver = false;

  constructor(isLesson) {
    this.isLesson = isLesson;
  }

  stop() {
    this.#isOver = true;
    this.#source?.stop();
  }

  play(buffer, text) {
    if (this.#isOver) return;
    const source = new AudioBufferSourceNode(sounds, { buffer });
    const ended = new Promise((done) => (source.onended = done));
    source.connect(sounds.destination);
    source.start();
    this.#source = source;
    document.dispatchEvent(new CustomEvent("called", { detail: text }));
    return ended;
  }
}

export function isAllowed() {
  return sounds?.state === "running";
}

// Browsers let a page sound once somebody has tapped it, or where a kiosk is told to.
export function begin() {
  sounds ??= new AudioContext();
  return sounds.resume();
}

export async function heed(now) {
  board = now;
  if (board.heard || !board.shown) {
    drop(isLesson);
    if (spoken?.isLesson) spoken.stop();
  }
  next();
  asksAgain = isAsking;
  if (isAsking) return;
  isAsking = true;
  do {
    asksAgain = false;
    await ask();
  } while (asksAgain);
  isAsking = false;
}

export function end() {
  waiting.length = 0;
  spoken?.stop();
}

async function ask() {
  try {
    const answer = await fetch(`/api/v1/calls?after=${newest ?? 0}`);
    if (!answer.ok) return;
    const { last, quiet, calls } = await answer.json();
    if (quiet) end();
    else if (newest !== undefined) calls.forEach(take);
    newest = last;
    next();
  } catch {
    // the slate says aloud that the connection is lost
  }
}

function take(call) {
  if (isLesson(call)) drop(isLesson);
  if (call.stake !== undefined) drop((one) => one.stake !== undefined); // of two only one is true
  waiting.push({ ...call, at: performance.now() });
}

function isLesson({ urgency }) {
  return urgency === LESSON;
}

function drop(isGone) {
  for (let at = waiting.length; at--; ) if (isGone(waiting[at])) waiting.splice(at, 1);
}

async function next() {
  drop((one) => !isLesson(one) && performance.now() - one.at > FRESH_MS);
  if (!isAllowed() || spoken || board.heard || !waiting.length) return;
  waiting.sort((one, other) => one.urgency - other.urgency);
  const call = waiting.shift();
  spoken = new Speaking(isLesson(call));
  try {
    const answer = await fetch(call.sound);
    if (answer.ok) {
      await spoken.play(await sounds.decodeAudioData(await answer.arrayBuffer()), call.text);
    }
  } catch {
    // as above, or a sound that this browser does not read
  }
  spoken = undefined;
  next();
}
