/** How long work may block the page, in milliseconds: a frame takes 17. */
const longest = 12;
let since = 0;

/** For work in many parts: yields to the browser when the parts since the last pause took long enough. */
export async function yieldToBrowser(): Promise<void> {
  const now = performance.now();
  if (now - since < longest) return;
  await new Promise((resolve) => setTimeout(resolve));
  since = performance.now();
}
