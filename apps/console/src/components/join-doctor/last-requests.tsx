import type { JoinRequestItem } from '@hilltop/contract';
import { Disclosure } from '../disclosure/disclosure.tsx';
import { LastSeen } from '../last-seen/last-seen.tsx';
import type { Column } from '../list/cells.tsx';
import { DataTable } from '../list/data-table.tsx';
import { formatRSSI } from '../live-log/radio.ts';

/** Outcomes in words; others are shown as they are. */
const words: Readonly<Record<string, string>> = {
  ACCEPTED: 'accepted',
  WRONG_KEY: 'wrong key',
  DEV_NONCE_USED: 'DevNonce used',
  NO_ROOT_KEYS: 'no keys',
  DEVICE_DISABLED: 'device disabled',
  JOIN_NOT_SUPPORTED: 'device-profile for ABP',
  NO_DEVICE_PROFILE: 'no device-profile',
  PRIVATE_GATEWAYS: 'private gateways',
  UNKNOWN_CHANNEL: 'unknown channel',
  UNKNOWN_TO_JOIN_SERVER: 'unknown to its join-server',
  JOIN_SERVER: 'refused by its join-server',
};

const columns: Column<JoinRequestItem>[] = [
  { header: 'Received', primary: true, width: 110, cell: ({ at }) => <LastSeen at={at} /> },
  { header: 'DevNonce', align: 'right', cell: ({ devNonce }) => devNonce },
  {
    header: 'JoinEUI',
    fit: true,
    card: 'folded',
    cell: ({ joinEUI }) => <span className="identifier">{joinEUI}</span>,
  },
  { header: 'Outcome', card: 'plain', cell: (request) => outcomeOf(request) },
  { header: 'Best gateway', card: 'folded', cell: ({ gateways: [best] }) => gatewayText(best) },
];

/** The last join-requests of a device, the latest first. */
export function LastRequests({ requests }: { requests: readonly JoinRequestItem[] }) {
  return (
    <Disclosure label={`Last join-requests (${requests.length})`}>
      <DataTable<JoinRequestItem>
        label="Last join-requests"
        columns={columns}
        rows={[...requests]}
        rowKey={({ at, devNonce }) => `${at} ${devNonce}`}
      />
    </Disclosure>
  );
}

function outcomeOf({ outcome, answers }: JoinRequestItem): string {
  const refused = answers.filter((answer) => answer !== 'OK');
  const text = words[outcome] ?? outcome;
  return refused.length > 0 && !answers.includes('OK') ? `${text}, not sent: ${refused.join(', ')}` : text;
}

const gatewayText = (best: JoinRequestItem['gateways'][number] | undefined) =>
  best ? `${best.name} (${formatRSSI(best.rssi)} dBm)` : 'of another organization';
