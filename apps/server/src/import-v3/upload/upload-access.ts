import { once } from 'node:events';
import { connect, type LookupFunction } from 'node:net';
import { RpcError } from '@hilltop/protobuf';
import { isBlockedPort } from '../../outgoing/blocked-ports.ts';
import { createOutgoing, type Outgoing } from '../../outgoing/outgoing.ts';
import type { NamedServer } from '../source/named-server.ts';
import { UnreadableSource } from '../source/postgres.ts';
import { settingsOfTexts } from '../source/settings-file.ts';
import type { SourceAccess } from '../source/source-access.ts';

/** A settings file as texts: the file, and the environment of its server. */
export interface UploadedFile {
  name: string;
  text: string;
  environment: string;
}

const connectMs = 5_000;
/** No valid name or password contains a line break, and a line-based server would read it as several commands. */
const control = /\p{Cc}/u;

/**
 * For uploaded files. Databases of version 3 are usually in private networks, so private addresses and this machine are
 * allowed: only global administrators can upload, and the connection uses PostgreSQL or Redis with the credentials of
 * the file. The ports of this server, the metadata services of clouds and ports of other protocols are refused.
 * Connections use resolved addresses and not names, so a name cannot lead to another address later. Socket files are
 * not used.
 */
export function uploadAccess(files: readonly UploadedFile[], ownPorts: readonly number[]): SourceAccess {
  const byName = new Map(files.map((file) => [file.name, file]));
  const outgoing = createOutgoing({ allow: ['0.0.0.0/0', '::/0'], ownPorts });
  return {
    settingsFile: (name) => {
      const { text, environment } = byName.get(name)!;
      const file = settingsOfTexts(name, text, environment);
      if (file.text('redis.master_name') !== '')
        throw new UnreadableSource(
          `The Redis of ${name} is named by Sentinels, which may lead to any server: name the Redis itself in redis.servers, without redis.master_name.`,
        );
      return file;
    },
    addressOf: (server) => openAddress(server, outgoing),
  };
}

/** The first address of a server that accepts connections. */
async function openAddress({ host, port, sent }: NamedServer, outgoing: Outgoing): Promise<string> {
  if (sent.some((text) => text !== undefined && control.test(text)))
    throw new UnreadableSource(`A name or password for ${host}:${port} has control characters and is not used.`);
  if (isBlockedPort(port)) throw new UnreadableSource(`Port ${port} of ${host} is not a port of databases.`);
  const addresses = await outgoing.resolve(host, port).catch((error: unknown) => {
    throw error instanceof RpcError ? new UnreadableSource(error.message) : error;
  });
  const lookup: LookupFunction = (_name, _options, answer) => answer(null, addresses);
  // Any name works here as long as it is not an address.
  const socket = connect({ host: 'checked', port, lookup, autoSelectFamily: true });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(connectMs) });
    return socket.remoteAddress!;
  } catch {
    throw new UnreadableSource(`No server answers at ${host}:${port}.`);
  } finally {
    socket.destroy();
  }
}
