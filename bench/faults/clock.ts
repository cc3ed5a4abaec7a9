import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ShiftedClock extends Disposable {
  /** Settings of the server whose clock is shifted. */
  settings: Record<string, string>;
  /** Sets the server's clock ahead of the machine's clock by this time; behind it when negative. */
  jump(ms: number): void;
}

export function openClock(): ShiftedClock {
  const folder = mkdtempSync(join(tmpdir(), 'hilltop-clock-'));
  const file = join(folder, 'shift');
  const jump = (ms: number) => writeFileSync(file, String(ms));
  jump(0);
  return {
    settings: { CLOCK_SHIFT_FILE: file, NODE_OPTIONS: `--import=${new URL('clock-shift.ts', import.meta.url).href}` },
    jump,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
