import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** Below the range of automatic ports, so that no connection takes the port before the server binds it. */
const [lowest, highest] = [16_384, 32_768];
/** Longer than the start of any server under test. */
const reservationMs = 120_000;
/** The folder that test processes share; without it, no port is reserved. */
const reservations = process.env['HILLTOP_TEST_PORTS'];

/** A TCP port of this machine without a listener. Test processes reserve it against each other for two minutes. */
export function freePort(): Promise<number> {
  return firstFree(async (port) => {
    const probe = createServer().listen(port, '127.0.0.1');
    await once(probe, 'listening');
    return probe;
  });
}

/** A UDP port of this machine without a listener, reserved like `freePort`. */
export function freeUdpPort(): Promise<number> {
  return firstFree(async (port) => {
    const probe = createSocket('udp4').bind(port, '127.0.0.1');
    await once(probe, 'listening');
    return probe;
  });
}

interface Probe extends NodeJS.EventEmitter {
  close: () => unknown;
}

async function firstFree(open: (port: number) => Promise<Probe>): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, highest);
    if (reservations !== undefined && !reserve(reservations, port)) continue;
    try {
      const probe = await open(port);
      probe.close();
      await once(probe, 'close');
      return port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
}

/** Creates the file that reserves the port. Of several processes, one succeeds. */
function reserve(folder: string, port: number): boolean {
  const file = join(folder, String(port));
  const reservedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (reservedAt !== undefined && Date.now() - reservedAt > reservationMs) rmSync(file, { force: true });
  try {
    writeFileSync(file, '', { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
