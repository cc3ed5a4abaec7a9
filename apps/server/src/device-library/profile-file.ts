import type { DeviceProfile } from '@hilltop/contract';
import { regions } from '@hilltop/lorawan/regions';
import type { ModelProfile } from './catalogue-types.ts';
import { isObject, textOf } from './vectors.ts';

/** A value of a profile that cannot be used; `key` names it. */
export class ProfileProblem extends Error {
  readonly key: string;
  constructor(key: string, message: string) {
    super(message);
    this.key = key;
  }
}

type Table = Readonly<Record<string, unknown>>;

const macVersions = ['1.0.0', '1.0.1', '1.0.2', '1.0.3', '1.0.4', '1.1.0'];
const revisions = ['A', 'B', 'RP002-1.0.0', 'RP002-1.0.1', 'RP002-1.0.2', 'RP002-1.0.3'];
const latestRevision = 'RP002-1.0.3';

/** Slots in the period of a beacon; a device opens 2^k of them. */
const pingSlots = 4096;

/** The profile of a TOML table `[profile]`. Throws ProfileProblem. */
export function toModelProfile(id: string, table: Table): ModelProfile {
  const supportsJoin = table['supports_otaa'] !== false;
  const supportsClassB = table['supports_class_b'] === true;
  const supportsClassC = table['supports_class_c'] === true;
  return {
    id,
    region: regionIn(table),
    vendorProfileID: numberIn(table, 'vendor_profile_id', 0xffff),
    deviceProfile: {
      macVersion: macVersionIn(table),
      regParamsRevision: revisionIn(table),
      maxEIRP: numberIn(table, 'max_eirp', 40),
      supportsJoin,
      supportsClassB,
      supportsClassC,
      ...(!supportsJoin && fixedWindows(tableIn(table, 'abp'))),
      ...(supportsClassB && classB(tableIn(table, 'class_b'))),
      ...(supportsClassC && { classCTimeout: numberIn(tableIn(table, 'class_c'), 'timeout_secs', 3600) }),
    },
  };
}

/** For devices without a join: 0 leaves a value to the region. */
function fixedWindows(abp: Table): Partial<DeviceProfile> {
  const rxDelay1 = numberIn(abp, 'rx1_delay', 15);
  const rxFreq2 = numberIn(abp, 'rx2_freq', 2 ** 32 - 1);
  return {
    ...(rxDelay1 > 0 && { rxDelay1 }),
    rxDROffset1: numberIn(abp, 'rx1_dr_offset', 7),
    ...(rxFreq2 > 0 && { rxFreq2, rxDataRate2: numberIn(abp, 'rx2_dr', 15) }),
  };
}

function classB(table: Table): Partial<DeviceProfile> {
  const pingSlotFreq = numberIn(table, 'ping_slot_freq', 2 ** 32 - 1);
  return {
    classBTimeout: numberIn(table, 'timeout_secs', 3600),
    pingSlotPeriod: pingSlots >> numberIn(table, 'ping_slot_nb_k', 7),
    ...(pingSlotFreq > 0 && { pingSlotFreq, pingSlotDR: numberIn(table, 'ping_slot_dr', 15) }),
  };
}

function tableIn(table: Table, key: string): Table {
  const inner = table[key];
  return isObject(inner) ? inner : {};
}

function numberIn(table: Table, key: string, most: number): number {
  const value = table[key] ?? 0;
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= most) return value as number;
  throw new ProfileProblem(key, `${key} must be a whole number from 0 to ${most}.`);
}

function regionIn(table: Table): string {
  const given = textOf(table['region']);
  const known = regions.find(({ name, aliases }) => name === given || aliases.includes(given));
  if (!known) throw new ProfileProblem('region', `The region "${given.slice(0, 20)}" is not known.`);
  return known.name;
}

function macVersionIn(table: Table): string {
  const given = textOf(table['mac_version']);
  const version = macVersions.find((one) => one === given || one === `${given}.0`);
  if (version === undefined)
    throw new ProfileProblem('mac_version', `The LoRaWAN version "${given.slice(0, 20)}" is not known.`);
  return version;
}

/** Revisions after the last known one change only regions, which this server declares itself. */
function revisionIn(table: Table): string {
  const given = textOf(table['reg_params_revision'], 'A').replace(/_/g, '-');
  if (revisions.includes(given)) return given;
  if (/^RP002-1\.0\.\d$/.test(given)) return latestRevision;
  throw new ProfileProblem('reg_params_revision', `The revision "${given.slice(0, 20)}" is not known.`);
}
