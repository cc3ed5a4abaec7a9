import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openLive } from './live.ts';

class FakeSocket {
  static all: FakeSocket[] = [];
  onopen = () => {};
  onmessage: (event: { data: string }) => void = () => {};
  onclose = () => {};
  readonly url: string;
  readonly protocols: string[];
  closed = false;
  constructor(url: URL, protocols: string[]) {
    this.url = String(url);
    this.protocols = protocols;
    FakeSocket.all.push(this);
  }
  close() {
    this.closed = true;
    this.onclose();
  }
}

beforeEach(() => {
  FakeSocket.all = [];
  vi.useFakeTimers();
  vi.stubGlobal('WebSocket', FakeSocket);
  localStorage.setItem('jwt', 'token');
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function open() {
  const seen: unknown[] = [];
  const stop = openLive('/api/devices/0102030405060708/events', {
    onItem: (item) => seen.push(item),
    onState: (state) => seen.push(state),
    onError: (message) => seen.push(`error: ${message}`),
  });
  return { seen, stop };
}

describe('openLive', () => {
  it('authenticates by sub-protocol and passes on results and errors', () => {
    const { seen } = open();
    const [socket] = FakeSocket.all;
    expect(socket?.url).toBe('ws://localhost:3000/api/devices/0102030405060708/events');
    expect(socket?.protocols).toEqual(['Bearer', 'token']);
    socket?.onopen();
    socket?.onmessage({ data: '{"result":{"type":"up"}}' });
    socket?.onmessage({ data: '{"error":{"grpcCode":13,"message":"no"}}' });
    expect(seen).toEqual(['connecting', 'connected', { type: 'up' }, 'error: no']);
  });

  it('reconnects with growing back-off and reports closed until then', () => {
    const { seen } = open();
    FakeSocket.all[0]?.onclose();
    vi.advanceTimersByTime(500);
    expect(FakeSocket.all).toHaveLength(2);
    FakeSocket.all[1]?.onclose();
    vi.advanceTimersByTime(500);
    expect(FakeSocket.all).toHaveLength(2);
    vi.advanceTimersByTime(500);
    expect(FakeSocket.all).toHaveLength(3);
    FakeSocket.all[2]?.onopen();
    expect(seen).toEqual(['connecting', 'closed', 'closed', 'connected']);
  });

  it('does not reconnect to a stream that the server refused', () => {
    const { seen } = open();
    FakeSocket.all[0]?.onmessage({ data: '{"error":{"grpcCode":7,"message":"no permission"}}' });
    FakeSocket.all[0]?.onclose();
    vi.advanceTimersByTime(60_000);
    expect(FakeSocket.all).toHaveLength(1);
    expect(seen.at(-1)).toBe('closed');
  });

  it('reconnects with the renewed token when the old session ends', () => {
    const { seen } = open();
    localStorage.setItem('jwt', 'renewed');
    FakeSocket.all[0]?.onmessage({ data: '{"error":{"grpcCode":16,"message":"not signed in"}}' });
    FakeSocket.all[0]?.onclose();
    vi.advanceTimersByTime(500);
    expect(FakeSocket.all[1]?.protocols).toEqual(['Bearer', 'renewed']);
    expect(seen).not.toContain('error: not signed in');
  });

  it('stays closed when stopped', () => {
    const { stop } = open();
    stop();
    vi.advanceTimersByTime(60_000);
    expect(FakeSocket.all).toHaveLength(1);
    expect(FakeSocket.all[0]?.closed).toBe(true);
  });
});
