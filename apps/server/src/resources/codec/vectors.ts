import { CodecVector, complete } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';

/** The test vectors of the codec of a device-profile, in their order. */
export async function loadVectors({ query }: Database, deviceProfileID: string): Promise<CodecVector[]> {
  const row = await query
    .selectFrom('codec_vectors')
    .select('vectors')
    .where('device_profile_id', '=', deviceProfileID)
    .executeTakeFirst();
  const stored = row ? (JSON.parse(row.vectors) as Partial<CodecVector>[]) : [];
  return stored.map((vector) => complete(CodecVector, vector));
}

/** Call it in a transaction that has loaded the device-profile. */
export async function replaceVectors(
  { query }: Database,
  deviceProfileID: string,
  vectors: readonly CodecVector[],
): Promise<void> {
  const row = { device_profile_id: deviceProfileID, vectors: JSON.stringify(vectors) };
  await query
    .insertInto('codec_vectors')
    .values(row)
    .onConflict((conflict) => conflict.column('device_profile_id').doUpdateSet({ vectors: row.vectors }))
    .execute();
}
