import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/**
 * Resolves at the first output of the process, which a server writes when it has started. Rejects when the process ends
 * before, because a test would otherwise wait until its limit.
 */
export async function firstOutput(child: ChildProcess, errors = () => ''): Promise<void> {
  const settled = new AbortController();
  const { signal } = settled;
  const output = once(child.stdout!, 'data', { signal });
  const end = once(child, 'exit', { signal }).then(([code, by]) => {
    throw new Error(`The process ended with ${code ?? by} before its first output. ${errors()}`);
  });
  try {
    await Promise.race([output, end]);
  } finally {
    settled.abort();
    await Promise.allSettled([output, end]);
  }
}
