/** Sends letters, and answers what came of them. Where a name leads it asks, and it goes nowhere else. */
import { parentPort, workerData } from 'node:worker_threads';
import { DeliveryTrouble } from '../integrations/integration.ts';
import { throttled } from '../throttled.ts';
import { alone, type Found, type FromThread, messagesApartMs, type SendOutcome, type ToThread } from './letters.ts';
import { createSending, type SendingOptions } from './sending.ts';

const port = parentPort!;
const tell = (message: FromThread) => port.postMessage(message);
const questions = new Map<number, (found: Found) => void>();
let lastQuestion = 0;
let outcomes: SendOutcome[] = [];

const send = createSending(async (hostname, portNumber) => {
  const found = await new Promise<Found>((resolve) => {
    lastQuestion += 1;
    questions.set(lastQuestion, resolve);
    tell({ question: lastQuestion, hostname, port: portNumber });
  });
  if ('trouble' in found) throw new DeliveryTrouble(found.trouble.about, found.trouble.message);
  return found.addresses;
}, workerData as SendingOptions);

const tellSoon = throttled(() => {
  tell({ outcomes });
  outcomes = [];
}, messagesApartMs);

function report(outcome: SendOutcome): void {
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
      (answer) => report({ id, answer: { ...answer, body: alone(answer.body) } }),
      ({ about, message: text }: DeliveryTrouble) => report({ id, trouble: { about, message: text } }),
    );
});
