import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the range of automatic ports, so that no other process gets the port before the server binds it. */
const [lowest, highest] = [16_384, 32_768];

/** A TCP port of this machine without a listener. */
export function freePort(): Promise<number> {
  return firstFree(async (port) => {
    const probe = createServer().listen(port, '127.0.0.1');
    await once(probe, 'listening');
    return probe;
  });
}

/** A UDP port of this machine without a listener. */
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
