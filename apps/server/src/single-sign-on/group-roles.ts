/** Which roles the groups of the sign-in provider give: HILLTOP_OIDC_GROUP_ROLES. */

/** The columns of a membership. */
export interface GroupRights {
  is_admin: boolean;
  is_device_admin: boolean;
  is_gateway_admin: boolean;
  is_read_only: boolean;
}

const user: GroupRights = { is_admin: false, is_device_admin: false, is_gateway_admin: false, is_read_only: false };
/** The roles in an organization, by their name in the setting. */
const roles: Readonly<Record<string, GroupRights>> = {
  'organization-admin': { ...user, is_admin: true },
  'device-admin': { ...user, is_device_admin: true },
  'gateway-admin': { ...user, is_gateway_admin: true },
  user,
  'read-only': { ...user, is_read_only: true },
};
const globalAdmin = 'global-admin';

interface MappedRole {
  /** The name of an organization; undefined for the role of global administrators. */
  organization: string | undefined;
  rights: GroupRights;
}

export type GroupRoles = ReadonlyMap<string, readonly MappedRole[]>;

/** The most groups of the setting, and the most groups of a person that are read. */
const mostGroups = 1000;
const example = `{"operators": "${globalAdmin}", "farm": "device-admin@farm, gateway-admin@farm"}`;

/** Reads the setting. Throws an Error whose message completes "HILLTOP_OIDC_GROUP_ROLES ...". */
export function readGroupRoles(text: string): GroupRoles {
  if (text.trim() === '') return new Map();
  const entries = Object.entries(asObject(text));
  if (entries.length > mostGroups) throw new Error(`must have at most ${mostGroups} groups`);
  return new Map(entries.map(([group, value]) => [group, String(value).split(',').map(readRole)]));
}

function asObject(text: string): object {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed;
  } catch {
    // The message below says what is expected.
  }
  throw new Error(`must be a JSON object of groups and roles, such as ${example}`);
}

function readRole(text: string): MappedRole {
  const [name = '', organization, ...rest] = text.trim().split('@');
  if (name === globalAdmin && organization === undefined) return { organization: undefined, rights: user };
  const rights = Object.hasOwn(roles, name) ? roles[name] : undefined;
  if (rights && organization && /^[\w-]+$/.test(organization) && rest.length === 0) return { organization, rights };
  const names = Object.keys(roles).join(', ');
  throw new Error(`has the role ${text.trim()}: it must be ${globalAdmin}, or one of ${names} with @organization`);
}

/** The roles that give these rights: "device-admin, gateway-admin". */
export function nameOfRights(rights: GroupRights): string {
  const flags = Object.keys(user) as (keyof GroupRights)[];
  const named = Object.entries(roles).filter(([, role]) => flags.some((flag) => role[flag] && rights[flag]));
  return named.map(([name]) => name).join(', ') || 'user';
}

/** The groups of a person. Some providers write a single group as text. */
export function groupsIn(claim: unknown): string[] {
  const values = Array.isArray(claim) ? claim.slice(0, mostGroups) : [claim];
  return values.filter((value) => typeof value === 'string');
}

/** What the groups of a person give together: the rights of several groups add up. */
export function rightsOfGroups(mapping: GroupRoles, groups: readonly string[]) {
  const given = groups.flatMap((group) => mapping.get(group) ?? []);
  const memberships = new Map<string, GroupRights>();
  for (const { organization, rights } of given) {
    if (organization === undefined) continue;
    const before = memberships.get(organization);
    memberships.set(organization, before ? added(before, rights) : rights);
  }
  return { isGlobalAdmin: given.some(({ organization }) => organization === undefined), memberships };
}

function added(one: GroupRights, other: GroupRights): GroupRights {
  return {
    is_admin: one.is_admin || other.is_admin,
    is_device_admin: one.is_device_admin || other.is_device_admin,
    is_gateway_admin: one.is_gateway_admin || other.is_gateway_admin,
    is_read_only: one.is_read_only && other.is_read_only,
  };
}
