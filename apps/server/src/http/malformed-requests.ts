import type { Socket } from 'node:net';
import { type ApiError, errorBody, refusal } from '@hilltop/contract';
import { STATUS_CODES } from '../node-http.ts';
import type { SecurityHeaders } from './headers.ts';

/** Answers bytes that are not a valid request, and so reach no route, with an error in the usual form. */
export function refuseMalformed(headers: SecurityHeaders): (error: Error, socket: Socket) => void {
  return (error, socket) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ECONNRESET' || socket.destroyed) return;
    if (socket.writable) socket.write(answer(refusalOf(code), headers));
    socket.destroySoon();
  };
}

function refusalOf(code: string | undefined): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW') return refusal('HEADERS_TOO_LARGE', { limit: '16 kB' });
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refusal('TOO_SLOW');
  return refusal('NOT_HTTP');
}

function answer(refusal: ApiError, headers: SecurityHeaders): string {
  const body = JSON.stringify(errorBody(refusal));
  const { httpStatus } = refusal;
  const lines = Object.entries({
    ...headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${httpStatus} ${STATUS_CODES[httpStatus]}\r\n${lines.join('')}\r\n${body}`;
}
