import type { DeliveryStatus } from '@hilltop/contract';
import { Paper, Title } from '@mantine/core';
import { integrationKinds, segmentOf } from '../../api/integration-facts.ts';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import { AppLink } from '../../components/link/link.tsx';
import type { Column } from '../../components/list/cells.tsx';
import { DataTable } from '../../components/list/data-table.tsx';
import { stateWord } from '../../components/status/delivery-state.tsx';
import { Status } from '../../components/status/status.tsx';
import { paths } from '../../paths.ts';
import classes from './troubled-list.module.css';

const columns: Column<DeliveryStatus>[] = [
  { header: 'Integration', primary: true, cell: (one) => <Integration of={one} /> },
  { header: 'State', fit: true, card: 'plain', cell: (one) => <State of={one} /> },
  {
    header: 'Reason',
    share: 3,
    card: 'cut',
    cell: ({ reason }) => <span className={classes.reason}>{reason || '–'}</span>,
  },
];

export function TroubledList({ troubled }: { troubled: readonly DeliveryStatus[] }) {
  return (
    <section aria-labelledby="troubled-integrations" className={classes.section}>
      <Title order={2} id="troubled-integrations" mb="xs">
        {`Integrations that need attention (${troubled.length})`}
      </Title>
      <Paper p={0}>
        <DataTable
          label="Integrations that need attention"
          columns={columns}
          rows={troubled}
          rowKey={({ applicationID, kind }) => `${applicationID} ${kind}`}
        />
      </Paper>
    </section>
  );
}

/** "Suspended, 5 min ago · 48 waiting". */
function State({ of }: { of: DeliveryStatus }) {
  const { since, behindEvents } = of;
  const { tone, word } = stateWord(of);
  return (
    <span>
      <Status tone={tone}>{word}</Status>
      {since && (
        <>
          , <LastSeen at={since} />
        </>
      )}
      {behindEvents > 0 && ` · ${behindEvents.toLocaleString('en')} waiting`}
    </span>
  );
}

/** Integrations of the whole installation are configured by its operator and have no page. */
function Integration({ of: { organizationID, applicationID, applicationName, kind } }: { of: DeliveryStatus }) {
  const label = integrationKinds.find((one) => one.kind === kind)?.label ?? kind;
  if (applicationName === '' && organizationID !== '0')
    return <AppLink to={paths.gatewayEvents(organizationID, 'deliveries')}>Gateway events by HTTP</AppLink>;
  if (applicationName === '') return label;
  return (
    <AppLink to={paths.integration(organizationID, applicationID, segmentOf(kind), 'deliveries')}>
      {`${label} of ${applicationName}`}
    </AppLink>
  );
}
