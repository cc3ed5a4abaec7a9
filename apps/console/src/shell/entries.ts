import {
  type Icon,
  IconAlertCircle,
  IconBell,
  IconBooks,
  IconDatabase,
  IconFileImport,
  IconHelp,
  IconHistory,
  IconHome,
  IconKey,
  IconLayoutDashboard,
  IconStack2,
  IconTemperature,
  IconTrash,
  IconUsers,
} from '@tabler/icons-react';
import { paths } from '../paths.ts';
import { iconOf } from '../resource-icons.ts';
import { ofEverything, ofOrganizations, type Resource, resources, titleOf } from '../resources.ts';
import { useMay, useOrganizationOutline } from '../session/session.tsx';

/** What the badge of an entry counts: in an organization, or in all ('0'). */
export interface EntryCount {
  of: 'attention' | 'alert';
  organizationID: string;
}

export interface Entry {
  label: string;
  to: string;
  Icon: Icon;
  counts?: EntryCount;
  /** Current only at exactly this address. */
  exact?: boolean;
}

export interface EntryGroup {
  /** The heading; the most frequent entries have none. */
  label?: string;
  entries: Entry[];
}

export interface Navigation {
  /** The pages of the current organization, most frequent first. */
  organization: EntryGroup[];
  /** The pages of the whole installation; undefined for users who do not administer it. */
  administration: Entry[] | undefined;
}

const entryOf = (resource: Resource, to: string): Entry => ({
  label: titleOf(resource),
  to,
  Icon: iconOf[resource],
  ...resources[resource],
});

const keysOf = <T extends object>(table: T) => Object.keys(table) as (keyof T)[];

const administration: Entry[] = [
  { label: 'Dashboard', to: paths.dashboard(), Icon: IconLayoutDashboard },
  {
    label: 'All attention',
    to: paths.allAttention(),
    Icon: IconAlertCircle,
    counts: { of: 'attention', organizationID: '0' },
  },
  ...keysOf(ofEverything).map((resource) => entryOf(resource, paths[resource].list())),
  { label: 'All devices', to: paths.allDevices(), Icon: IconTemperature },
  { label: 'Device library', to: paths.deviceLibrary(), Icon: IconBooks },
  { label: 'API keys', to: paths.apiKey.list(), Icon: IconKey },
  { label: 'Instances', to: paths.instances(), Icon: IconStack2 },
  { label: 'Storage', to: paths.storage(), Icon: IconDatabase },
  { label: 'Trash', to: paths.trash(), Icon: IconTrash },
  { label: 'Audit log', to: paths.audit(), Icon: IconHistory },
  { label: 'Moving in', to: paths.movingIn(), Icon: IconFileImport },
];

/** The navigation of this user. */
export function useNavigation(): Navigation {
  const may = useMay();
  const organization = useOrganizationOutline();
  return {
    organization: organization
      ? groupsOf(organization, {
          mayAdminister: may('organization.listUsers'),
          mayRegister: may('unknownDevice.list'),
          seesAll: may('attention.list'),
        })
      : [],
    administration: may('networkServer.create') ? administration : undefined,
  };
}

function groupsOf(
  { id, canHaveGateways }: { id: string; canHaveGateways: boolean },
  { mayAdminister, mayRegister, seesAll }: { mayAdminister: boolean; mayRegister: boolean; seesAll: boolean },
): EntryGroup[] {
  const devices: Entry = { label: 'Devices', to: paths.organizationDevices(id), Icon: IconTemperature };
  // Somebody limited to applications has no pages of the organization as a whole.
  if (!seesAll) return [{ entries: [devices, entryOf('application', paths.application.list(id))] }];
  const lists = (group: (typeof ofOrganizations)[keyof typeof ofOrganizations]['group']) =>
    keysOf(ofOrganizations)
      .filter((resource) => ofOrganizations[resource].group === group)
      .filter((resource) => resource !== 'gateway' || canHaveGateways)
      .map((resource) => entryOf(resource, paths[resource].list(id)));
  const daily = lists('daily');
  if (canHaveGateways && mayRegister)
    daily.splice(1, 0, { label: 'Not registered', to: paths.unknown(id), Icon: IconHelp });
  const people: Entry[] = [
    { label: 'Org. users', to: paths.organizationUser.list(id), Icon: IconUsers },
    { label: 'Org. API keys', to: paths.organizationAPIKey.list(id), Icon: IconKey },
    { label: 'Org. audit log', to: paths.organizationAudit(id), Icon: IconHistory },
  ];
  return [
    {
      entries: [
        { label: 'Org. dashboard', to: paths.organization.one(id), Icon: IconHome, exact: true },
        {
          label: 'Attention',
          to: paths.attention(id),
          Icon: IconAlertCircle,
          counts: { of: 'attention', organizationID: id },
        },
        { label: 'Alerts', to: paths.alerts(id), Icon: IconBell, counts: { of: 'alert', organizationID: id } },
        devices,
        ...daily,
      ],
    },
    { label: 'Set-up', entries: lists('set-up') },
    ...(mayAdminister ? [{ label: 'People', entries: people }] : []),
  ];
}

/** The pages of an organization, or of the list of them, that have no entry of their own. */
const ownPages = /^\/(create|edit|trash|jobs(\/.+)?)$/;

/** The address of the entry that stands for a page: the longest one the page lies below. */
export function currentEntry(entries: readonly Entry[], pathname: string): string | undefined {
  const page = pathname.replace(/\/$/, '');
  const isAbove = ({ to, exact = false }: Entry) =>
    page === to || (page.startsWith(`${to}/`) && (!exact || ownPages.test(page.slice(to.length))));
  return entries
    .filter(isAbove)
    .map(({ to }) => to)
    .sort((one, other) => other.length - one.length)[0];
}
