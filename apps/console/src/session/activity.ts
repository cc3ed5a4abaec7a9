/** After this long without a touch the console says of its own questions that nobody is there. */
const awayMs = 60_000;

let touchedAt = Date.now();
const touch = () => {
  touchedAt = Date.now();
};
for (const kind of ['pointerdown', 'pointermove', 'wheel', 'keydown'])
  addEventListener(kind, touch, { capture: true, passive: true });

/** The headers of a call, with a word about it when nobody is there: lists and figures are also read anew by themselves. */
export function withActivity(given: HeadersInit | undefined): Headers {
  const headers = new Headers(given);
  if (Date.now() - touchedAt > awayMs) headers.set('Hilltop-Unattended', '1');
  return headers;
}
