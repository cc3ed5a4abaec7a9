import {
  type Icon,
  IconAntenna,
  IconAppWindow,
  IconBuilding,
  IconCpu,
  IconHome,
  IconLayoutDashboard,
  IconServer2,
  IconShieldCheck,
} from '@tabler/icons-react';
import { Link, useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { paths } from '../paths.ts';
import { useCurrentOrganization, useMay, useSession } from '../session/session.tsx';
import { OrganizationPicker } from './organization-picker.tsx';
import classes from './shell.module.css';

interface Entry {
  label: string;
  to: string;
  Icon: Icon;
  /** Current only at exactly this address. */
  exact?: boolean;
}

const administration: Entry[] = [
  { label: 'Dashboard', to: paths.dashboard(), Icon: IconLayoutDashboard },
  { label: 'Network-servers', to: paths.networkServers(), Icon: IconServer2 },
  { label: 'Organizations', to: paths.organizations(), Icon: IconBuilding, exact: true },
];

const organizationEntries = (organizationID: string, canHaveGateways: boolean): Entry[] => [
  { label: 'Org. dashboard', to: paths.organization(organizationID), Icon: IconHome, exact: true },
  { label: 'Service-profiles', to: paths.serviceProfiles(organizationID), Icon: IconShieldCheck },
  { label: 'Device-profiles', to: paths.deviceProfiles(organizationID), Icon: IconCpu },
  ...(canHaveGateways ? [{ label: 'Gateways', to: paths.gateways(organizationID), Icon: IconAntenna }] : []),
  { label: 'Applications', to: paths.applications(organizationID), Icon: IconAppWindow },
];

export function Drawer({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { organizationID } = useSession();
  const organization = useCurrentOrganization();
  const may = useMay();

  useEffect(() => {
    if (!isOpen) return;
    const close = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && matchMedia('(max-width: 48em)').matches) onClose();
    };
    addEventListener('keydown', close);
    return () => removeEventListener('keydown', close);
  }, [isOpen, onClose]);

  return (
    <>
      <button
        type="button"
        className={classes.shade}
        data-open={isOpen || undefined}
        aria-label="Close the navigation"
        tabIndex={-1}
        onClick={onClose}
      />
      <nav id="navigation" className={classes.drawer} data-open={isOpen || undefined} aria-label="Main" inert={!isOpen}>
        {may('networkServer.create') && (
          <>
            <div className={classes.heading}>Administration</div>
            <Entries entries={administration} />
          </>
        )}
        <div className={classes.picker}>
          <OrganizationPicker />
        </div>
        {organizationID !== undefined && organization !== undefined && (
          <Entries entries={organizationEntries(organizationID, organization.canHaveGateways)} />
        )}
      </nav>
    </>
  );
}

function Entries({ entries }: { entries: Entry[] }) {
  const pathname = useRouterState({ select: ({ location }) => location.pathname.replace(/\/$/, '') });
  return (
    <ul className={classes.entries}>
      {entries.map(({ label, to, Icon, exact = false }) => {
        const isCurrent =
          pathname === to ||
          (exact ? pathname === `${to}/edit` || pathname === `${to}/create` : pathname.startsWith(`${to}/`));
        return (
          <li key={to}>
            <Link
              to={to}
              className={classes.entry}
              data-current={isCurrent || undefined}
              {...(isCurrent && { 'aria-current': 'page' })}
            >
              <Icon size={18} stroke={1.7} />
              {label}
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
