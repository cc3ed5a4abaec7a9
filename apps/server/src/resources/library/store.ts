import type { Library } from '@hilltop/contract';
import { type Selectable, sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { searchText } from '../../database/page.ts';
import type {
  Catalogue,
  CatalogueCodec,
  CatalogueModel,
  CatalogueVendor,
  FileProblem,
} from '../../device-library/catalogue-types.ts';
import type { LibraryCodecTable, LibraryModelTable, LibraryVendorTable } from './tables.ts';

export type ModelRow = Selectable<LibraryModelTable>;

/** The part of a catalogue model that is read as a whole. */
export type ModelDetails = Pick<CatalogueModel, 'productURL' | 'documentationURL' | 'firmwares'>;

const most = { problems: 500, changes: 100, copyrightLines: 40 };
const rowsAtOnce = 20;

/** A list as one text that `like` can search: `,EU868,US915,`. */
const enclosed = (values: readonly (string | number)[]) => (values.length > 0 ? `,${values.join(',')},` : '');

export async function loadModelRow({ query }: Database, id: string): Promise<ModelRow | undefined> {
  return query.selectFrom('library_model').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function loadVendor({ query }: Database, id: string): Promise<Selectable<LibraryVendorTable> | undefined> {
  return query.selectFrom('library_vendor').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function loadLicense({ query }: Database): Promise<string> {
  const row = await query.selectFrom('library').select('license').executeTakeFirst();
  return row?.license ?? '';
}

export async function loadCodecs(
  { query }: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Selectable<LibraryCodecTable>>> {
  if (ids.length === 0) return new Map();
  const rows = await query.selectFrom('library_codec').selectAll().where('id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** What is installed. */
export async function loadLibrary({ query }: Database, address: string): Promise<Library> {
  const row = await query.selectFrom('library').selectAll().executeTakeFirst();
  const { problems = '[]', changes = JSON.stringify(noChanges), version = '', source = '', license = '' } = row ?? {};
  const vendors = await loadVendors(query);
  const codecs = await query
    .selectFrom('library_codec')
    .select((eb) => [eb.fn.sum<number>('vector_count').as('vectors'), eb.fn.sum<number>('pass_count').as('passes')])
    .executeTakeFirst();
  return {
    address,
    version,
    installedAt: row?.installed_at.toISOString() ?? null,
    source,
    license,
    modelCount: vendors.reduce((sum, { modelCount }) => sum + modelCount, 0),
    vectorCount: Number(codecs?.vectors ?? 0),
    passCount: Number(codecs?.passes ?? 0),
    vendors,
    changes: JSON.parse(changes) as Library['changes'],
    problemCount: row?.problem_count ?? 0,
    problems: JSON.parse(problems) as FileProblem[],
  };
}

const noChanges: Library['changes'] = { added: [], changed: [], removed: [] };

async function loadVendors(query: Database['query']): Promise<Library['vendors']> {
  const vendors = await query.selectFrom('library_vendor').selectAll().orderBy(sql`lower(name)`).execute();
  const counts = await query
    .selectFrom('library_model')
    .where('device_profile_id', 'is', null)
    .select((eb) => ['vendor', eb.fn.countAll<number>().as('models')])
    .groupBy('vendor')
    .execute();
  const codecs = await query
    .selectFrom('library_codec')
    .select(['vendor', 'vector_count', 'pass_count', 'copyright'])
    .execute();
  const modelsOf = new Map(counts.map(({ vendor, models }) => [vendor, Number(models)]));
  const codecsOf = Map.groupBy(codecs, ({ vendor }) => vendor);
  return vendors.map(({ id, name, vendor_id, homepage, license }) => {
    const own = codecsOf.get(id) ?? [];
    const lines = new Set(own.flatMap(({ copyright }) => copyright.split('\n')).filter((line) => line !== ''));
    return {
      id,
      name,
      vendorID: vendor_id,
      homepage,
      license,
      copyright: [...lines].slice(0, most.copyrightLines).join('\n'),
      modelCount: modelsOf.get(id) ?? 0,
      vectorCount: own.reduce((sum, codec) => sum + codec.vector_count, 0),
      passCount: own.reduce((sum, codec) => sum + codec.pass_count, 0),
    };
  });
}

/** Replaces the installed library by another one, in one transaction. Published device-profiles stay. */
export async function replaceCatalogue(
  database: Database,
  catalogue: Catalogue,
  { passes, source, now }: { passes: ReadonlyMap<string, number>; source: string; now: Date },
): Promise<void> {
  const rows = toRows(catalogue, passes);
  await database.transaction(async () => {
    const { query } = database;
    const before = await readModels(query);
    await query.deleteFrom('library').execute();
    await query
      .insertInto('library')
      .values({
        id: 1,
        version: catalogue.version,
        installed_at: now,
        source,
        license: catalogue.license,
        changes: JSON.stringify(changesBetween(before, rows)),
        problem_count: catalogue.problems.length,
        problems: JSON.stringify(catalogue.problems.slice(0, most.problems)),
      })
      .execute();
    await query.deleteFrom('library_model').where('device_profile_id', 'is', null).execute();
    await query.deleteFrom('library_codec').execute();
    await query.deleteFrom('library_vendor').execute();
    for (const some of slices(rows.vendors)) await query.insertInto('library_vendor').values(some).execute();
    for (const some of slices(rows.codecs)) await query.insertInto('library_codec').values(some).execute();
    for (const some of slices(rows.models)) await query.insertInto('library_model').values(some).execute();
  });
}

function slices<Row>(rows: readonly Row[]): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / rowsAtOnce) }, (_, index) =>
    rows.slice(index * rowsAtOnce, (index + 1) * rowsAtOnce),
  );
}

interface CatalogueRows {
  vendors: Selectable<LibraryVendorTable>[];
  codecs: Selectable<LibraryCodecTable>[];
  models: ModelRow[];
}

function toRows({ vendors, codecs, models }: Catalogue, passes: ReadonlyMap<string, number>): CatalogueRows {
  const codecRows = new Map(codecs.map((codec) => [codec.id, toCodecRow(codec, passes.get(codec.id) ?? 0)]));
  const vendorOf = new Map(vendors.map((vendor) => [vendor.id, vendor]));
  return {
    vendors: vendors.map(({ id, name, vendorID, homepage, license }) => ({
      id,
      name,
      vendor_id: vendorID,
      homepage,
      license,
    })),
    codecs: [...codecRows.values()],
    models: models.map((model) => toModelRow(model, vendorOf.get(model.vendor)!, codecRows)),
  };
}

function toCodecRow({ id, vendor, script, vectors, copyright }: CatalogueCodec, passCount: number) {
  return {
    id,
    vendor,
    script,
    vectors: JSON.stringify(vectors),
    vector_count: vectors.length,
    pass_count: passCount,
    copyright,
  };
}

function toModelRow(
  { id, vendor, name, description, productURL, documentationURL, firmwares }: CatalogueModel,
  { name: vendorName, vendorID }: CatalogueVendor,
  codecs: ReadonlyMap<string, Selectable<LibraryCodecTable>>,
): ModelRow {
  const profiles = firmwares.flatMap((firmware) => firmware.profiles);
  const own = [...new Set(firmwares.map(({ codec }) => codec))].flatMap((codec) => codecs.get(codec) ?? []);
  return {
    id,
    device_profile_id: null,
    vendor,
    vendor_name: vendorName,
    vendor_id: vendorID,
    name,
    description,
    search: searchText(vendorName, name, description),
    regions: enclosed([...new Set(profiles.map(({ region }) => region))]),
    profile_ids: enclosed([
      ...new Set(profiles.map(({ vendorProfileID }) => vendorProfileID).filter((one) => one > 0)),
    ]),
    vector_count: own.reduce((sum, codec) => sum + codec.vector_count, 0),
    pass_count: own.reduce((sum, codec) => sum + codec.pass_count, 0),
    details: JSON.stringify({ productURL, documentationURL, firmwares } satisfies ModelDetails),
  };
}

type StoredModels = Pick<CatalogueRows, 'models' | 'codecs'>;

async function readModels(query: Database['query']): Promise<StoredModels> {
  return {
    models: await query.selectFrom('library_model').selectAll().where('device_profile_id', 'is', null).execute(),
    codecs: await query.selectFrom('library_codec').selectAll().execute(),
  };
}

/** The names of models that were added, removed, or whose profiles or codecs changed. */
function changesBetween(before: StoredModels, after: StoredModels): Library['changes'] {
  const changedCodecs = new Map(before.codecs.map(({ id, script }) => [id, script]));
  for (const { id, script } of after.codecs) if (changedCodecs.get(id) === script) changedCodecs.delete(id);
  const usesChanged = ({ details }: ModelRow) =>
    (JSON.parse(details) as ModelDetails).firmwares.some(({ codec }) => changedCodecs.has(codec));
  const old = new Map(before.models.map((model) => [model.id, model]));
  const kept = new Set(after.models.map(({ id }) => id));
  const named = (models: readonly ModelRow[]) =>
    models.map(({ vendor_name, name }) => `${vendor_name} ${name}`).slice(0, most.changes);
  return {
    added: named(after.models.filter(({ id }) => !old.has(id))),
    changed: named(
      after.models.filter((model) => {
        const one = old.get(model.id);
        return one !== undefined && (one.details !== model.details || usesChanged(model));
      }),
    ),
    removed: named(before.models.filter(({ id }) => !kept.has(id))),
  };
}

/** The row of a published device-profile. */
export function publishedRow(
  deviceProfileID: string,
  { vendor, name, description }: { vendor: string; name: string; description: string },
): ModelRow {
  return {
    id: `published:${deviceProfileID}`,
    device_profile_id: deviceProfileID,
    vendor: '',
    vendor_name: vendor,
    vendor_id: 0,
    name,
    description,
    search: searchText(vendor, name, description),
    regions: '',
    profile_ids: '',
    vector_count: 0,
    pass_count: 0,
    details: '{}',
  };
}
