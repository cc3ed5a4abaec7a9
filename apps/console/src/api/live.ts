import { useEffect, useRef, useState } from 'react';
import { toast } from '../components/toast/toast.tsx';
import { readToken } from '../session/storage.ts';

export type LiveState = 'connecting' | 'connected' | 'closed';

interface Message<Item> {
  result?: Item;
  error?: { message: string };
}

interface Callbacks<Item> {
  onItem: (item: Item) => void;
  onState: (state: LiveState) => void;
  onError: (message: string) => void;
}

const firstDelayMs = 500;
const longestDelayMs = 15_000;

/**
 * Keeps a websocket of the API open until the returned function is called. The token travels as a sub-protocol. A lost
 * connection is opened again after a growing delay; the server then replays the stored tail, so the caller drops what it
 * has seen already.
 */
export function openLive<Item>(path: string, { onItem, onState, onError }: Callbacks<Item>): () => void {
  let socket: WebSocket | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let delayMs = firstDelayMs;
  let stopped = false;

  function connect() {
    onState('connecting');
    const url = new URL(path, location.href.replace(/^http/, 'ws'));
    socket = new WebSocket(url, ['Bearer', readToken() ?? '']);
    socket.onopen = () => {
      delayMs = firstDelayMs;
      onState('connected');
    };
    socket.onmessage = ({ data }: MessageEvent<string>) => {
      const message = JSON.parse(data) as Message<Item>;
      if (message.error) onError(message.error.message);
      else if (message.result !== undefined) onItem(message.result);
    };
    socket.onclose = () => {
      if (stopped) return;
      onState('closed');
      timer = setTimeout(connect, delayMs);
      delayMs = Math.min(delayMs * 2, longestDelayMs);
    };
  }

  connect();
  return () => {
    stopped = true;
    clearTimeout(timer);
    socket?.close();
  };
}

/** A live stream for as long as the screen is open; `path` null connects nothing. The newest `onItem` is always called. */
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
