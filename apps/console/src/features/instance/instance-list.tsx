import type { Instance } from '@hilltop/contract';
import { Text } from '@mantine/core';
import { IconStack2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Fragment, useDeferredValue } from 'react';
import { query } from '../../api/queries.ts';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import type { Column } from '../../components/list/cells.tsx';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { firstPage, type PageOf } from '../../components/list/use-list-page.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { Status } from '../../components/status/status.tsx';
import classes from './instance-list.module.css';

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

const instancesOf = ({ limit, offset }: PageOf<'instance'>) => query('instance', 'list', { limit, offset });

/** The instances that use the database, and the load of each. */
export function InstanceList() {
  // The request of the list below, so that both appear at once.
  const data = useDeferredValue(useQuery(instancesOf(firstPage())).data);
  return (
    <>
      <PageHeader title="Instances" />
      <ResourceList
        label="Instances"
        refreshMs={refreshMs}
        query={instancesOf}
        rowKey={({ id }) => id}
        columns={[
          { header: 'Name', primary: true, cell: ({ id, name }) => <span title={`ID ${id}`}>{name}</span> },
          { header: 'State', fit: true, card: 'aside', cell: (one) => <State of={one} /> },
          { header: 'Version', fit: true, card: 'folded', cell: ({ version }) => version },
          { header: 'Started', width: 120, card: 'folded', cell: ({ startedAt }) => <LastSeen at={startedAt} /> },
          {
            header: 'Listens',
            share: 4,
            wraps: true,
            card: 'folded',
            cell: ({ listens }) => <Listens at={listens} />,
          },
          figure('Gateways', 'gateways'),
          figure('Received', 'copiesPerSecond', '/s', 'folded'),
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
      {data?.isAlone && (
        <Text c="dimmed" mt="md" maw={720}>
          This instance runs alone. To run several instances on one PostgreSQL database, set the same HILLTOP_REDIS_URL
          on all of them.
        </Text>
      )}
    </>
  );
}

function Listens({ at }: { at: readonly string[] }) {
  if (at.length === 0) return '–';
  return (
    <dl className={classes.listens}>
      {at.map((line) => {
        const address = line.slice(line.lastIndexOf(' ') + 1);
        return (
          <Fragment key={line}>
            <dt>{line.slice(0, -address.length - 1)}</dt>
            <dd className="number">{address}</dd>
          </Fragment>
        );
      })}
    </dl>
  );
}

function State({ of: { figures, isAnswering } }: { of: Instance }) {
  if (!figures) return <Status tone="attention">Does not respond</Status>;
  return <Status tone="active">{isAnswering ? 'Serves this page' : 'Active'}</Status>;
}
