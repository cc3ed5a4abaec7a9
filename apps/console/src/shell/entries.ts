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
import { paths } from '../paths.ts';
import { useCurrentOrganization, useMay } from '../session/session.tsx';

export interface Entry {
  label: string;
  to: string;
  Icon: Icon;
  /** Current only at exactly this address. */
  exact?: boolean;
}

const administration: Entry[] = [
  { label: 'Dashboard', to: paths.dashboard(), Icon: IconLayoutDashboard },
  { label: 'Network-servers', to: paths.networkServers(), Icon: IconServer2 },
  { label: 'Gateway-profiles', to: paths.gatewayProfiles(), Icon: IconRouter },
  { label: 'Organizations', to: paths.organizations(), Icon: IconBuilding, exact: true },
  { label: 'All users', to: paths.users(), Icon: IconUsers },
  { label: 'API keys', to: paths.apiKeys(), Icon: IconKey },
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
  return [
    { label: 'Org. dashboard', to: paths.organization(id), Icon: IconHome, exact: true },
    ...(mayAdminister
      ? [
          { label: 'Org. users', to: paths.organizationUsers(id), Icon: IconUsers },
          { label: 'Org. API keys', to: paths.organizationAPIKeys(id), Icon: IconKey },
        ]
      : []),
    { label: 'Service-profiles', to: paths.serviceProfiles(id), Icon: IconShieldCheck },
    { label: 'Device-profiles', to: paths.deviceProfiles(id), Icon: IconCpu },
    ...(canHaveGateways ? [{ label: 'Gateways', to: paths.gateways(id), Icon: IconAntenna }] : []),
    { label: 'Applications', to: paths.applications(id), Icon: IconAppWindow },
  ];
}
