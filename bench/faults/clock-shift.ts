/**
 * Preloaded into a server process: it shifts the wall clock of the process by the milliseconds in the file named by
 * CLOCK_SHIFT_FILE. A change of the file takes effect shortly after it is written.
 */
import { readFileSync } from 'node:fs';

const file = process.env['CLOCK_SHIFT_FILE'];
const RealDate = Date;
let shiftMs = 0;

function look(): void {
  shiftMs = Number(readFileSync(file!, 'utf8'));
}

if (file) {
  look();
  setInterval(look, 50).unref();
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, given: unknown[], asked: NewableFunction) =>
      Reflect.construct(target, given.length === 0 ? [RealDate.now() + shiftMs] : given, asked) as object,
    apply: () => new RealDate(RealDate.now() + shiftMs).toString(),
    get: (target, name, receiver) =>
      name === 'now' ? () => RealDate.now() + shiftMs : (Reflect.get(target, name, receiver) as unknown),
  });
}
