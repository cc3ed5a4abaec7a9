import type { X509Certificate } from 'node:crypto';
import { ApiError, keyPermits } from '@hilltop/contract';
import { LRUCache } from 'lru-cache';
import type { Certificates } from '../certificates/certificates.ts';
import type { Database } from '../database/database.ts';
import { organizationOf } from '../event-log/event.ts';
import { toRowID } from '../identifiers.ts';
import type { Principals } from '../identity/principals.ts';
import type { TopicTemplate } from '../integrations/topic-template.ts';
import { matchesGatewayEvents } from './gateway-topics.ts';

/** Whether a filter matches events of gateways that the rights cover. */
function mayHearGateways({ scope, id }: ProgramRights, filter: readonly string[]): boolean {
  if (scope === 'application') return false;
  return matchesGatewayEvents(filter, scope === 'organization' ? id : undefined);
}

/** The credentials of a client. */
export interface Proof {
  certificate: X509Certificate | undefined;
  clientID: string;
  /** The id of a gateway without a certificate; programs may use any. */
  username: string | undefined;
  password: string | undefined;
}

/**
 * The events that a program may receive and the devices to which it may send: those of an application, an organization,
 * or all. Rights for an application include no events of gateways.
 */
export interface ProgramRights {
  readonly scope: 'application' | 'organization' | 'installation';
  /** The id of the application or organization; 0 for all. */
  readonly id: number;
  /** Whether it may publish commands: keys can be limited to reading. */
  readonly maySend: boolean;
  /** The serial of a certificate or the id of an API key. `access-changed` names it when it is not valid any more. */
  readonly by: string;
}

/** A gateway has rights for its own topics only. */
export interface GatewayRights {
  readonly scope: 'gateway';
  readonly gatewayID: string;
  readonly by: string;
}

export type TopicRights = ProgramRights | GatewayRights;

/** Why there are no rights: the key is invalid, has expired, or is valid and does not allow this connection. */
export type NoRights = 'credentials' | 'key_expired' | 'not_authorized';

export interface Access {
  /** `address` is that of the client. */
  rightsOf: (proof: Proof, address: string) => Promise<TopicRights | NoRights>;
  /** For the events of gateways see `gatewaysOf`. Returns a promise only when it must query the database. */
  covers: (rights: ProgramRights, applicationID: number) => boolean | Promise<boolean>;
  /** Whether a filter matches any topic of these templates that the rights cover. */
  mayHear: (rights: ProgramRights, filter: string) => Promise<boolean>;
}

const cacheMs = 3_000;
const largestCache = 10_000;

interface AccessDependencies {
  database: Database;
  principals: Principals;
  certificates: Certificates;
  templates: readonly TopicTemplate[];
  /** The texts that a topic may have for the type of an event or command. */
  types: readonly string[];
  monotonicMs: () => number;
}

export function createAccess(needed: AccessDependencies): Access {
  const { database, principals, certificates, templates, types, monotonicMs } = needed;
  const owners = new LRUCache<number, { organizationID: number | undefined; until: number }>({ max: largestCache });

  async function ownerOf(applicationID: number): Promise<number | undefined> {
    const row = await database.query
      .selectFrom('application')
      .select('organization_id')
      .where('id', '=', applicationID)
      .executeTakeFirst();
    owners.set(applicationID, { organizationID: row?.organization_id, until: monotonicMs() + cacheMs });
    return row?.organization_id;
  }

  async function ofCertificate(certificate: X509Certificate): Promise<TopicRights | NoRights> {
    const gateway = await certificates.gatewayOf(certificate);
    if (gateway) return { scope: 'gateway', gatewayID: gateway.gatewayID, by: gateway.serial };
    const owner = await certificates.ownerOf(certificate);
    return owner
      ? { scope: 'application', id: owner.applicationID, maySend: true, by: owner.serial }
      : 'not_authorized';
  }

  async function ofKey(
    token: string,
    { username = '', clientID }: Proof,
    address: string,
  ): Promise<TopicRights | NoRights> {
    const principal = await principals.ofToken(token, { nobody: true, address }).catch((error: unknown) => {
      if (error instanceof ApiError) return error.reason;
      throw error;
    });
    if (principal === 'API_KEY_EXPIRED') return 'key_expired';
    // The session token of a user is for the console.
    if (typeof principal === 'string' || principal.kind !== 'apiKey') return 'credentials';
    const { id: by, access, isAdmin, organizationID, applicationID, applicationOrganizationID } = principal;
    const gatewayID = username.toLowerCase();
    const gateways = await gatewaysNamed(database, [gatewayID, clientID.toLowerCase()]);
    const owner = organizationID ?? applicationOrganizationID;
    // Refuses a client that names a gateway of another organization: it has the wrong key and would wait for commands
    // in vain.
    const isOwn = (of: number) => isAdmin || (owner !== null && of === toRowID(owner));
    if (!gateways.values().every(isOwn)) return 'not_authorized';
    if (applicationID === null && gateways.has(gatewayID))
      return keyPermits(access, 'change') ? { scope: 'gateway', gatewayID, by } : 'not_authorized';
    const maySend = keyPermits(access, 'send');
    if (isAdmin) return { scope: 'installation', id: 0, maySend, by };
    if (applicationID !== null) return { scope: 'application', id: toRowID(applicationID), maySend, by };
    if (organizationID === null) return 'not_authorized';
    return { scope: 'organization', id: toRowID(organizationID), maySend, by };
  }

  function covers({ scope, id }: ProgramRights, applicationID: number): boolean | Promise<boolean> {
    if (scope === 'application') return applicationID === id;
    const covered = (owner: number | undefined) => owner !== undefined && (scope === 'installation' || owner === id);
    const organizationID = organizationOf(applicationID);
    if (organizationID !== undefined) return covered(organizationID);
    const known = owners.get(applicationID);
    return known && known.until > monotonicMs() ? covered(known.organizationID) : ownerOf(applicationID).then(covered);
  }

  return {
    rightsOf: async (proof, address) => {
      const { certificate, password } = proof;
      if (certificate) return ofCertificate(certificate);
      return password ? ofKey(password, proof, address) : 'credentials';
    },
    covers,
    mayHear: async (rights, filter) => {
      if (mayHearGateways(rights, filter.split('/'))) return true;
      for (const template of templates) {
        const common = template.common(filter);
        const type = common?.EventType ?? common?.CommandType;
        if (!common || (type !== undefined && !types.includes(type))) continue;
        if (common.ApplicationID === undefined || (await covers(rights, Number(common.ApplicationID)))) return true;
      }
      return false;
    },
  };
}

/** The registered gateways among these names, each with the id of its organization. */
async function gatewaysNamed({ query }: Database, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const ids = names.filter((name) => /^[0-9a-f]{16}$/.test(name));
  if (ids.length === 0) return new Map();
  const rows = await query.selectFrom('gateway').select(['id', 'organization_id']).where('id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.id, row.organization_id]));
}
