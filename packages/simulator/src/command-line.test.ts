import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseCommandLine } from './command-line.ts';

describe('the command line', () => {
  it('has defaults', () => {
    assert.deepEqual(parseCommandLine([]), {
      server: '127.0.0.1:1700',
      devices: null,
      gateways: 3,
      region: 'EU868',
      rate: null,
      seconds: null,
      seed: null,
      plan: null,
      help: false,
    });
  });

  it('reads all options', () => {
    const text = '--server h:1 --devices f --gateways 2 --region US915 --rate 0.5 --seconds 9 --seed 4 --plan 5 --help';
    assert.deepEqual(parseCommandLine(text.split(' ')), {
      server: 'h:1',
      devices: 'f',
      gateways: 2,
      region: 'US915',
      rate: 0.5,
      seconds: 9,
      seed: 4,
      plan: 5,
      help: true,
    });
  });

  for (const text of [
    '--server h',
    '--rate 0',
    '--rate x',
    '--gateways -1',
    '--gateways=-1',
    '--seconds 0',
    '--foo',
    'bar',
  ]) {
    it(`refuses ${text}`, () => assert.throws(() => parseCommandLine(text.split(' ')), Error));
  }
});
