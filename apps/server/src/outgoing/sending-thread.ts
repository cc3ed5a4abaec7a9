/** Sends requests and posts their outcomes. Asks the main thread for the addresses of names, and connects only to these. */
import { parentPort, workerData } from 'node:worker_threads';
import { throttled } from '../throttled.ts';
import { DeliveryError } from './delivery-error.ts';
import { createHttpClient, type HttpClientOptions } from './http-client.ts';
import {
  copyOfView,
  type FromThread,
  messageIntervalMs,
  type RequestOutcome,
  type ResolvedAddresses,
  type ToThread,
} from './thread-messages.ts';

const port = parentPort!;
const post = (message: FromThread) => port.postMessage(message);
/** Lookups under way, by number. */
const lookups = new Map<number, (result: ResolvedAddresses) => void>();
let lastLookup = 0;
let outcomes: RequestOutcome[] = [];

const send = createHttpClient(async (hostname, portNumber) => {
  const result = await new Promise<ResolvedAddresses>((resolve) => {
    lastLookup += 1;
    lookups.set(lastLookup, resolve);
    post({ lookup: lastLookup, hostname, port: portNumber });
  });
  if ('error' in result) throw new DeliveryError(result.error.fault, result.error.message);
  return result.addresses;
}, workerData as HttpClientOptions);

const postOutcomes = throttled(() => {
  post({ outcomes });
  outcomes = [];
}, messageIntervalMs);

function report(outcome: RequestOutcome): void {
  outcomes.push(outcome);
  postOutcomes();
}

port.on('message', (message: ToThread) => {
  if ('lookup' in message) {
    lookups.get(message.lookup)?.(message.result);
    lookups.delete(message.lookup);
    return;
  }
  for (const { id, ...request } of message.requests)
    void send(request).then(
      (response) => report({ id, response: { ...response, body: copyOfView(response.body) } }),
      ({ fault, message: text }: DeliveryError) => report({ id, error: { fault, message: text } }),
    );
});
