/** Sends letters, and answers what came of them. Where a name leads it asks, and it goes nowhere else. */
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
const tell = (message: FromThread) => port.postMessage(message);
const questions = new Map<number, (found: ResolvedAddresses) => void>();
let lastQuestion = 0;
let outcomes: RequestOutcome[] = [];

const send = createHttpClient(async (hostname, portNumber) => {
  const found = await new Promise<ResolvedAddresses>((resolve) => {
    lastQuestion += 1;
    questions.set(lastQuestion, resolve);
    tell({ question: lastQuestion, hostname, port: portNumber });
  });
  if ('trouble' in found) throw new DeliveryError(found.trouble.fault, found.trouble.message);
  return found.addresses;
}, workerData as HttpClientOptions);

const tellSoon = throttled(() => {
  tell({ outcomes });
  outcomes = [];
}, messageIntervalMs);

function report(outcome: RequestOutcome): void {
  outcomes.push(outcome);
  tellSoon();
}

port.on('message', (message: ToThread) => {
  if ('question' in message) {
    questions.get(message.question)?.(message.found);
    questions.delete(message.question);
    return;
  }
  for (const { id, ...letter } of message.letters)
    void send(letter).then(
      (answer) => report({ id, answer: { ...answer, body: copyOfView(answer.body) } }),
      ({ fault: about, message: text }: DeliveryError) => report({ id, trouble: { fault: about, message: text } }),
    );
});
