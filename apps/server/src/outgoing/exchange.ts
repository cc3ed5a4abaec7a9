import type { Dispatcher } from 'undici';
import type { HttpResponse } from './outgoing-request.ts';

export const timeoutError = new Error('timeout');

const responseLimit = new Error('response limit reached');

/**
 * Sends one request through the dispatcher interface of undici, as its streams and signals would double the cost of a
 * delivery. Reads the first `maxBytes` of a long response and then closes the connection. Rejects with `timeoutError` or an
 * error of undici.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { timeoutMs, maxBytes }: { timeoutMs: number; maxBytes: number },
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let hasEnded = false;
    let response = { status: 0, headers: {} as Record<string, string> };
    const parts: Buffer[] = [];
    let length = 0;

    function end(settle: () => void): void {
      if (hasEnded) return;
      hasEnded = true;
      clearTimeout(timer);
      settle();
    }
    const succeed = () => {
      const [first] = parts;
      const body = parts.length > 1 || !first ? Buffer.concat(parts) : first;
      resolve({ ...response, body: body.subarray(0, maxBytes) });
    };
    const timer = setTimeout(() => {
      end(() => reject(timeoutError));
      controller?.abort(timeoutError);
    }, timeoutMs);

    dispatcher.dispatch(request, {
      onRequestStart: (started) => {
        controller = started;
        // The timeout may have passed before the connection was established.
        if (hasEnded) started.abort(timeoutError);
      },
      onResponseStart: (_, status, headers) => {
        if (status >= 200) response = { status, headers: joinValues(headers) };
      },
      onResponseData: (request, part) => {
        parts.push(part);
        length += part.length;
        if (length < maxBytes) return;
        end(succeed);
        request.abort(responseLimit);
      },
      onResponseEnd: () => end(succeed),
      onResponseError: (_, error) => end(() => reject(error)),
    });
  });
}

function joinValues(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name] ?? '';
    joined[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return joined;
}
