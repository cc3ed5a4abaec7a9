import type { ListedAirtime } from '@hilltop/contract';
import { IconAntenna } from '@tabler/icons-react';
import { query } from '../../api/queries.ts';
import { RangePicker } from '../../components/chart/range-picker.tsx';
import { AppLink } from '../../components/link/link.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import type { Column } from '../../components/list/cells.tsx';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { Status } from '../../components/status/status.tsx';
import { paths } from '../../paths.ts';
import { airtimeRanges, useAirtimeRange } from './airtime-range.ts';
import { formatAirtime, formatShare } from './airtime-words.ts';

const refreshMs = 60_000;
const ranges = ['24h', '7d'] as const;

/** How long the gateways of an organization received and sent. */
export function GatewaysAirtime() {
  const { organizationID } = useIDs();
  const { range, period, choose } = useAirtimeRange(ranges);
  return (
    <>
      <PageHeader
        title="Airtime of gateways"
        crumbs={[{ label: 'Gateways', to: paths.gateway.list(organizationID) }]}
        actions={<RangePicker label="Range" ranges={airtimeRanges} offered={ranges} range={range} choose={choose} />}
      />
      <ResourceList
        label="Gateways"
        refreshMs={refreshMs}
        query={({ limit, offset }) => query('gatewayAirtime', 'list', { organizationID, limit, offset, ...period })}
        rowKey={({ gatewayID }) => gatewayID}
        columns={columns(organizationID, range)}
        empty={{
          title: 'No gateways yet',
          text: 'Their airtime is listed here, those that received the most first.',
          icon: <IconAntenna size={32} />,
        }}
      />
    </>
  );
}

function columns(organizationID: string, range: string): Column<ListedAirtime>[] {
  const time = (header: string, of: (one: ListedAirtime) => number): Column<ListedAirtime> => ({
    header,
    align: 'right',
    cell: (one) => (one.isReported ? formatAirtime(of(one)) : '–'),
  });
  return [
    {
      header: 'Name',
      primary: true,
      cell: ({ gatewayID, name }) => (
        <AppLink
          to={paths.gatewayAirtime(organizationID, gatewayID)}
          search={(range === '24h' ? {} : { range }) as never}
        >
          {name}
        </AppLink>
      ),
    },
    time('Received, own', ({ ownMs }) => ownMs),
    time('Received, foreign', ({ foreignMs }) => foreignMs),
    time('Unreadable', ({ unreadableMs }) => unreadableMs),
    time('Sent', ({ sentMs }) => sentMs),
    { header: 'Fullest hour', align: 'right', cell: FullestHour },
  ];
}

function FullestHour({ isReported, fullest }: ListedAirtime) {
  if (!isReported) return 'not reported';
  if (fullest === 0) return '–';
  const text = `${formatShare(fullest)} of the limit`;
  return fullest > 1 ? <Status tone="attention">{text}</Status> : text;
}
