import type { RadioSettings } from '@hilltop/contract';
import { type Region, regions } from '@hilltop/lorawan';
import { type SettingsProblem, settingsProblems } from '@hilltop/network-server';
import { parseDuration } from '@hilltop/protobuf';
import { configurationOf } from '../../resources/radio/configuration.ts';
import { UnreadableSource } from '../source/postgres.ts';
import type { SettingsFile } from '../source/settings-file.ts';

/** Names of bands in files of older releases. */
const olderNames: Readonly<Record<string, string>> = {
  EU_863_870: 'EU868',
  US_902_928: 'US915',
  AU_915_928: 'AU915',
  AS_923: 'AS923',
  CN_470_510: 'CN470',
  CN_779_787: 'CN779',
  EU_433: 'EU433',
  IN_865_867: 'IN865',
  KR_920_923: 'KR920',
  RU_864_870: 'RU864',
};

/** Throws UnreadableSource for an unknown band. */
export function regionOfFile(file: SettingsFile): Region {
  const given = file.text('network_server.band.name', 'EU868');
  const name = olderNames[given] ?? given;
  const region =
    regions.find((one) => one.name === name.replaceAll('_', '-')) ?? regions.find((one) => one.name === name);
  if (!region)
    throw new UnreadableSource(
      `network_server.band.name in ${file.path} is ${given.slice(0, 20)}, a band that Hilltop does not have.`,
    );
  return region;
}

const ofNetwork = 'network_server.network_settings';

/** Settings of version 3 by their name in Hilltop. A number that means "the default of the region" is not imported. */
const numbers: readonly (readonly [keyof RadioSettings, string, asTheRegion?: number])[] = [
  ['rx1Delay', `${ofNetwork}.rx1_delay`, 0],
  ['rx1DROffset', `${ofNetwork}.rx1_dr_offset`],
  ['rx2DataRate', `${ofNetwork}.rx2_dr`, -1],
  ['rx2Frequency', `${ofNetwork}.rx2_frequency`, -1],
  ['rx2PreferOnRX1DRLt', `${ofNetwork}.rx2_prefer_on_rx1_dr_lt`],
  ['gatewayPreferMinMargin', `${ofNetwork}.gateway_prefer_min_margin`],
  ['downlinkTxPower', `${ofNetwork}.downlink_tx_power`, -1],
  ['installationMargin', `${ofNetwork}.installation_margin`],
  ['maxMACCommandErrorCount', `${ofNetwork}.max_mac_command_error_count`],
  ['classBPingSlotDR', `${ofNetwork}.class_b.ping_slot_dr`],
  ['classBPingSlotFrequency', `${ofNetwork}.class_b.ping_slot_frequency`],
  ['uplinkMaxEIRP', 'network_server.band.uplink_max_eirp', -1],
];

const flags: readonly (readonly [keyof RadioSettings, string])[] = [
  ['rx2PreferOnLinkBudget', `${ofNetwork}.rx2_prefer_on_link_budget`],
  ['disableADR', `${ofNetwork}.disable_adr`],
  ['disableMACCommands', `${ofNetwork}.disable_mac_commands`],
  ['uplinkDwellTime400ms', 'network_server.band.uplink_dwell_time_400ms'],
  ['downlinkDwellTime400ms', 'network_server.band.downlink_dwell_time_400ms'],
  ['repeaterCompatible', 'network_server.band.repeater_compatible'],
];

const notGiven = Number.MIN_SAFE_INTEGER;
const windows = ['BOTH', 'RX1', 'RX2'] as const;

/** The radio settings of a network server file in the form of Hilltop, and the problems that Hilltop finds in them. */
export function radioOf(file: SettingsFile, region: Region): { settings: RadioSettings; problems: SettingsProblem[] } {
  const settings: Record<string, unknown> = {
    netID: file.text('network_server.net_id', '000000').toLowerCase(),
    enabledChannels: enabledChannelsOf(file),
    extraChannels: extraChannelsOf(file),
    rejoinRequest: rejoinRequestOf(file),
  };
  for (const [name, path, asTheRegion] of numbers) {
    const value = file.number(path, asTheRegion ?? notGiven);
    // The packages of version 3 install 0 for every region, even where no downlink has that data-rate.
    const isOfPackage = name === 'classBPingSlotDR' && value === 0 && !region.dataRates[0]?.downlink;
    if (value !== asTheRegion && value !== notGiven && !isOfPackage) settings[name] = value;
  }
  for (const [name, path] of flags) if (file.flag(path)) settings[name] = true;
  const window = file.number(`${ofNetwork}.rx_window`, 0);
  if (!(window in windows)) throw wrong(file, `${ofNetwork}.rx_window`, 'is not 0, 1 or 2');
  if (window !== 0) settings['rxWindow'] = windows[window];
  const delays = [
    ['deduplicationDelayMs', 'network_server.deduplication_delay'],
    ['getDownlinkDataDelayMs', 'network_server.get_downlink_data_delay'],
  ] as const;
  for (const [name, path] of delays) {
    const given = file.text(path);
    if (given === '') continue;
    const delay = parseDuration(given);
    if (delay === undefined) throw wrong(file, path, 'is not a duration');
    settings[name] = delay;
  }
  const radio = settings as unknown as RadioSettings;
  return { settings: radio, problems: settingsProblems(region, configurationOf({ netID: '000000' }, radio).settings) };
}

const wrong = ({ path }: SettingsFile, name: string, sentence: string) =>
  new UnreadableSource(`${name} in ${path} ${sentence}.`);

function enabledChannelsOf(file: SettingsFile): number[] {
  const path = `${ofNetwork}.enabled_uplink_channels`;
  const channels = file.list(path).map(Number);
  if (!channels.every(Number.isInteger)) throw wrong(file, path, 'has an entry that is not a whole number');
  return channels.toSorted((one, other) => one - other);
}

function extraChannelsOf(file: SettingsFile): RadioSettings['extraChannels'] {
  const path = `${ofNetwork}.extra_channels`;
  return file.list(path).map((entry) => {
    if (typeof entry !== 'object' || entry === null) throw wrong(file, path, 'has an entry that is not a channel');
    const given = entry as Readonly<Record<string, unknown>>;
    return {
      frequency: Number(given['frequency'] ?? 0),
      minDR: Number(given['min_dr'] ?? 0),
      maxDR: Number(given['max_dr'] ?? 0),
    };
  });
}

function rejoinRequestOf(file: SettingsFile): RadioSettings['rejoinRequest'] {
  const path = `${ofNetwork}.rejoin_request`;
  if (!file.flag(`${path}.enabled`)) return null;
  return { maxTimeN: file.number(`${path}.max_time_n`, 0), maxCountN: file.number(`${path}.max_count_n`, 0) };
}
