import { useEffect, useRef, useState } from 'react';
import { toast } from '../components/toast/toast.ts';
import { readToken } from '../session/storage.ts';
import { sessionIsOver } from './client.ts';

export type LiveState = 'connecting' | 'connected' | 'closed';

interface Message<Item> {
  result?: Item;
  error?: { message: string; grpcCode: number };
}

interface Callbacks<Item> {
  onItem: (item: Item) => void;
  onState: (state: LiveState) => void;
  onError: (message: string) => void;
}

const firstDelayMs = 500;
const longestDelayMs = 15_000;
/** Codes after which a retry is pointless: not found, no permission, no session. */
const final = [5, 7, 16];

/**
 * Holds a websocket of the API open until the returned function is called. The token travels as a sub-protocol. A lost
 * connection is reopened with growing back-off; the server then sends its stored tail again, so the caller drops items
 * that it already has.
 */
export function openLive<Item>(path: string, { onItem, onState, onError }: Callbacks<Item>): () => void {
  let socket: WebSocket | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let delayMs = firstDelayMs;
  let token: string | null = null;
  let isFinal = false;
  let isStopped = false;

  function receive({ data }: MessageEvent<string>) {
    const { error, result } = JSON.parse(data) as Message<Item>;
    if (error) {
      // The session has been renewed since the stream was opened.
      if (error.grpcCode === 16 && readToken() !== token && readToken() !== null) return;
      isFinal = final.includes(error.grpcCode);
      if (error.grpcCode === 16) sessionIsOver();
      onError(error.message);
    } else if (result !== undefined) onItem(result);
  }

  function connect() {
    token = readToken();
    socket = new WebSocket(new URL(path, location.href.replace(/^http/, 'ws')), ['Bearer', token ?? '']);
    socket.onopen = () => {
      delayMs = firstDelayMs;
      onState('connected');
    };
    socket.onmessage = receive;
    socket.onclose = () => {
      if (isStopped) return;
      onState('closed');
      if (isFinal) return;
      timer = setTimeout(connect, delayMs);
      delayMs = Math.min(delayMs * 2, longestDelayMs);
    };
  }

  onState('connecting');
  connect();
  return () => {
    isStopped = true;
    clearTimeout(timer);
    socket?.close();
  };
}

/**
 * A live stream that is open while the component is mounted; with `path` null it does not connect. The latest `onItem`
 * is called.
 */
export function useLive<Item>(path: string | null, onItem: (item: Item) => void): { state: LiveState } {
  const [state, setState] = useState<LiveState>('connecting');
  const latest = useRef(onItem);
  useEffect(() => {
    latest.current = onItem;
  });
  useEffect(() => {
    if (path === null) return;
    return openLive<Item>(path, { onItem: (item) => latest.current(item), onState: setState, onError: toast.error });
  }, [path]);
  return { state };
}
