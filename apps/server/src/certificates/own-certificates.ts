import type { Database } from '../database/database.ts';
import type { Secrets } from '../secrets.ts';
import type { Pair } from './issue.ts';

/** Certificates of this server: its authorities, and those of its listeners. Stored with sealed keys. */
export interface OwnCertificates {
  /** Creates the certificate when it is first needed, and again when `isStale` holds for the stored one. */
  of: (name: string, make: () => Promise<Pair>, isStale?: (cert: string) => boolean) => Promise<Pair>;
}

const purpose = (name: string) => `own_certificate.key:${name}`;

export function createOwnCertificates(database: Database, secrets: Secrets, now: () => Date): OwnCertificates {
  const cached = new Map<string, Pair>();

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
      const before = cached.get(name) ?? (await load(name));
      if (before && !isStale(before.cert)) {
        cached.set(name, before);
        return before;
      }
      await store(name, await make(), before);
      // Several instances may create one at once: all use the row that was stored first.
      const stored = (await load(name))!;
      cached.set(name, stored);
      return stored;
    },
  };
}
