import type { LibraryModelListItem, Operations, RequestOf } from '@hilltop/contract';
import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { countOf, readPage, searchText } from '../../database/page.ts';
import { contains } from '../../database/search.ts';
import { type GenericModel, genericModels, genericVendor } from '../../device-library/generic-models.ts';
import { genericListItem } from './models.ts';
import type { ModelRow } from './store.ts';

const mostWords = 8;

const listIn = (text: string) => text.split(',').filter((value) => value !== '');

type Filter = RequestOf<Operations['library']['listModels']>;

/** A page of models: those of this installation, those of the catalogue, and the generic ones. */
export async function listModels(
  { query }: Database,
  { search, vendorID, profileID, region, source, ...page }: Filter,
): Promise<{ totalCount: string; result: LibraryModelListItem[] }> {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, mostWords);
  let matching = query.selectFrom('library_model');
  for (const word of words) matching = matching.where(contains('library_model.search', word));
  if (vendorID > 0) matching = matching.where('vendor_id', '=', vendorID);
  if (profileID > 0) matching = matching.where(contains('library_model.profile_ids', `,${profileID},`));
  if (region !== '')
    matching = matching.where((eb) => eb.or([eb('regions', '=', ''), sql<boolean>`regions like ${`%,${region},%`}`]));
  if (source !== '')
    matching = matching.where((eb) =>
      source === 'GENERIC' ? eb.lit(false) : eb('device_profile_id', source === 'CATALOGUE' ? 'is' : 'is not', null),
    );
  const hasGeneric = vendorID === 0 && profileID === 0 && ['', 'GENERIC'].includes(source);
  const generic = hasGeneric ? genericModels.filter((model) => matches(model, words)) : [];
  const stored = await countOf(matching);
  return readPage(
    page,
    async () => stored + generic.length,
    async () => {
      const rows = await matching
        .select([
          'id',
          'device_profile_id',
          'vendor_name',
          'vendor_id',
          'name',
          'description',
          'regions',
          'vector_count',
          'pass_count',
        ])
        .orderBy(sql`case when device_profile_id is null then 1 else 0 end`)
        .orderBy(sql`lower(vendor_name)`)
        .orderBy(sql`lower(library_model.name)`)
        .orderBy('id')
        .limit(page.limit)
        .offset(page.offset)
        .execute();
      const skipped = Math.max(page.offset - stored, 0);
      const more = generic.slice(skipped, skipped + page.limit - rows.length);
      return [...rows.map(toListItem), ...more.map(genericListItem)];
    },
  );
}

function matches({ name, description }: GenericModel, words: readonly string[]): boolean {
  const text = searchText(genericVendor, name, description);
  return words.every((word) => text.includes(word));
}

function toListItem(row: Omit<ModelRow, 'vendor' | 'search' | 'profile_ids' | 'details'>): LibraryModelListItem {
  return {
    id: row.id,
    source: row.device_profile_id === null ? 'CATALOGUE' : 'INSTALLATION',
    vendor: row.vendor_name,
    name: row.name,
    description: row.description,
    vendorID: row.vendor_id,
    regions: listIn(row.regions),
    vectorCount: row.vector_count,
    passCount: row.pass_count,
  };
}
