import {
  type Icon,
  IconAntenna,
  IconAppWindow,
  IconBuilding,
  IconCpu,
  IconHome,
  IconKey,
  IconLayoutDashboard,
  IconRouter,
  IconServer2,
  IconShieldCheck,
  IconUsers,
} from '@tabler/icons-react';
import { ofEverything, ofOrganizations, paths, type Resource, titleOf } from '../paths.ts';
import { useCurrentOrganization, useMay } from '../session/session.tsx';

export interface Entry {
  label: string;
  to: string;
  Icon: Icon;
  /** Current only at exactly this address. */
  exact?: boolean;
}

/** How each list is shown in the navigation, where it is not by its name alone. */
const shown: Record<Resource, Pick<Entry, 'Icon'> & Partial<Entry>> = {
  networkServer: { Icon: IconServer2 },
  gatewayProfile: { Icon: IconRouter },
  // The pages of organizations are in the other block.
  organization: { Icon: IconBuilding, exact: true },
  user: { Icon: IconUsers, label: 'All users' },
  serviceProfile: { Icon: IconShieldCheck },
  deviceProfile: { Icon: IconCpu },
  gateway: { Icon: IconAntenna },
  application: { Icon: IconAppWindow },
};

const entryOf = (resource: Resource, to: string): Entry => ({ label: titleOf(resource), to, ...shown[resource] });

const keysOf = <T extends object>(table: T) => Object.keys(table) as (keyof T)[];

const administration: Entry[] = [
  { label: 'Dashboard', to: paths.dashboard(), Icon: IconLayoutDashboard },
  ...keysOf(ofEverything).map((resource) => entryOf(resource, paths[resource].list())),
  { label: 'API keys', to: paths.apiKey.list(), Icon: IconKey },
];

/** The entries of the navigation that are for this person: of everything, and of the current organization. */
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
