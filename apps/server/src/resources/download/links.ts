import { createHash, randomBytes } from 'node:crypto';
import { type DownloadFormatName, type DownloadKindName, refusal } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import { createQuota } from '../../connections/quota.ts';
import type { Database } from '../../database/database.ts';
import type { CallerReference, Principal } from '../../identity/principals.ts';
import { RetryLater } from '../../retry-later.ts';

export interface RequestedDownload {
  readonly kind: DownloadKindName;
  readonly format: DownloadFormatName;
  /** The request of the operation of this kind. */
  readonly request: unknown;
}

/** Links to files. Any instance accepts the link of another one. */
export interface DownloadLinks {
  /** Throws code 8 when the person has too many downloads. */
  create: (download: RequestedDownload, by: NonNullable<Principal>) => Promise<{ token: string; expiresAt: Date }>;
  /** Uses up the link. Throws code 5 when it was used or has expired. */
  use: (token: string) => Promise<RequestedDownload & { caller: CallerReference }>;
  /** Counts a file that is being sent. Throws code 8 when the person has too many; otherwise call the result at its end. */
  begin: (person: NonNullable<Principal>) => () => void;
}

const lifetimeSeconds = 60;
/** Files at a time, by one instance. */
const mostFiles = { all: 32, each: 2 };
const tooMany = () => new RetryLater(lifetimeSeconds, 'downloads at once');

const hashOf = (token: string) => createHash('sha256').update(token).digest('base64url');
const nameOf = ({ kind, id }: NonNullable<Principal>) => `${kind} ${id}`;
const referenceOf = (by: NonNullable<Principal>): CallerReference =>
  by.kind === 'user' ? { kind: by.kind, sessionID: by.sessionID, email: by.email } : { kind: by.kind, id: by.id };

export function createDownloadLinks({ database, clock }: { database: Database; clock: Clock }): DownloadLinks {
  const files = createQuota(mostFiles);

  function begin(by: NonNullable<Principal>): () => void {
    const person = nameOf(by);
    if (!files.take(person)) throw tooMany();
    return () => files.giveBack(person);
  }

  return {
    begin,

    create: async ({ kind, format, request }, by) => {
      begin(by)();
      const person = nameOf(by);
      const token = randomBytes(32).toString('base64url');
      const now = clock.now();
      const expiresAt = new Date(now.getTime() + lifetimeSeconds * 1000);
      await database.transaction(async () => {
        await database.query.deleteFrom('download').where('expires_at', '<=', now).execute();
        const unused = database.query.selectFrom('download').where('person', '=', person);
        const rows = await unused.select('token_hash').limit(mostFiles.each).execute();
        if (rows.length === mostFiles.each) throw tooMany();
        await database.query
          .insertInto('download')
          .values({
            ...{ token_hash: hashOf(token), person, caller: JSON.stringify(referenceOf(by)), kind, format },
            ...{ request: JSON.stringify(request), expires_at: expiresAt },
          })
          .execute();
      });
      return { token, expiresAt };
    },

    use: async (token) => {
      const row = await database.query
        .deleteFrom('download')
        .where('token_hash', '=', hashOf(token))
        .returningAll()
        .executeTakeFirst();
      if (!row || row.expires_at <= clock.now()) throw refusal('DOWNLOAD_GONE');
      const { kind, format, request, caller } = row;
      return {
        kind: kind as DownloadKindName,
        format: format as DownloadFormatName,
        request: JSON.parse(request) as unknown,
        caller: JSON.parse(caller) as CallerReference,
      };
    },
  };
}
