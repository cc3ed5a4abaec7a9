import { type Icon, IconHome, IconKey, IconLayoutDashboard, IconStack2, IconUsers } from '@tabler/icons-react';
import { paths } from '../paths.ts';
import { iconOf } from '../resource-icons.ts';
import { ofEverything, ofOrganizations, type Resource, resources, titleOf } from '../resources.ts';
import { useCurrentOrganization, useMay } from '../session/session.tsx';

export interface Entry {
  label: string;
  to: string;
  Icon: Icon;
  /** Current only at exactly this address. */
  exact?: boolean;
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
  ...keysOf(ofEverything).map((resource) => entryOf(resource, paths[resource].list())),
  { label: 'API keys', to: paths.apiKey.list(), Icon: IconKey },
  { label: 'Instances', to: paths.instances(), Icon: IconStack2 },
];

/** The navigation entries for this user: global ones, and those of the current organization. */
export function useEntries(): { administration: Entry[]; organization: Entry[] } {
  const may = useMay();
  const organization = useCurrentOrganization();
  return {
    administration: may('networkServer.create') ? administration : [],
    organization: organization ? entriesOf(organization, may('organization.listUsers')) : [],
  };
}

function entriesOf({ id, canHaveGateways }: { id: string; canHaveGateways: boolean }, mayAdminister: boolean): Entry[] {
  const lists = keysOf(ofOrganizations).filter((resource) => resource !== 'gateway' || canHaveGateways);
  return [
    { label: 'Org. dashboard', to: paths.organization.one(id), Icon: IconHome, exact: true },
    ...(mayAdminister
      ? [
          { label: 'Org. users', to: paths.organizationUser.list(id), Icon: IconUsers },
          { label: 'Org. API keys', to: paths.organizationAPIKey.list(id), Icon: IconKey },
        ]
      : []),
    ...lists.map((resource) => entryOf(resource, paths[resource].list(id))),
  ];
}
