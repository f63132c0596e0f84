// The slate as it stands on its glass, for pages that show the virtual one.

let shown; // the name of the picture that stands there

export async function lookAtSlate(oled) {
  const answer = await fetch("/slate.png?scale=4");
  const name = answer.headers.get("ETag");
  if (!answer.ok || name === shown) return; // it stands there already
  shown = name;
  const before = oled.src;
  oled.src = URL.createObjectURL(await answer.blob());
  await oled.decode();
  if (before.startsWith("blob:")) URL.revokeObjectURL(before);
}
