import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { uploadAccess } from './upload-access.ts';

describe('servers that uploaded files may name', () => {
  const server = createServer((socket) => socket.end());
  let port: number;
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as { port: number });
  });
  after(() => server.close());

  const given = { name: 'as.toml', text: '', environment: '' };
  const addressOf = async (host: string, to = port, sent: string[] = [], ownPorts: number[] = []) =>
    uploadAccess([given], ownPorts).addressOf({ host, port: to, sent });

  it('include databases in private networks, by the address that answers', async () => {
    assert.equal(await addressOf('127.0.0.1'), '127.0.0.1');
    assert.equal(await addressOf('localhost'), '127.0.0.1');
  });

  const refused: readonly (readonly [name: string, ask: () => Promise<string>, RegExp])[] = [
    ['to this server', () => addressOf('127.0.0.1', port, [], [port]), /is this server itself/],
    ['to this server by another name', () => addressOf('localhost', port, [], [port]), /is this server itself/],
    ['to this server in another notation', () => addressOf('::ffff:127.0.0.1', port, [], [port]), /this server itself/],
    ['to the credentials of a cloud', () => addressOf('169.254.169.254', 5432), /credentials of this machine/],
    ['to another kind of server', () => addressOf('127.0.0.1', 25), /not a port of databases/],
    ['to a socket file', () => addressOf('/var/run/postgresql', 5432), /The name \/var\/run\/postgresql is not known/],
    ['with several lines in a password', () => addressOf('127.0.0.1', port, ['p\r\nquit']), /control characters/],
    ['where nothing answers', () => addressOf('127.0.0.1', 1_025), /No server answers at 127\.0\.0\.1:1025/],
  ];
  for (const [name, ask, because] of refused) it(`exclude ${name}`, () => assert.rejects(ask, because));

  it('exclude Sentinels, which can name any server', () =>
    assert.throws(
      () => uploadAccess([{ ...given, text: '[redis]\nmaster_name="main"' }], []).settingsFile('as.toml'),
      /named by Sentinels/,
    ));
});
