import { type ApiError, streamErrorBody } from '@hilltop/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Outlet } from './live-stream.ts';

const mostBuffered = 1 << 20;

/** A stream as a chunked response with one JSON object per line. The headers are sent with the first item. */
export function chunkedOutlet(request: FastifyRequest, reply: FastifyReply): Outlet {
  reply.hijack();
  const { raw } = reply;

  function begin(httpStatus: number) {
    if (raw.headersSent) return;
    raw.writeHead(httpStatus, {
      ...(reply.getHeaders() as Record<string, string>),
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
    });
  }

  return {
    isForeign: false,
    send: (result) => {
      if (raw.writableEnded || raw.destroyed || raw.writableLength > mostBuffered) return false;
      begin(200);
      raw.write(`${JSON.stringify({ result })}\n`);
      return true;
    },
    end: (error?: ApiError) => {
      if (raw.writableEnded || raw.destroyed) return;
      begin(error?.httpStatus ?? 200);
      raw.end(error ? `${JSON.stringify(streamErrorBody(error))}\n` : undefined);
    },
    onGone: (gone) => request.raw.once('close', () => gone()) && raw.once('close', gone),
  };
}
