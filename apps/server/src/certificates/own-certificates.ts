import type { Database } from '../database/database.ts';
import type { Secrets } from '../secrets.ts';
import type { Pair } from './issue.ts';

/** Certificates that stand for this server: authorities, and what its listeners show. Kept with their keys sealed. */
export interface OwnCertificates {
  /** Made when it is first asked for, and made again when the kept one `isStale`. */
  of: (name: string, make: () => Promise<Pair>, isStale?: (cert: string) => boolean) => Promise<Pair>;
}

const purpose = (name: string) => `own_certificate.key:${name}`;

export function createOwnCertificates(database: Database, secrets: Secrets, now: () => Date): OwnCertificates {
  const kept = new Map<string, Pair>();

  async function load(name: string): Promise<Pair | undefined> {
    const row = await database.query
      .selectFrom('own_certificate')
      .select(['cert', 'key'])
      .where('name', '=', name)
      .executeTakeFirst();
    return row && { cert: row.cert, key: new TextDecoder().decode(secrets.open(row.key, purpose(name))) };
  }

  async function store(name: string, { cert, key }: Pair, before: Pair | undefined): Promise<void> {
    const row = { cert, key: secrets.seal(new TextEncoder().encode(key), purpose(name)), created_at: now() };
    if (before) {
      const rows = database.query.updateTable('own_certificate').set(row).where('name', '=', name);
      await rows.where('cert', '=', before.cert).execute();
      return;
    }
    const rows = database.query.insertInto('own_certificate').values({ name, ...row });
    await rows.onConflict((on) => on.column('name').doNothing()).execute();
  }

  return {
    of: async (name, make, isStale = () => false) => {
      const before = kept.get(name) ?? (await load(name));
      if (before && !isStale(before.cert)) {
        kept.set(name, before);
        return before;
      }
      await store(name, await make(), before);
      // Whoever was first: everybody uses the stored one.
      const stored = (await load(name))!;
      kept.set(name, stored);
      return stored;
    },
  };
}
