import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, it } from 'node:test';
import { RpcError } from '@hilltop/protobuf';
import { createMetrics } from '../metrics.ts';
import { createOutgoing, type ProtectedServer } from './outgoing.ts';

interface Settings {
  allow?: string[];
  ownPorts?: number[];
  protectedServers?: ProtectedServer[];
  names?: Record<string, string[]>;
}

const outgoing = (settings: Settings = {}) =>
  createOutgoing({
    allow: settings.allow ?? [],
    ownPorts: settings.ownPorts ?? [],
    protectedServers: settings.protectedServers ?? [],
    addressesOf: async (host) => {
      if (isIP(host)) return [{ address: host, family: isIP(host) }];
      return (settings.names?.[host] ?? []).map((address) => ({ address, family: isIP(address) }));
    },
  });

const refused = (code: string, text: RegExp) => (error: unknown) =>
  error instanceof RpcError && error.code === code && text.test(error.message);

describe('the check of outgoing addresses', () => {
  const reserved = [
    ['127.0.0.1', /this machine.*127\.0\.0\.0\/8/],
    ['127.8.9.10', /this machine/],
    ['0.0.0.0', /this machine/],
    ['::1', /this machine.*::1\/128/],
    ['::', /this machine/],
    ['::ffff:127.0.0.1', /this machine/],
    ['::ffff:7f00:1', /this machine/],
    ['10.1.2.3', /private network/],
    ['172.31.255.255', /private network/],
    ['192.168.1.1', /private network/],
    ['::ffff:10.0.0.1', /private network/],
    ['fd12::1', /private network/],
    ['100.64.0.1', /provider/],
    ['169.254.169.254', /local link/],
    ['fe80::1', /local link/],
    ['224.0.0.1', /many receivers/],
    ['ff02::1', /many receivers/],
    ['255.255.255.255', /reserved/],
    ['64:ff9b::7f00:1', /translated/],
    ['2002:7f00:1::', /translated/],
    ['::127.0.0.1', /translated/],
    ['::ffff:0:127.0.0.1', /translated/],
    ['192.0.0.9', /special purpose/],
    ['192.31.196.1', /special purpose/],
    ['192.52.193.1', /special purpose/],
    ['192.88.99.1', /special purpose/],
    ['192.175.48.1', /special purpose/],
    ['::ffff:192.88.99.1', /special purpose/],
    ['100:0:0:1::1', /reserved range/],
    ['2001:1::1', /special purpose/],
    ['2001:1ff:ffff::1', /special purpose/],
    ['2001:2::1', /measurements/],
    ['2001:4:112::1', /special purpose/],
    ['2001:20::1', /special purpose/],
    ['2001:30::1', /special purpose/],
    ['2620:4f:8000::1', /special purpose/],
    ['5f00::1', /special purpose/],
    ['fe80::1%eth0', /local link/],
  ] as const;
  for (const [address, text] of reserved) {
    it(`refuses ${address}`, async () => {
      await assert.rejects(outgoing().resolve(address, 8000), refused('FailedPrecondition', text));
      await assert.rejects(outgoing().resolve(`[${address}]`, 8000), refused('FailedPrecondition', text));
    });
  }

  for (const address of ['1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:1.1.1.1']) {
    it(`allows ${address}`, async () => {
      assert.deepEqual(await outgoing().resolve(address, 8000), [{ address, family: isIP(address) }]);
    });
  }

  for (const written of ['127.1', '2130706433', '0x7f000001', '0177.0.0.1', '0', 'localhost'])
    it(`recognizes ${written}`, async () => {
      const system = createOutgoing({ allow: [], ownPorts: [] });
      await assert.rejects(system.resolve(written, 8000), refused('FailedPrecondition', /this machine/));
    });

  it('checks all addresses of a name', async () => {
    const names = { inner: ['10.0.0.1'], both: ['1.1.1.1', '127.0.0.1'], outer: ['1.1.1.1', '2606:4700::1111'] };
    await assert.rejects(outgoing({ names }).resolve('inner', 1), refused('FailedPrecondition', /^inner leads to/));
    await assert.rejects(outgoing({ names }).resolve('both', 1), refused('FailedPrecondition', /this machine/));
    assert.equal((await outgoing({ names }).resolve('outer', 1)).length, 2);
    await assert.rejects(outgoing({ names }).resolve('nowhere', 1), refused('Unavailable', /^The name nowhere/));
  });

  it('allows ranges and single addresses of the setting', async () => {
    const allow = ['10.1.0.0/16', '127.0.0.1', 'fd00::/8', '::1'];
    for (const address of ['10.1.2.3', '127.0.0.1', 'fd01::1', '::1']) await outgoing({ allow }).resolve(address, 1);
    for (const address of ['10.2.2.3', '127.0.0.2', 'fc01::1'])
      await assert.rejects(outgoing({ allow }).resolve(address, 1), refused('FailedPrecondition', /./));
  });

  it('allows no address that embeds a forbidden one', async () => {
    const translated = ['64:ff9b::/96', '64:ff9b:1::/48', '2001::/32', '2002::/16', '::/96', '::ffff:0:0:0/96'];
    const open = outgoing({ allow: translated });
    for (const address of [
      '64:ff9b::10.0.0.1',
      '64:ff9b:1:a00:0:100::',
      '2002:a00:1::1',
      // Teredo: the address of its server, then that of the client, inverted.
      '2001:0:a00:1::',
      '2001:0:101:101:0:0:f5ff:fffe',
      '::10.0.0.1',
      '::ffff:0:10.0.0.1',
    ])
      await assert.rejects(open.resolve(address, 1), refused('FailedPrecondition', /a private network/), address);
    for (const address of ['64:ff9b::1.1.1.1', '64:ff9b:1:101:1:100::', '2002:101:101::1'])
      await open.resolve(address, 1);
    const both = outgoing({ allow: [...translated, '10.0.0.0/8'] });
    await both.resolve('64:ff9b::10.0.0.1', 1);
  });

  it('never allows metadata services of clouds', async () => {
    const open = outgoing({ allow: ['0.0.0.0/0', '::/0'] });
    for (const address of ['169.254.169.254', 'fd00:ec2::254', '::ffff:169.254.169.254', '64:ff9b::a9fe:a9fe'])
      await assert.rejects(open.resolve(address, 80), refused('FailedPrecondition', /credentials/), address);
    for (const address of ['169.254.170.2', 'fd20:ce::254', '100.100.100.200', '192.0.0.192'])
      await assert.rejects(open.resolve(address, 80), refused('FailedPrecondition', /credentials/), address);
    // Azure's address is not in a reserved range, so it needs no setting.
    await assert.rejects(outgoing().resolve('168.63.129.16', 80), refused('FailedPrecondition', /credentials/));
    await open.resolve('169.254.169.253', 80);
  });

  it('never allows the database of this server under any name', async () => {
    const [own = '127.0.0.1'] = Object.values(networkInterfaces()).flatMap((one) =>
      (one ?? []).map(({ address }) => address),
    );
    const names = { db: ['10.0.0.5', 'fd12::5'], alias: ['10.0.0.5'], localhost: ['127.0.0.1'] };
    const open = (host: string) =>
      outgoing({
        allow: ['0.0.0.0/0', '::/0'],
        names,
        protectedServers: [{ host, port: 5432, description: 'the database' }],
      });
    for (const address of ['db', 'alias', '10.0.0.5', 'fd12::5', '::ffff:10.0.0.5', '64:ff9b::a00:5'])
      await assert.rejects(open('db').resolve(address, 5432), refused('FailedPrecondition', /the database/), address);
    await open('db').resolve('alias', 5433);
    await open('db').resolve('10.0.0.6', 5432);
    for (const address of ['127.0.0.1', '127.0.0.9', '0.0.0.0', own])
      await assert.rejects(open('localhost').resolve(address, 5432), refused('FailedPrecondition', /the database/));
  });

  it('counts refusals', async () => {
    const metrics = createMetrics();
    const addressesOf = async (address: string) => [{ address, family: isIP(address) }];
    const open = createOutgoing({ allow: ['127.0.0.1'], ownPorts: [8080], metrics, addressesOf });
    for (const address of ['10.0.0.1', '10.0.0.2', '169.254.169.254']) await open.resolve(address, 80).catch(() => {});
    await open.resolve('127.0.0.1', 8080).catch(() => {});
    await open.resolve('127.0.0.1', 80);
    const text = await metrics.text();
    assert.match(text, /^hilltop_outgoing_refused_total\{why="range"\} 3$/m);
    assert.match(text, /^hilltop_outgoing_refused_total\{why="own"\} 1$/m);
  });

  it('never allows a listening port of this server on its own addresses', async () => {
    const own = Object.values(networkInterfaces()).flatMap((one) => (one ?? []).map(({ address }) => address));
    const open = outgoing({ allow: ['0.0.0.0/0', '::/0'], ownPorts: [8080] });
    for (const address of [...own, '127.0.0.1', '127.3.3.3', '0.0.0.0', '::ffff:127.0.0.1', '64:ff9b::7f00:1']) {
      await assert.rejects(
        open.resolve(address, 8080),
        refused('FailedPrecondition', /is this server itself/),
        address,
      );
      await open.resolve(address, 8081);
    }
    await open.resolve('1.1.1.1', 8080);
  });
});
