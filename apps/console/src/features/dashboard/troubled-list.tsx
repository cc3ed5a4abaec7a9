import type { DeliveryStatus } from '@hilltop/contract';
import { Group, Paper, Title } from '@mantine/core';
import { integrationKinds, segmentOf } from '../../api/integration-facts.ts';
import { formatLogTime } from '../../components/last-seen/dates.ts';
import { AppLink } from '../../components/link/link.tsx';
import type { Column } from '../../components/list/cells.tsx';
import { DataTable } from '../../components/list/data-table.tsx';
import { DeliveryState } from '../../components/status/delivery-state.tsx';
import { paths } from '../../paths.ts';
import classes from './troubled-list.module.css';

const columns: Column<DeliveryStatus>[] = [
  { header: 'Integration', primary: true, cell: (one) => <Integration of={one} /> },
  { header: 'State', card: 'plain', cell: (one) => <State of={one} /> },
  { header: 'Since', fit: true, card: 'folded', cell: ({ since }) => (since ? formatLogTime(since) : 'Unknown') },
  {
    header: 'Reason',
    share: 2,
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

function State({ of }: { of: DeliveryStatus }) {
  return (
    <Group gap="xs">
      <DeliveryState status={of} />
    </Group>
  );
}

/** Integrations of the whole installation are configured by its operator and have no page. */
function Integration({ of: { organizationID, applicationID, applicationName, kind } }: { of: DeliveryStatus }) {
  const label = integrationKinds.find((one) => one.kind === kind)?.label ?? kind;
  if (applicationName === '') return label;
  return (
    <AppLink to={paths.integration(organizationID, applicationID, segmentOf(kind), 'deliveries')}>
      {`${label} of ${applicationName}`}
    </AppLink>
  );
}
