import { atField, CodecVector, complete, type Operations, refusal } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import type { Handlers } from '../../http/call.ts';
import { deepestJSON, jsonDepth } from '../../payload-codecs/json-depth.ts';
import { deviceProfiles } from './store.ts';

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

/** The test vectors of device-profiles. */
export function codecVectorRoutes({ database }: { database: Database }): Handlers<Operations['codecVector']> {
  return {
    list: async ({ deviceProfileID }) => {
      await deviceProfiles.load(database, deviceProfileID);
      return { vectors: await loadVectors(database, deviceProfileID) };
    },
    replace: ({ deviceProfileID, vectors }) => {
      vectors.forEach(refuseInvalidObject);
      return database.transaction(async () => {
        await deviceProfiles.load(database, deviceProfileID);
        await replaceVectors(database, deviceProfileID, vectors);
        return {};
      });
    },
  };
}

function refuseInvalidObject({ objectJSON }: CodecVector, at: number): void {
  if (objectJSON === '') return;
  const refused = (problem: string) => atField(`vectors[${at}].objectJSON`, refusal('VECTOR_NOT_JSON', { problem }));
  if (jsonDepth(objectJSON) > deepestJSON) throw refused(`it nests more than ${deepestJSON} levels`);
  try {
    JSON.parse(objectJSON);
  } catch (error) {
    throw refused((error as Error).message);
  }
}
