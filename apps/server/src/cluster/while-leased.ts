import { once } from 'node:events';

/** Runs a part for as long as this instance has its lease. */
export async function whileLeased(
  signal: AbortSignal,
  part: { start: () => Promise<void> | void; stop: () => Promise<void> },
): Promise<void> {
  try {
    await part.start();
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await part.stop();
  }
}
