import { GatewayProfile } from '@hilltop/contract';
import type { Records } from '@hilltop/network-server';
import type { Carry } from '../move.ts';

import { number, plainUUID, recordTimes, text, times } from '../read-row.ts';
import { problemWith } from '../rules.ts';
import type { SourceRow } from '../source/postgres.ts';
import { carryRows } from './each-row.ts';
import { carryProfiles } from './profiles.ts';
import { recordRow } from './record.ts';

type ExtraChannel = Records['gatewayProfile']['extraChannels'][number];

const nanosecondsPerMs = 1e6;
const millisecondsOf = (row: SourceRow) => number(row, 'stats_interval') / nanosecondsPerMs;

export const carryGatewayProfiles: Carry = async function* (move) {
  const extra = new Map<string, SourceRow[]>();
  for (const { database } of move.networks.values())
    for await (const rows of database.rows('gateway_profile_extra_channel'))
      for (const row of rows) {
        const id = text(row, 'gateway_profile_id');
        extra.set(id, [...(extra.get(id) ?? []), row]);
      }
  yield* carryProfiles(move, {
    what: 'gateway-profiles',
    table: 'gateway_profile',
    id: 'gateway_profile_id',
    carry: carryRows,
    carried: move.carried.gatewayProfiles,
    isOwned: false,
    problemOf: (row) => problemWith(GatewayProfile, { name: text(row, 'name') }),
    rowOf: (row, own) => ({
      table: 'gateway_profile',
      values: { ...times(row), ...own, stats_interval_ms: millisecondsOf(row) },
      called: text(row, 'name'),
    }),
    recordOf: (networkServerID, id, row) =>
      recordRow(networkServerID, 'gatewayProfile', plainUUID(id), {
        channels: ((row['channels'] ?? []) as unknown[]).map(Number),
        extraChannels: (extra.get(id) ?? []).map((channel) => {
          const modulation = text(channel, 'modulation');
          if (modulation !== 'FSK' && modulation !== 'LORA')
            move.report.find(
              'notice',
              'gateway-profiles',
              `an extra channel has the modulation ${modulation}, which is not known here: it becomes LoRa`,
              id,
            );
          return channelOf(channel);
        }),
        statsIntervalMs: millisecondsOf(row),
        ...recordTimes(row),
      }),
  });
};

const channelOf = (row: SourceRow): ExtraChannel => ({
  modulation: text(row, 'modulation') === 'FSK' ? 'FSK' : 'LORA',
  frequency: number(row, 'frequency'),
  bandwidth: number(row, 'bandwidth'),
  bitrate: number(row, 'bitrate'),
  spreadingFactors: ((row['spreading_factors'] ?? []) as unknown[]).map(Number),
});
