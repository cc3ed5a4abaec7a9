import { DeviceProfile } from '@hilltop/contract';
import { bootRX2Problem } from '@hilltop/network-server';
import type { SourceRow } from '../source/postgres.ts';

import { flag, number, plainUUID, recordTimes, tags, text, times } from '../source/read-row.ts';
import { isUnknownChoice, problemWith } from './contract-rules.ts';
import { importRows } from './each-row.ts';
import type { ImportPass, ImportStep } from './import-pass.ts';
import { importProfiles } from './profiles.ts';
import { recordRow } from './record.ts';

const what = 'device-profiles';
const nanosecondsPerMs = 1e6;

export const importDeviceProfiles: ImportStep = (pass) =>
  importProfiles(pass, {
    what,
    table: 'device_profile',
    id: 'device_profile_id',
    toTargetRows: importRows,
    imported: pass.imported.deviceProfiles,
    isOwned: true,
    problemOf: (row) =>
      problemWith(DeviceProfile, {
        name: text(row, 'name'),
        tags: tags(row, 'tags'),
        payloadEncoderScript: text(row, 'payload_encoder_script'),
        payloadDecoderScript: text(row, 'payload_decoder_script'),
      }),
    rowOf: (row, own) => ({
      table: 'device_profile',
      values: {
        ...times(row),
        ...own,
        organization_id: number(row, 'organization_id'),
        payload_codec: text(row, 'payload_codec'),
        payload_encoder_script: text(row, 'payload_encoder_script'),
        payload_decoder_script: text(row, 'payload_decoder_script'),
        tags: tags(row, 'tags'),
        uplink_interval_ms: number(row, 'uplink_interval') / nanosecondsPerMs,
      },
      nameInReport: text(row, 'name'),
    }),
    recordOf: (networkServerID, id, row) => {
      const content = contentOf(pass, id, row);
      if (content.supportsJoin) pass.imported.joining.add(id);
      const region = pass.networks.get(networkServerID)?.region;
      const problem = region && bootRX2Problem(region, content);
      if (problem)
        pass.report.find('notice', what, `imported unchanged, and refused when it is edited: ${problem.sentence}`, id);
      return recordRow(networkServerID, 'deviceProfile', plainUUID(id), content);
    },
  });

/** By column, what the report says about a text that Hilltop does not know. */
const unknownTexts = [
  ['mac_version', DeviceProfile.fields.macVersion, 'LoRaWAN version', 'its devices are treated as those of 1.0'],
  [
    'reg_params_revision',
    DeviceProfile.fields.regParamsRevision,
    'revision of the regional parameters',
    'its devices are treated as those of the oldest revision',
  ],
] as const;

function contentOf({ report }: ImportPass, id: string, row: SourceRow) {
  for (const [column, field, name, sentence] of unknownTexts)
    if (isUnknownChoice(field, text(row, column)))
      report.find(
        'notice',
        what,
        `Hilltop has no ${name} ${text(row, column)}: it is imported unchanged, and ${sentence}`,
        id,
      );
  return {
    supportsClassB: flag(row, 'supports_class_b'),
    classBTimeout: number(row, 'class_b_timeout'),
    pingSlotPeriod: number(row, 'ping_slot_period'),
    pingSlotDr: number(row, 'ping_slot_dr'),
    pingSlotFreq: number(row, 'ping_slot_freq'),
    supportsClassC: flag(row, 'supports_class_c'),
    classCTimeout: number(row, 'class_c_timeout'),
    macVersion: text(row, 'mac_version'),
    regParamsRevision: text(row, 'reg_params_revision'),
    rxDelay1: number(row, 'rx_delay_1'),
    rxDrOffset1: number(row, 'rx_dr_offset_1'),
    rxDatarate2: number(row, 'rx_data_rate_2'),
    rxFreq2: number(row, 'rx_freq_2'),
    factoryPresetFreqs: ((row['factory_preset_freqs'] ?? []) as unknown[]).map(Number),
    maxEirp: number(row, 'max_eirp'),
    maxDutyCycle: number(row, 'max_duty_cycle'),
    supportsJoin: flag(row, 'supports_join'),
    supports32bitFCnt: flag(row, 'supports_32bit_fcnt'),
    adrAlgorithmId: algorithmOf(),
    ...recordTimes(row),
  };

  function algorithmOf(): string {
    const given = text(row, 'adr_algorithm_id');
    if (given === '' || knownAlgorithms.has(given)) return given || 'default';
    report.find('notice', what, `the ADR algorithm ${given} is a plugin of version 3: the default one replaces it`, id);
    return 'default';
  }
}

const knownAlgorithms = new Set(['default', 'lr_fhss', 'lora_lr_fhss']);
