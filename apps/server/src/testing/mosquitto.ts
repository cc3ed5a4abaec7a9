import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@hilltop/simulator';

const program = '/usr/sbin/mosquitto';
const hasMosquitto = existsSync(program) && existsSync('/usr/bin/mosquitto_sub');

/** Debian's broker and its clients; as an option of a test it states why the test is skipped. */
export const needsMosquitto = { skip: hasMosquitto ? false : 'mosquitto and mosquitto-clients are not installed' };

export interface Mosquitto extends AsyncDisposable {
  url: string;
  port: number;
  start: () => Promise<void>;
  stop: () => Promise<void>;
}

/** Debian's broker on its own port; sessions survive a restart. */
export async function startMosquitto(): Promise<Mosquitto> {
  const directory = mkdtempSync(join(tmpdir(), 'hilltop-mosquitto-'));
  const port = await freePort();
  const file = join(directory, 'mosquitto.conf');
  const lines = [`listener ${port} 127.0.0.1`, 'allow_anonymous true', 'set_tcp_nodelay true'];
  writeFileSync(file, [...lines, 'persistence true', `persistence_location ${directory}/`, 'user root', ''].join('\n'));
  let running: ReturnType<typeof spawn> | undefined;

  async function start(): Promise<void> {
    running = spawn(program, ['-c', file], { stdio: 'ignore' });
    for (;;) {
      const socket = connect(port, '127.0.0.1');
      const isUp = await once(socket, 'connect').then(
        () => true,
        () => false,
      );
      socket.destroy();
      if (isUp) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async function stop(): Promise<void> {
    if (!running || running.exitCode !== null) return;
    running.kill();
    await once(running, 'exit');
  }

  await start();
  return {
    url: `mqtt://127.0.0.1:${port}`,
    port,
    start,
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
