import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LoggedJoin } from '../../network/join-log.ts';
import { diagnose } from './diagnose.ts';
import type { JoinFacts } from './facts.ts';

const now = 1_700_000_000_000;
const facts: JoinFacts = {
  devEUI: '0102030405060708',
  createdAt: now - 3_600_000,
  lastSeenAt: null,
  wasActivated: false,
  region: 'EU868',
  networkServer: 'RUNNING',
  isDisabled: false,
  supportsJoin: true,
  hasKeys: true,
  hasJoinServers: false,
  joins: [],
  hasDevNonces: false,
  keyFit: null,
  lookalikes: [],
  formerSession: null,
  lastError: null,
  gatewayNames: new Map(),
  maySeeKeys: true,
};
const join: LoggedJoin = {
  ...{ at: now - 60_000, joinEUI: '0000000000000000', devNonce: 1, outcome: 'ACCEPTED', answers: [] },
  receptions: [{ gatewayID: '0a', rssi: -90, snr: 1 }],
};

describe('the join doctor', () => {
  const cases: [string, Partial<JoinFacts>, verdict: string, findings: string[]][] = [
    ['misses a join-request after ten minutes', {}, 'PROBLEM', ['NOT_RECEIVED']],
    ['waits for a device that was just created', { createdAt: now - 1_000 }, 'WAITING', []],
    [
      'names a region that does not run here',
      { networkServer: 'NOT_RUNNING' },
      'PROBLEM',
      ['NOT_RUNNING', 'NOT_RECEIVED'],
    ],
    ['misses the confirmation of a gateway', { joins: [join] }, 'PROBLEM', ['NOT_SENT']],
    [
      'names a frequency without a channel',
      { joins: [{ ...join, outcome: 'UNKNOWN_CHANNEL' }] },
      'PROBLEM',
      ['UNKNOWN_CHANNEL'],
    ],
    [
      'names a join-server that does not know the device',
      { joins: [{ ...join, outcome: 'UNKNOWN_TO_JOIN_SERVER' }] },
      'PROBLEM',
      ['UNKNOWN_TO_JOIN_SERVER'],
    ],
    [
      'knows that a join-server may have the keys',
      { hasKeys: false, hasJoinServers: true, createdAt: now },
      'WAITING',
      [],
    ],
    ['knows little of a remote network-server', { networkServer: 'REMOTE' }, 'UNKNOWN', []],
    [
      'shows the error of a remote network-server',
      { networkServer: 'REMOTE', lastError: { at: now, text: 'invalid MIC' } },
      'PROBLEM',
      ['REMOTE_ERROR'],
    ],
    [
      'is content with a device that sent an uplink after its join',
      { joins: [join], wasActivated: true, lastSeenAt: now },
      'JOINED',
      [],
    ],
  ];
  for (const [what, more, verdict, findings] of cases) {
    it(what, () => {
      const diagnosis = diagnose({ ...facts, ...more }, now);
      const problems = diagnosis.checks.filter(({ state }) => state === 'PROBLEM');
      assert.deepEqual([diagnosis.verdict, problems.map(({ finding }) => finding)], [verdict, findings]);
    });
  }

  it('says of a remote network-server that it reports only errors', () => {
    const { checks } = diagnose({ ...facts, networkServer: 'REMOTE' }, now);
    assert.equal(checks[0]?.text, 'This network-server is remote and reports only errors.');
    assert.deepEqual(
      checks.filter(({ state }) => state === 'UNKNOWN').map(({ check }) => check),
      ['REGION', 'EUI', 'RECEIVED', 'GATEWAYS', 'SIGNATURE', 'DEV_NONCE', 'SENT', 'FIRST_UPLINK'],
    );
  });
});
