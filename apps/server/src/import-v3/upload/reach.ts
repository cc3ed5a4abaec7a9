import { once } from 'node:events';
import { connect, type LookupFunction } from 'node:net';
import { RpcError } from '@hilltop/protobuf';
import { isBlockedPort } from '../../outgoing/blocked-ports.ts';
import { createOutgoing, type Outgoing } from '../../outgoing/outgoing.ts';
import type { NamedServer } from '../source/named-server.ts';
import { UnreadableSource } from '../source/postgres.ts';
import type { Reach } from '../source/reach.ts';
import { settingsOfTexts } from '../source/settings-file.ts';

/** A settings file as texts: the file, and what its server had in its environment. */
export interface UploadedFile {
  name: string;
  text: string;
  environment: string;
}

const connectMs = 5_000;
/** Nothing of ours has such a name or password, and a server that reads lines would take it for several. */
const control = /\p{Cc}/u;

/**
 * Of what somebody uploaded. Databases to move from are in private networks as a rule, so private addresses are open, and
 * those of this very machine: only global administrators get here, and who connects speaks PostgreSQL or Redis with what
 * the file has. Our own ports stay closed, the metadata of clouds and ports of other servers as well. Addresses and not names
 * are connected to, so no name leads elsewhere later, and no socket file is one.
 */
export function reachOf(files: readonly UploadedFile[], ownPorts: readonly number[]): Reach {
  const byName = new Map(files.map((file) => [file.name, file]));
  const outgoing = createOutgoing({ allow: ['0.0.0.0/0', '::/0'], ownPorts });
  return {
    settingsFile: (nameInReport) => {
      const { text, environment } = byName.get(nameInReport)!;
      const file = settingsOfTexts(nameInReport, text, environment);
      if (file.text('redis.master_name') !== '')
        throw new UnreadableSource(
          `The Redis of ${nameInReport} is named by Sentinels, which lead anywhere: name the Redis itself in redis.servers here, without redis.master_name.`,
        );
      return file;
    },
    addressOf: (server) => openAddress(server, outgoing),
  };
}

/** The first address of a server that answers. */
async function openAddress({ host, port, sent }: NamedServer, outgoing: Outgoing): Promise<string> {
  if (sent.some((text) => text !== undefined && control.test(text)))
    throw new UnreadableSource(`A name or password for ${host}:${port} has control characters, which is not tried.`);
  if (isBlockedPort(port)) throw new UnreadableSource(`Port ${port} of ${host} is for something else than a database.`);
  const addresses = await outgoing.resolve(host, port).catch((error: unknown) => {
    throw error instanceof RpcError ? new UnreadableSource(error.message) : error;
  });
  const lookup: LookupFunction = (_name, _options, answer) => answer(null, addresses);
  // The name only has to be none that is an address already.
  const socket = connect({ host: 'checked', port, lookup, autoSelectFamily: true });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(connectMs) });
    return socket.remoteAddress!;
  } catch {
    throw new UnreadableSource(`Nothing answers at ${host}:${port}.`);
  } finally {
    socket.destroy();
  }
}
