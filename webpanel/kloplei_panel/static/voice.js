// A take goes to the box as soon as it is there. The browser decodes what its phone recorded, for no
// small library reads all of that, and sends what is said of it as WAV.

const RATE_HZ = 24000;
const LONGEST_S = 8;
const FAINT = 0.02; // of the loudest: so loud what is said begins and ends, about
const ROOM_S = 0.3; // of what lies about it, by which the box knows the room

for (const form of document.querySelectorAll("form.take")) {
  const { clip } = form.elements;
  clip.required = false; // what is sent is chosen here
  clip.addEventListener("change", () => clip.files.length && send(form, clip));
}

async function send(form, clip) {
  const told = form.querySelector(".told");
  told.textContent = form.dataset.busy;
  try {
    const samples = said(await decoded(clip.files[0]));
    if (samples.length > LONGEST_S * RATE_HZ) {
      told.textContent = form.dataset.long;
      clip.value = "";
      return;
    }
    const carried = new DataTransfer();
    carried.items.add(new File([wav(samples)], "clip.wav", { type: "audio/wav" }));
    clip.files = carried.files;
    form.submit();
  } catch {
    told.textContent = form.dataset.unreadable;
    clip.value = "";
  }
}

// One channel at the rate of the box: whoever decodes for a context brings it to its rate.
async function decoded(file) {
  const sound = await new OfflineAudioContext(1, 1, RATE_HZ).decodeAudioData(await file.arrayBuffer());
  const channels = Array.from({ length: sound.numberOfChannels }, (_, at) => sound.getChannelData(at));
  return channels[0].map((_, at) => channels.reduce((sum, one) => sum + one[at], 0) / channels.length);
}

function said(samples) {
  const line = FAINT * samples.reduce((most, one) => Math.max(most, Math.abs(one)), 0);
  const first = samples.findIndex((one) => Math.abs(one) > line);
  const last = samples.findLastIndex((one) => Math.abs(one) > line);
  const room = Math.round(ROOM_S * RATE_HZ);
  return samples.subarray(Math.max(0, first - room), last + room);
}

function wav(samples) {
  const file = new DataView(new ArrayBuffer(44 + 2 * samples.length));
  const text = (at, letters) => [...letters].forEach((one, n) => file.setUint8(at + n, one.charCodeAt(0)));
  text(0, "RIFF");
  file.setUint32(4, 36 + 2 * samples.length, true);
  text(8, "WAVEfmt ");
  file.setUint32(16, 16, true);
  file.setUint16(20, 1, true); // plain samples
  file.setUint16(22, 1, true); // of one channel
  file.setUint32(24, RATE_HZ, true);
  file.setUint32(28, 2 * RATE_HZ, true);
  file.setUint16(32, 2, true);
  file.setUint16(34, 16, true);
  text(36, "data");
  file.setUint32(40, 2 * samples.length, true);
  samples.forEach((one, at) => file.setInt16(44 + 2 * at, 32767 * Math.max(-1, Math.min(1, one)), true));
  return file.buffer;
}
