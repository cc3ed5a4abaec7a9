/** So long, in milliseconds, the page may be held up in one go: a picture comes every 17. */
const longest = 12;
let since = 0;

/** For work that comes in many parts: waits for what else the page has to do once they have taken long enough. */
export async function breathe(): Promise<void> {
  const now = performance.now();
  if (now - since < longest) return;
  await new Promise((resolve) => setTimeout(resolve));
  since = performance.now();
}
