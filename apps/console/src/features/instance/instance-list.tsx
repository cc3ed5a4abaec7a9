import type { Instance } from '@hilltop/contract';
import { Text } from '@mantine/core';
import { IconStack2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { query } from '../../api/queries.ts';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import type { Column } from '../../components/list/cells.tsx';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { Status } from '../../components/status/status.tsx';

const refreshMs = 10_000;
const short = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

type Figure = keyof NonNullable<Instance['figures']>;

/** A figure that an instance reports. */
const figure = (header: string, name: Figure, unit = '', card?: 'folded'): Column<Instance> => ({
  header,
  align: 'right',
  ...(card && { card }),
  cell: ({ figures }) => (figures ? `${short.format(figures[name])}${unit}` : '–'),
});

/** The instances that use the database, and the load of each. */
export function InstanceList() {
  const { data } = useQuery(query('instance', 'list', { limit: 1, offset: 0 }));
  return (
    <>
      <PageHeader title="Instances" />
      {data?.isAlone && (
        <Text c="dimmed" mb="md" maw={720}>
          This instance runs alone. To run several instances on one PostgreSQL database, set the same HILLTOP_REDIS_URL
          on all of them.
        </Text>
      )}
      <ResourceList
        label="Instances"
        refreshMs={refreshMs}
        query={({ limit, offset }) => query('instance', 'list', { limit, offset })}
        rowKey={({ id }) => id}
        columns={[
          { header: 'Name', primary: true, cell: ({ id, name }) => <span title={`ID ${id}`}>{name}</span> },
          { header: 'State', fit: true, card: 'aside', cell: (one) => <State of={one} /> },
          { header: 'Version', fit: true, card: 'folded', cell: ({ version }) => version },
          { header: 'Started', width: 120, card: 'folded', cell: ({ startedAt }) => <LastSeen at={startedAt} /> },
          {
            header: 'Listens',
            width: 180,
            wraps: true,
            card: 'folded',
            cell: ({ listens }) => <Listens at={listens} />,
          },
          figure('Gateways', 'gateways'),
          figure('Heard', 'copiesPerSecond', '/s', 'folded'),
          figure('Uplinks', 'uplinksPerSecond', '/s'),
          figure('Downlinks', 'downlinksPerSecond', '/s', 'folded'),
          figure('Lag', 'lagMs', ' ms', 'folded'),
        ]}
        empty={{
          icon: <IconStack2 size={32} />,
          title: 'No instances',
          text: 'Each process that uses the database is listed here.',
        }}
      />
    </>
  );
}

function Listens({ at }: { at: readonly string[] }) {
  if (at.length === 0) return '–';
  return at.map((line) => (
    <Text key={line} size="xs">
      {line}
    </Text>
  ));
}

function State({ of: { figures, isAnswering } }: { of: Instance }) {
  if (!figures) return <Status tone="attention">Does not respond</Status>;
  return <Status tone="active">{isAnswering ? 'Serves this page' : 'Active'}</Status>;
}
