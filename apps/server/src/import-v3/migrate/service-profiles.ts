import { ServiceProfile } from '@hilltop/contract';
import type { SourceRow } from '../source/postgres.ts';

import { bytes, flag, number, plainUUID, recordTimes, text, times } from '../source/read-row.ts';
import { problemWith } from './contract-rules.ts';
import { importRows } from './each-row.ts';
import type { ImportPass, ImportStep } from './import-pass.ts';
import { importProfiles } from './profiles.ts';
import { recordRow } from './record.ts';

export const importServiceProfiles: ImportStep = (pass) =>
  importProfiles(pass, {
    what: 'service-profiles',
    table: 'service_profile',
    id: 'service_profile_id',
    toTargetRows: importRows,
    imported: pass.imported.serviceProfiles,
    isOwned: true,
    problemOf: (row) => problemWith(ServiceProfile, { name: text(row, 'name') }),
    rowOf: (row, own) => ({
      table: 'service_profile',
      values: { ...times(row), ...own, organization_id: number(row, 'organization_id') },
      nameInReport: text(row, 'name'),
    }),
    recordOf: (networkServerID, id, row) => {
      reportUnknownPolicies(pass, id, row);
      return recordRow(networkServerID, 'serviceProfile', plainUUID(id), contentOf(row));
    },
  });

/** Service-profiles whose rate policy is unknown and becomes one of the two. */
function reportUnknownPolicies({ report }: ImportPass, id: string, row: SourceRow): void {
  for (const column of ['ul_rate_policy', 'dl_rate_policy']) {
    const given = text(row, column).trim();
    if (!['', 'DROP', 'MARK'].includes(given.toUpperCase()))
      report.find(
        'notice',
        'service-profiles',
        `${column} is ${given}, which Hilltop does not know: it becomes Drop`,
        id,
      );
  }
}

const policyOf = (row: SourceRow, column: string) =>
  text(row, column).trim().toUpperCase() === 'MARK' ? ('MARK' as const) : ('DROP' as const);

function contentOf(row: SourceRow) {
  return {
    ulRate: number(row, 'ul_rate'),
    ulBucketSize: number(row, 'ul_bucket_size'),
    ulRatePolicy: policyOf(row, 'ul_rate_policy'),
    dlRate: number(row, 'dl_rate'),
    dlBucketSize: number(row, 'dl_bucket_size'),
    dlRatePolicy: policyOf(row, 'dl_rate_policy'),
    addGwMetadata: flag(row, 'add_gw_metadata'),
    devStatusReqFreq: number(row, 'dev_status_req_freq'),
    reportDevStatusBattery: flag(row, 'report_dev_status_battery'),
    reportDevStatusMargin: flag(row, 'report_dev_status_margin'),
    drMin: number(row, 'dr_min'),
    drMax: number(row, 'dr_max'),
    channelMask: channelMaskOf(row),
    prAllowed: flag(row, 'pr_allowed'),
    hrAllowed: flag(row, 'hr_allowed'),
    raAllowed: flag(row, 'ra_allowed'),
    nwkGeoLoc: flag(row, 'nwk_geo_loc'),
    targetPer: number(row, 'target_per'),
    minGwDiversity: number(row, 'min_gw_diversity'),
    gwsPrivate: flag(row, 'gws_private'),
    ...recordTimes(row),
  };
}

function channelMaskOf(row: SourceRow): string {
  const mask = row['channel_mask'];
  return mask instanceof Uint8Array ? bytes(row, 'channel_mask', mask.length).toHex() : '';
}
