import type { Filter } from '@hilltop/contract';
import type { Database, DatabaseKind } from '../../database/database.ts';
import { countOf } from '../../database/page.ts';
import { isWithinLimit } from '../../identity/visibility.ts';
import { conditionsOfSelection, type DeviceFilterName, type DeviceSelection } from './filters.ts';

type DeviceFilter = Filter<DeviceFilterName>;

/** Each device is in one of them, and all but the first have an index. */
const exclusiveStates: readonly string[] = ['active', 'inactive', 'neverSeen'];

/** Without other limits than applications and filters, their number is known. */
export async function sumOfApplications(
  { query, kind }: Database,
  { organizationID, applicationID, serviceProfileID = '', within }: DeviceSelection,
): Promise<number> {
  const row = await query
    .selectFrom('application')
    .$if(organizationID !== undefined, (rows) => rows.where('organization_id', '=', organizationID!))
    .$if(applicationID !== undefined, (rows) => rows.where('id', '=', applicationID!))
    .$if(serviceProfileID !== '', (rows) => rows.where('service_profile_id', '=', serviceProfileID))
    .$if(within !== undefined, (rows) => rows.where(isWithinLimit(kind, within!)))
    .select((eb) => eb.fn.sum('device_count').as('count'))
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}

/**
 * The number of devices of a selection, where it is faster to subtract those that do not match than to read those that
 * do: most devices match `tag.floor:not:3` and are in the same state. Undefined for other selections.
 */
export async function countBySubtraction(
  database: Database,
  selection: DeviceSelection,
  now: Date,
): Promise<number | undefined> {
  const { serviceProfileID = '', multicastGroupID = '', search, tags = {}, filters } = selection;
  const isNarrow = serviceProfileID !== '' || multicastGroupID !== '' || search !== '' || Object.keys(tags).length > 0;
  if (isNarrow || !canSubtract(database.kind, filters)) return undefined;
  const countOfFilters = async (of: readonly DeviceFilter[]) => {
    const { query } = database;
    const conditions = await conditionsOfSelection(database, { ...selection, filters: of }, now);
    return countOf(conditions.reduce((rows, one) => rows.where(one), query.selectFrom('device')));
  };

  async function without(
    others: readonly DeviceFilter[],
    tag?: DeviceFilter,
    ...more: DeviceFilter[]
  ): Promise<number> {
    if (!tag) return others.length === 0 ? sumOfApplications(database, selection) : inState(others[0]!);
    const rest = [...more, ...others];
    const all = await without(others, ...more);
    return Math.max(0, all - (await countOfFilters([{ ...tag, operator: 'is' }, ...rest])));
  }

  async function inState(state: DeviceFilter): Promise<number> {
    const isWanted = (name: string) => state.values.includes(name) === (state.operator === 'is');
    const [active, ...indexed] = exclusiveStates;
    let count = isWanted(active!) ? await sumOfApplications(database, selection) : 0;
    for (const name of indexed)
      if (isWanted(name) !== isWanted(active!))
        count += (isWanted(name) ? 1 : -1) * (await countOfFilters([{ ...state, operator: 'is', values: [name] }]));
    return Math.max(0, count);
  }

  return without(filters.filter(isOfStates), ...filters.filter((one) => !isOfStates(one)));
}

const isOfStates = ({ field, values }: DeviceFilter) =>
  field === 'state' && values.every((value) => exclusiveStates.includes(value));

/** Each costs a query. SQLite has no index of tags: it reads all devices to find those with one. */
const mostTags: Record<DatabaseKind, number> = { postgres: 2, sqlite: 0 };

function canSubtract(kind: DatabaseKind, filters: readonly DeviceFilter[]): boolean {
  const tags = filters.filter(({ field, operator }) => field === 'tag' && operator === 'not').length;
  const states = filters.filter(isOfStates).length;
  return tags + states === filters.length && states <= 1 && tags <= mostTags[kind];
}
