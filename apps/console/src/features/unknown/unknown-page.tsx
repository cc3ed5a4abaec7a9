import { Outlet } from '@tanstack/react-router';
import { useOffered } from '../../api/use-offered.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';

/** Devices and gateways that are received and not registered. */
export function UnknownPage() {
  const { organizationID } = useIDs();
  const mayGateways = useMay()('connecting.listUnknown');
  const hasDevices = useOffered('unknownDevice', 'list');
  return (
    <>
      <PageHeader
        title="Received, not registered"
        tabs={[
          { label: 'Devices', to: paths.unknown(organizationID), exact: true, hidden: !hasDevices },
          { label: 'Gateways', to: paths.unknownGateways(organizationID), hidden: !mayGateways },
        ]}
      />
      <Outlet />
    </>
  );
}
