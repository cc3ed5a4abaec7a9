import type { Answer, Job } from '../integration.ts';
import { DeliveryTrouble } from '../integration.ts';
import { excerptOf, expectSuccess } from '../outcome.ts';

type Json = Readonly<Record<string, unknown>>;

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Asks LoRa Cloud; only 200 is success, and its body is JSON. */
export async function call(
  { send, now }: Pick<Job<unknown>, 'send' | 'now'>,
  path: string,
  headers: readonly (readonly [string, string])[],
  body: object,
): Promise<Json> {
  const answer = await send({
    method: 'POST',
    url: `https://mgs.loracloud.com${path}`,
    headers: [['Content-Type', 'application/json'], ...headers],
    body: JSON.stringify(body),
    timeoutMs: 5000,
  });
  expectSuccess(answer, now());
  const json = answer.status === 200 ? parsed(answer) : undefined;
  if (json) return json;
  throw new DeliveryTrouble('endpoint', 'LoRa Cloud answered something else than expected.', {
    status: answer.status,
    excerpt: excerptOf(answer),
  });
}

function parsed({ body }: Answer): Json | undefined {
  try {
    const json: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    return isJson(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

export function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

/** `[latitude, longitude, altitude]` and an accuracy in metres, as a location; undefined when it is none. */
export function locationOf(llh: unknown, accuracy: unknown, source: string) {
  if (!Array.isArray(llh) || typeof llh[0] !== 'number' || typeof llh[1] !== 'number') return undefined;
  const [latitude, longitude, altitude] = llh as [number, number, unknown];
  return {
    latitude,
    longitude,
    altitude: numberOf(altitude),
    source,
    accuracy: Math.max(0, Math.round(numberOf(accuracy))),
  };
}
