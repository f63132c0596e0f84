// Tones and vibration for the moments of who holds this phone, and of nobody else: they are asked,
// their knock was heard. Off until it is asked for; only this phone remembers that it was.

const OWN = "own-moments.";
const ASKED = { hz: [587, 880], each_s: 0.16, buzz_ms: [140, 90, 140] };
const KNOCKED = { hz: [196], each_s: 0.07, buzz_ms: [35] };
const LOUD = 0.25;
const FADED = 0.001; // an exponential fade never gets to nothing

let sounds;
let wasAsked;
let wasHeard;

export const canSound = "AudioContext" in window;
export const canBuzz = "vibrate" in navigator;

export function wants(way) {
  try {
    return localStorage.getItem(OWN + way) === "on";
  } catch {
    return false; // a browser that keeps nothing
  }
}

export function remember(way, isWanted) {
  try {
    localStorage.setItem(OWN + way, isWanted ? "on" : "off");
  } catch {
    // as above: it is on until the page is left
  }
  if (isWanted) give(ASKED, [way]);
}

// Call out what happens at the table, on a phone that was told to; it lies beside a loudspeaker.
export async function call(board) {
  if (!wants("call")) return;
  const calls = await import("./calls.js");
  if (navigator.userActivation?.hasBeenActive) calls.begin();
  calls.heed(board);
}

// Tell who sits at `seat` what is new on the board; what stood there at the first look is not.
export function heed({ to_answer = [], heard }, seat) {
  const isAsked = to_answer.includes(seat);
  const knocks = heard?.seat === seat && !heard.doubtful ? (heard.knocks ?? 0) : 0;
  if (isAsked && wasAsked === false) give(ASKED);
  else if (knocks > (wasHeard ?? knocks)) give(KNOCKED);
  wasAsked = isAsked;
  wasHeard = knocks;
}

function give({ hz, each_s, buzz_ms }, ways = ["sound", "buzz"].filter(wants)) {
  // Before the first tap on a page browsers let it neither sound nor vibrate.
  if (!navigator.userActivation?.hasBeenActive) return;
  if (canBuzz && ways.includes("buzz")) navigator.vibrate(buzz_ms);
  if (!canSound || !ways.includes("sound")) return;
  sounds ??= new AudioContext();
  sounds.resume();
  hz.forEach((pitch, at) => tone(pitch, sounds.currentTime + at * each_s, each_s));
}

function tone(hz, from_s, for_s) {
  const string = new OscillatorNode(sounds, { type: "triangle", frequency: hz });
  const volume = new GainNode(sounds, { gain: LOUD });
  volume.gain.setValueAtTime(LOUD, from_s);
  volume.gain.exponentialRampToValueAtTime(FADED, from_s + for_s);
  string.connect(volume).connect(sounds.destination);
  string.start(from_s);
  string.stop(from_s + for_s);
}
