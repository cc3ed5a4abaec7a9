import type { Dispatcher } from 'undici';
import type { HttpResponse } from './outgoing-request.ts';

export const timeoutError = new Error('too late');

const enough = new Error('enough was read');

/**
 * One request, by what the library is made of: its streams and signals cost as much as all else of a delivery. Of a long
 * answer the first `mostBytes` are read, then the connection is closed. Rejects with `tooLate`, or what the library says.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { timeoutMs, mostBytes }: { timeoutMs: number; mostBytes: number },
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let isOver = false;
    let answer = { status: 0, headers: {} as Record<string, string> };
    const parts: Buffer[] = [];
    let length = 0;

    function end(act: () => void): void {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      act();
    }
    const succeed = () => {
      const [first] = parts;
      const body = parts.length > 1 || !first ? Buffer.concat(parts) : first;
      resolve({ ...answer, body: body.subarray(0, mostBytes) });
    };
    const timer = setTimeout(() => {
      end(() => reject(timeoutError));
      controller?.abort(timeoutError);
    }, timeoutMs);

    dispatcher.dispatch(request, {
      onRequestStart: (begun) => {
        controller = begun;
        // The library asks nobody before it is connected.
        if (isOver) begun.abort(timeoutError);
      },
      onResponseStart: (_, status, headers) => {
        if (status >= 200) answer = { status, headers: flat(headers) };
      },
      onResponseData: (begun, part) => {
        parts.push(part);
        length += part.length;
        if (length < mostBytes) return;
        end(succeed);
        begun.abort(enough);
      },
      onResponseEnd: () => end(succeed),
      onResponseError: (_, error) => end(() => reject(error)),
    });
  });
}

function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name] ?? '';
    joined[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return joined;
}
