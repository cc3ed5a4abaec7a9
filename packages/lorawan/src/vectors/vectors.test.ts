import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { frameChecks } from './frames.ts';
import { macCommandChecks } from './mac-commands.ts';
import { radioChecks } from './radio.ts';
import { regionChecks } from './regions.ts';
import { securityChecks } from './security.ts';
import { type Check, vectors } from './vector.ts';

const checks: Record<string, Check> = {
  ...frameChecks,
  ...securityChecks,
  ...macCommandChecks,
  ...radioChecks,
  ...regionChecks,
};

/** Kinds that are tested in the gateway protocols and in the network server. */
const checkedElsewhere = ['semtechUdp', 'adr.default'];

describe('published vectors', () => {
  for (const [kind, group] of Map.groupBy(vectors, (vector) => vector.kind)) {
    if (checkedElsewhere.includes(kind)) continue;
    describe(kind, () => {
      for (const vector of group) it(`${vector.id} ${vector.description}`, () => checks[kind]!(vector));
    });
  }

  it('are complete', () => {
    const kinds = new Set(vectors.map(({ kind }) => kind));
    assert.equal(vectors.length, 448);
    assert.deepEqual([...kinds].sort(), [...Object.keys(checks), ...checkedElsewhere].sort());
  });
});
