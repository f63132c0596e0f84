// What happens at the table is called out on the loudspeaker of this device. As the caller of the
// box does: what is played for goes first, nothing is said that is no news any more, and nothing
// begins while a pattern of knocks grows. What is played for is no news but how things stand: it is
// said late rather than not at all, as long as it is true.

const FRESH_MS = 2000;
// Urgencies of `kloplei.voice.calls`.
const STAKE = 0;
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
  if (call.stake !== undefined) drop(isOfStake); // of two only one is true, and none of an ended hand
  if (!isOfStake(call)) return void waiting.push({ ...call, at: performance.now() });
  // Fetched at once: the panel forgets what is no news, and this may have to wait.
  waiting.push({ ...call, at: performance.now(), answer: fetch(call.sound).catch(Response.error) });
}

function isOfStake({ urgency }) {
  return urgency === STAKE;
}

// 0 says that nothing is played for any more.
function isTrue({ stake }) {
  return stake === (board.proposed ?? board.stake ?? 0);
}

function isLesson({ urgency }) {
  return urgency === LESSON;
}

function drop(isGone) {
  for (let at = waiting.length; at--; ) if (isGone(waiting[at])) waiting.splice(at, 1);
}

// Who hears of the next stake first takes the end of the hand before for that one's.
function first() {
  const call = waiting.reduce((one, other) => (other.urgency < one.urgency ? other : one));
  const ended = waiting.slice(0, waiting.indexOf(call)).find(({ stake }) => stake === 0);
  return (isOfStake(call) && ended) || call;
}

async function next() {
  const isLate = (one) => performance.now() - one.at > FRESH_MS;
  drop((one) => isLate(one) && !isLesson(one) && !(isOfStake(one) && isTrue(one)));
  if (!isAllowed() || spoken || board.heard || !waiting.length) return;
  const call = first();
  waiting.splice(waiting.indexOf(call), 1);
  spoken = new Speaking(isLesson(call));
  try {
    const answer = await (call.answer ?? fetch(call.sound));
    if (answer.ok) {
      await spoken.play(await sounds.decodeAudioData(await answer.arrayBuffer()), call.text);
    }
  } catch {
    // as above, or a sound that this browser does not read
  }
  spoken = undefined;
  next();
}
