import type { ReactNode } from 'react';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { paths } from '../../paths.ts';

/** The header of the two lists: what fires, and the rules. */
export function AlertHeader({ actions }: { actions?: ReactNode }) {
  const { organizationID } = useIDs();
  return (
    <PageHeader
      title="Alerts"
      actions={actions}
      tabs={[
        { label: 'Alerts', to: paths.alerts(organizationID), exact: true },
        { label: 'Rules', to: paths.alertRules(organizationID) },
      ]}
    />
  );
}
