import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useNavigate } from '@tanstack/react-router';
import { query } from '../../api/queries.ts';
import { DeleteButton } from '../../components/confirm/delete-button.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { PageSkeleton } from '../../components/page-header/page-skeleton.tsx';
import { NotFound } from '../../components/states/error-pages.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import {
  DeliveryState,
  reasonOf,
  useDeliveryStates,
  useReportsDeliveries,
} from '../../components/status/delivery-state.tsx';
import { paths } from '../../paths.ts';
import classes from './integration.module.css';
import { type Kind, kindAt, readConfig } from './kinds.ts';
import { removal, remove } from './remove.ts';
import { SuspendButton } from './suspend-button.tsx';

/** The page of the integration in the URL. */
export function IntegrationPage() {
  const kind = kindAt(useIDs().kind);
  return kind ? <PageOfKind kind={kind} /> : <NotFound />;
}

/** The page of one integration, around its sections. */
function PageOfKind({ kind }: { kind: Kind }) {
  const { organizationID, applicationID, kind: segment } = useIDs();
  const navigate = useNavigate();
  const integration = useQuery(readConfig(kind, applicationID));
  const application = useQuery(query('application', 'get', { id: applicationID }));
  const reports = useReportsDeliveries();
  const states = useDeliveryStates(applicationID);
  const all = paths.integrations(organizationID, applicationID);
  const status = states.get(kind.kind);
  const section = (label: string, page: 'edit' | 'deliveries' | 'dead-letters' | 'replay') => ({
    label,
    to: paths.integration(organizationID, applicationID, segment, page),
    hidden: page !== 'edit' && !reports,
  });
  return (
    <Loaded isPage query={integration} skeleton={<PageSkeleton hasFacts={false} />}>
      {() => (
        <Loaded isPage query={application} skeleton={<PageSkeleton hasFacts={false} />}>
          {({ application: { name } }) => (
            <>
              <PageHeader
                crumbs={[
                  { label: name, to: paths.application.one(organizationID, applicationID) },
                  { label: 'Integrations', to: all },
                ]}
                title={kind.label}
                badges={
                  status && (
                    <span className={classes.state}>
                      <DeliveryState status={status} isEnded={kind.ended !== undefined} />
                    </span>
                  )
                }
                actions={
                  <>
                    {status && kind.ended === undefined && <SuspendButton owner={{ applicationID }} status={status} />}
                    <DeleteButton
                      {...removal(kind)}
                      label="Remove"
                      name={name}
                      onDelete={() => remove(kind, applicationID)}
                      onDone={() => void navigate({ to: all })}
                    />
                  </>
                }
                tabs={[
                  section('Configuration', 'edit'),
                  section('Deliveries', 'deliveries'),
                  section(status && status.dead > 0 ? `Dead letters (${status.dead})` : 'Dead letters', 'dead-letters'),
                  section('Replay', 'replay'),
                ]}
              />
              {status && reasonOf(status) !== '' && (
                <Alert color={status.state === 'SUSPENDED' ? 'red' : 'yellow'} role="status" mb="md">
                  {reasonOf(status)}
                </Alert>
              )}
              <Outlet />
            </>
          )}
        </Loaded>
      )}
    </Loaded>
  );
}
