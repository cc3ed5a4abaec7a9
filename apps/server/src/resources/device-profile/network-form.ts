import type { DeviceProfile } from '@hilltop/contract';
import type { ns } from '@hilltop/protobuf';
import { uuidBytes } from '../../identifiers.ts';

/**
 * A device-profile as network servers store it: what the radio and the MAC layer need. The network server sets the
 * region.
 */
export function toNetworkForm(id: string, profile: DeviceProfile): ns.DeviceProfile {
  return {
    id: uuidBytes(id),
    supportsClassB: profile.supportsClassB,
    classBTimeout: profile.classBTimeout,
    pingSlotPeriod: profile.pingSlotPeriod,
    pingSlotDr: profile.pingSlotDR,
    pingSlotFreq: profile.pingSlotFreq,
    supportsClassC: profile.supportsClassC,
    classCTimeout: profile.classCTimeout,
    macVersion: profile.macVersion,
    regParamsRevision: profile.regParamsRevision,
    rxDelay1: profile.rxDelay1,
    rxDrOffset1: profile.rxDROffset1,
    rxDatarate2: profile.rxDataRate2,
    rxFreq2: profile.rxFreq2,
    factoryPresetFreqs: profile.factoryPresetFreqs,
    maxEirp: profile.maxEIRP,
    maxDutyCycle: profile.maxDutyCycle,
    supportsJoin: profile.supportsJoin,
    rfRegion: profile.rfRegion,
    supports32bitFCnt: profile.supports32BitFCnt,
    adrAlgorithmId: profile.adrAlgorithmID,
  };
}

/** The reverse of `toNetworkForm`. The geolocation buffer is in the API but stored nowhere. */
export function fromNetworkForm(profile: ns.DeviceProfile) {
  return {
    supportsClassB: profile.supportsClassB,
    classBTimeout: profile.classBTimeout,
    pingSlotPeriod: profile.pingSlotPeriod,
    pingSlotDR: profile.pingSlotDr,
    pingSlotFreq: profile.pingSlotFreq,
    supportsClassC: profile.supportsClassC,
    classCTimeout: profile.classCTimeout,
    macVersion: profile.macVersion,
    regParamsRevision: profile.regParamsRevision,
    rxDelay1: profile.rxDelay1,
    rxDROffset1: profile.rxDrOffset1,
    rxDataRate2: profile.rxDatarate2,
    rxFreq2: profile.rxFreq2,
    factoryPresetFreqs: profile.factoryPresetFreqs,
    maxEIRP: profile.maxEirp,
    maxDutyCycle: profile.maxDutyCycle,
    supportsJoin: profile.supportsJoin,
    rfRegion: profile.rfRegion,
    supports32BitFCnt: profile.supports32bitFCnt,
    adrAlgorithmID: profile.adrAlgorithmId,
    geolocBufferTTL: 0,
    geolocMinBufferSize: 0,
  };
}
