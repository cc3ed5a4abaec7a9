import { createSocket, type RemoteInfo, type Socket, type SocketOptions } from 'node:dgram';
import { lookup } from 'node:dns';
import { isIP } from 'node:net';
import type { Count, Log } from '../platform/runtime.ts';
import { type KernelQueue, readKernelQueue } from './kernel-queue.ts';

const receiveBufferBytes = 8 * 1024 * 1024;

/** Node would look up each address that gets an answer. Only the name to listen at needs a lookup. */
const lookUpNames: NonNullable<SocketOptions['lookup']> = (host, options, callback) => {
  const family = isIP(host);
  if (family === 0) lookup(host, options, callback);
  else callback(null, host, family);
};

/** The UDP socket of the Semtech link. */
export class DatagramSocket {
  readonly #socket: Socket;
  readonly #sendFailed: (error: unknown, address: string) => void;
  #dropsSeen = 0;
  #isClosed = false;

  constructor(host: string, sendFailed: (error: unknown, address: string) => void) {
    const type = host.includes(':') ? 'udp6' : 'udp4';
    this.#socket = createSocket({ type, recvBufferSize: receiveBufferBytes, lookup: lookUpNames });
    this.#sendFailed = sendFailed;
  }

  get address(): { host: string; port: number } {
    const { address: host, port } = this.#socket.address();
    return { host, port };
  }

  onMessage(listener: (bytes: Uint8Array, from: RemoteInfo) => void): void {
    this.#socket.on('message', listener);
  }

  /** Rejects when the address is not available. */
  async bind(port: number, host: string, { count, log }: { count: Count; log: Log }): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#socket.once('error', reject);
      this.#socket.bind(port, host, () => {
        this.#socket.off('error', reject);
        this.#socket.on('error', (error) => {
          count('connection_errors', { protocol: 'semtech_udp', cause: 'connection' });
          log.error({ err: error }, 'The gateway socket failed.');
        });
        resolve();
      });
    });
  }

  /** Sends nothing once the socket is closed. */
  send(bytes: Uint8Array, to: { address: string; port: number }): void {
    if (this.#isClosed) return;
    const failed = (error: unknown) => {
      if (!this.#isClosed) this.#sendFailed(error, to.address);
    };
    try {
      this.#socket.send(bytes, to.port, to.address, (error) => error && failed(error));
    } catch (error) {
      // Port 0.
      failed(error);
    }
  }

  /** Null when the platform does not report it. */
  readKernelQueue(): Promise<KernelQueue | null> {
    const { host, port } = this.address;
    return readKernelQueue({ port, isIPv6: host.includes(':') });
  }

  /** The datagrams that the kernel dropped since the last call. */
  async newKernelDrops(): Promise<number> {
    const drops = (await this.readKernelQueue())?.drops ?? 0;
    const more = Math.max(drops - this.#dropsSeen, 0);
    this.#dropsSeen += more;
    return more;
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return new Promise((resolve) => this.#socket.close(() => resolve()));
  }
}
