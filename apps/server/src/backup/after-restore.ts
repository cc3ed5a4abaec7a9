import { formatCursor, noGaps, parseCursor } from '../event-log/cursor.ts';
import type { LogPosition } from '../event-log/event-log.ts';
import { sessionBody, sessionOf } from '../network/session-body.ts';
import type { StoredValue } from './column-types.ts';
import type { Manifest } from './manifest.ts';

type Row = Record<string, StoredValue>;

/**
 * How much higher than in the backup the counters of downlinks and join-accepts continue: devices accept none below what
 * they have received since.
 */
export const counterGap = 1000;

const jobProblem = 'The backup was made while this job ran. Resume it, or stop it.';

type Change = (row: Row, manifest: Manifest) => void;

/** What a restore changes in rows, so that devices and integrations go on from what may have happened since the backup. */
export const changesOfRows: Readonly<Record<string, Change>> = {
  device_keys: (row) => {
    row['join_nonce'] = Number(row['join_nonce']) + counterGap;
  },
  ns_session: (row) => {
    const session = sessionOf(row['body'] as string);
    row['body'] = sessionBody({
      ...session,
      nFCntDown: session.nFCntDown + counterGap,
      aFCntDown: session.aFCntDown + counterGap,
    });
  },
  ns_multicast_counter: (row) => {
    row['f_cnt'] = Number(row['f_cnt']) + counterGap;
  },
  job: (row) => {
    if (row['state'] === 'RUNNING' || row['state'] === 'WAITING')
      Object.assign(row, { state: 'PAUSED', problem: jobProblem });
  },
  integration_state: (row, manifest) => {
    const position = positionAfter(row['position'] as LogPosition, manifest);
    if (position !== row['position']) Object.assign(row, { position, done_ahead: '[]' });
  },
};

/** Events of the log that are in no backup cannot be sent; events that may be in a gap are sent again. */
function positionAfter(position: LogPosition, { hasHistory, sequences }: Manifest): LogPosition {
  const { pos, gaps } = parseCursor(position);
  if (!hasHistory) return formatCursor({ pos: Math.max(pos, sequences['event'] ?? 0), gaps: noGaps });
  return gaps.size === 0 ? position : formatCursor({ pos: Math.min(pos, ...gaps) - 1, gaps: noGaps });
}
