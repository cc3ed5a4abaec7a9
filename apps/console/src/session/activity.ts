/** After this long without user input the console marks its calls as inactive. */
const awayMs = 60_000;

let touchedAt = Date.now();
const touch = () => {
  touchedAt = Date.now();
};
for (const kind of ['pointerdown', 'pointermove', 'wheel', 'keydown'])
  addEventListener(kind, touch, { capture: true, passive: true });

/** The headers of a call, marked while the user is inactive: lists and figures are also refetched on their own. */
export function withActivity(given: HeadersInit | undefined): Headers {
  const headers = new Headers(given);
  if (Date.now() - touchedAt > awayMs) headers.set('Hilltop-Unattended', '1');
  return headers;
}
