import { region as regionOf } from '@hilltop/lorawan';
import { create, gw } from '@hilltop/protobuf';
import type { ReceivedContext } from '../mac/rule.ts';
import type { Network } from '../network/network.ts';
import { wantedRadio } from '../radio/wanted-radio.ts';
import { bootRadio } from '../session/boot-radio.ts';
import { defaultSettings, type Settings } from '../settings/settings.ts';
import type { DeviceProfileRecord, ServiceProfileRecord } from '../state/records.ts';
import type { DeviceSession } from '../state/session.ts';
import { emptyHistory, freshCounters } from '../uplink/new-session.ts';
import { createFakeClock } from './fake-clock.ts';

export interface MacContextOptions {
  session?: Partial<DeviceSession> | undefined;
  settings?: Partial<Settings>;
  deviceProfile?: Partial<DeviceProfileRecord>;
  serviceProfile?: Partial<ServiceProfileRecord>;
  /** SNR at each gateway, best first. */
  snrs?: number[];
  time?: Date;
  /** The times of each gateway. */
  times?: Date[];
  gpsMs?: number;
  /** The clock of the server. */
  now?: Date;
}

/** A minimal network and a settled EU868 session at SF7 for the MAC rules. */
export function createMacContext(options: MacContextOptions): ReceivedContext {
  const region = regionOf('EU868');
  const settings = { ...defaultSettings, ...options.settings };
  const network = {
    region,
    settings,
    wanted: wantedRadio(region, settings),
    clock: createFakeClock(options.now?.getTime()),
    random: (length: number) => new Uint8Array(length),
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
    count: () => undefined,
  } as unknown as Network;
  const deviceProfile = {
    macVersion: '1.0.3',
    regParamsRevision: 'B',
    rxDelay1: 1,
    rxDrOffset1: 0,
    rxDatarate2: 0,
    rxFreq2: 0,
    factoryPresetFreqs: [],
    supportsClassB: false,
    adrAlgorithmId: 'default',
    maxEirp: 0,
    ...options.deviceProfile,
  } as unknown as DeviceProfileRecord;
  const serviceProfile = {
    drMin: 0,
    drMax: 5,
    devStatusReqFreq: 0,
    reportDevStatusBattery: true,
    reportDevStatusMargin: true,
    ...options.serviceProfile,
  } as unknown as ServiceProfileRecord;
  const session: DeviceSession = {
    id: 'session',
    revision: 0,
    role: 'current',
    origin: 'OTAA',
    devEUI: '0102030405060708',
    joinEUI: '0000000000000000',
    devAddr: '26000001',
    macVersion: '1.0.3',
    activatedAt: 0,
    keys: {
      fNwkSIntKey: new Uint8Array(16),
      sNwkSIntKey: new Uint8Array(16),
      nwkSEncKey: new Uint8Array(16),
      appSKey: null,
    },
    adr: false,
    ...freshCounters(),
    ...bootRadio(network, { ...deviceProfile, factoryPresetFreqs: [], rxDelay1: 1 }),
    ...emptyHistory(),
    mode: 'A',
    dr: 5,
    ...options.session,
  };
  const rxInfo = (loRaSNR: number, gateway: number) =>
    create(gw.UplinkRXInfo, {
      gatewayID: Uint8Array.of(gateway),
      loRaSNR,
      time: options.times?.[gateway] ?? options.time ?? null,
      timeSinceGPSEpoch: options.gpsMs ?? null,
    });
  const uplink = {
    phyPayload: new Uint8Array(),
    txInfo: create(gw.UplinkTXInfo, {
      frequency: 868_100_000,
      loRaModulationInfo: { bandwidth: 125, spreadingFactor: 7 },
    }),
    dr: 5,
    isTooLateToAnswer: false,
    receptions: (options.snrs ?? [5]).map((snr, gateway) => {
      return { gatewayID: `0${gateway}`, gateway: null, rxInfo: rxInfo(snr, gateway) };
    }),
  };
  return { network, session, deviceProfile, serviceProfile, uplink };
}
