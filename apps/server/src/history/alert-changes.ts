import type { AlertSubjectKind } from '@hilltop/contract';
import type { Kysely } from 'kysely';
import type { Tables } from '../database/tables.ts';

/** An alert that is not resolved, as far as evaluation needs it. */
export interface OpenAlert {
  readonly id: string;
  readonly rule_id: string;
  readonly subject_kind: AlertSubjectKind;
  readonly subject_id: string;
  readonly state: 'PENDING' | 'FIRING' | 'ACKNOWLEDGED';
  readonly since: number;
  readonly uplinks: number;
  readonly cleared_at: number | null;
}

/** `RESOLVED`: it began and ended in the events of one evaluation. */
export interface NewAlert {
  readonly ruleID: string;
  readonly organizationID: number;
  readonly subjectKind: AlertSubjectKind;
  readonly subjectID: string;
  readonly subjectName: string;
  readonly applicationID: number | null;
  readonly state: 'PENDING' | 'FIRING' | 'RESOLVED';
  readonly since: number;
  readonly uplinks: number;
  readonly value: number | null;
}

/** What an evaluation found. The main thread writes it. */
export interface AlertChanges {
  opened: NewAlert[];
  /** Pending alerts that fire. */
  fired: { readonly id: string; readonly value?: number }[];
  /** Pending alerts with another number of matching values. */
  counted: { readonly id: string; readonly uplinks: number }[];
  /** Alerts whose condition ended (null: is back). */
  cleared: { readonly id: string; readonly at: number | null }[];
  /** Those that are not named have lost their subject. */
  resolved: { readonly id: string; readonly wasNotified: boolean }[];
  /** Pending alerts that never fired. */
  dropped: string[];
  /** Alerts beyond the most of a rule. */
  omitted: number;
}

export const noAlertChanges = (): AlertChanges => ({
  opened: [],
  fired: [],
  counted: [],
  cleared: [],
  resolved: [],
  dropped: [],
  omitted: 0,
});

/** The most alerts of a rule that are not resolved. */
export const mostOpenAlerts = 10_000;

/** Which devices and gateways a rule is about; empty members narrow nothing. */
export interface AlertScope {
  readonly applicationIDs: readonly string[];
  readonly deviceProfileIDs: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
}

export const openAlertColumns = [
  'id',
  'rule_id',
  'subject_kind',
  'subject_id',
  'state',
  'since',
  'uplinks',
  'cleared_at',
] as const;

/** What a scope compares. */
export interface AlertSubjectFacts {
  readonly name: string;
  readonly organizationID: number;
  readonly applicationID: number | null;
  readonly deviceProfileID: string | null;
  readonly tags: Readonly<Record<string, string>>;
}

export const needsFacts = ({ deviceProfileIDs, tags }: AlertScope): boolean =>
  deviceProfileIDs.length > 0 || Object.keys(tags).length > 0;

/** Whether a rule is about a subject. Facts are needed only where `needsFacts`. */
export function isInScope(
  { applicationIDs, deviceProfileIDs, tags }: AlertScope,
  applicationID: number | null,
  facts: AlertSubjectFacts | undefined,
): boolean {
  if (applicationIDs.length > 0 && !applicationIDs.includes(String(applicationID ?? 0))) return false;
  if (deviceProfileIDs.length > 0 && !deviceProfileIDs.includes(facts?.deviceProfileID ?? '')) return false;
  return Object.entries(tags).every(([name, value]) => facts?.tags[name] === value);
}

const subjectsPerRead = 500;

type Facts = Map<string, AlertSubjectFacts>;
type Reader = (
  query: Kysely<Tables>,
  ids: readonly string[],
) => Promise<(AlertSubjectFacts & { readonly id: string })[]>;

const none = { applicationID: null, deviceProfileID: null, tags: {} };

/** How the facts of each kind of subject are read. */
const readers: Record<AlertSubjectKind, Reader> = {
  DEVICE: async (query, ids) => {
    const rows = await query
      .selectFrom('device')
      .innerJoin('application', 'application.id', 'device.application_id')
      .select(['dev_eui', 'device.name', 'device_profile_id', 'tags', 'application_id', 'organization_id'])
      .where('dev_eui', 'in', ids)
      .execute();
    return rows.map((row) => ({
      id: row.dev_eui,
      name: row.name,
      organizationID: row.organization_id,
      applicationID: row.application_id,
      deviceProfileID: row.device_profile_id,
      tags: tagsIn(row.tags),
    }));
  },
  GATEWAY: async (query, ids) => {
    const columns = ['id', 'name', 'tags', 'organization_id'] as const;
    const rows = await query.selectFrom('gateway').select(columns).where('id', 'in', ids).execute();
    return rows.map((row) => ({ ...none, ...row, organizationID: row.organization_id, tags: tagsIn(row.tags) }));
  },
  INTEGRATION: async (query, ids) => {
    const rows = await query
      .selectFrom('integration')
      .leftJoin('application', 'application.id', 'integration.application_id')
      .select(['integration.id', 'kind', 'application.name', 'application_id'])
      .select((eb) => eb.fn.coalesce('application.organization_id', 'integration.organization_id').as('owner'))
      .where('integration.id', 'in', ids.map(Number))
      .execute();
    return rows.map((row) => ({
      ...none,
      id: String(row.id),
      name: row.name === null ? `${row.kind} of the organization` : `${row.kind} of ${row.name}`,
      organizationID: row.owner ?? 0,
      applicationID: row.application_id,
    }));
  },
  API_KEY: async (query, ids) => {
    const columns = ['id', 'name', 'organization_id', 'application_id'] as const;
    const rows = await query.selectFrom('api_key').select(columns).where('id', 'in', ids).execute();
    return rows.map((row) => ({
      ...none,
      id: row.id,
      name: row.name,
      organizationID: row.organization_id ?? 0,
      applicationID: row.application_id,
    }));
  },
};

/** SQLite stores tags as text, and the connections of the worker convert nothing. */
const tagsIn = (tags: unknown) => (typeof tags === 'string' ? JSON.parse(tags) : tags) as Record<string, string>;

/** The facts of subjects of one kind, by their ID. */
export async function readFacts(
  query: Kysely<Tables>,
  kind: AlertSubjectKind,
  ids: Iterable<string>,
  facts: Facts = new Map(),
): Promise<Facts> {
  const missing = [...new Set(ids)].filter((id) => !facts.has(id));
  for (let from = 0; from < missing.length; from += subjectsPerRead)
    for (const { id, ...found } of await readers[kind](query, missing.slice(from, from + subjectsPerRead)))
      facts.set(id, found);
  return facts;
}
