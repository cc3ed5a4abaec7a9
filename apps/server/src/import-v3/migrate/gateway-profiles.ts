import { GatewayProfile } from '@hilltop/contract';
import type { Records } from '@hilltop/network-server';
import type { SourceRow } from '../source/postgres.ts';

import { number, plainUUID, recordTimes, text, times } from '../source/read-row.ts';
import { problemWith } from './contract-rules.ts';
import { importRows } from './each-row.ts';
import type { ImportStep } from './import-pass.ts';
import { importProfiles } from './profiles.ts';
import { recordRow } from './record.ts';

type ExtraChannel = Records['gatewayProfile']['extraChannels'][number];

const nanosecondsPerMs = 1e6;
const millisecondsOf = (row: SourceRow) => number(row, 'stats_interval') / nanosecondsPerMs;

export const importGatewayProfiles: ImportStep = async function* (pass) {
  const extra = new Map<string, SourceRow[]>();
  for (const { database } of pass.networks.values())
    for await (const rows of database.rows('gateway_profile_extra_channel'))
      for (const row of rows) {
        const id = text(row, 'gateway_profile_id');
        extra.set(id, [...(extra.get(id) ?? []), row]);
      }
  yield* importProfiles(pass, {
    what: 'gateway-profiles',
    table: 'gateway_profile',
    id: 'gateway_profile_id',
    toTargetRows: importRows,
    imported: pass.imported.gatewayProfiles,
    isOwned: false,
    problemOf: (row) => problemWith(GatewayProfile, { name: text(row, 'name') }),
    rowOf: (row, own) => ({
      table: 'gateway_profile',
      values: { ...times(row), ...own, stats_interval_ms: millisecondsOf(row) },
      nameInReport: text(row, 'name'),
    }),
    recordOf: (networkServerID, id, row) =>
      recordRow(networkServerID, 'gatewayProfile', plainUUID(id), {
        channels: ((row['channels'] ?? []) as unknown[]).map(Number),
        extraChannels: (extra.get(id) ?? []).map((channel) => {
          const modulation = text(channel, 'modulation');
          if (modulation !== 'FSK' && modulation !== 'LORA')
            pass.report.find(
              'notice',
              'gateway-profiles',
              `an extra channel has the modulation ${modulation}, which Hilltop does not know: it becomes LoRa`,
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
