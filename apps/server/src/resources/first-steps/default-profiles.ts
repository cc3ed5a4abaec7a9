import { complete, type DeviceProfile, ServiceProfile } from '@hilltop/contract';
import type { Region } from '@hilltop/lorawan';
import { usualProfile } from '../device-profile/defaults.ts';

/** The service-profile and the device-profiles that most users need at a network server. */
export function usualSet(networkServer: { id: number; name: string }, band: Region) {
  const profileName = networkServer.name.replace(/ \(embedded\)$/, '');
  const networkServerID = String(networkServer.id);
  const serviceProfile: ServiceProfile = complete(ServiceProfile, {
    name: profileName,
    networkServerID,
    addGWMetaData: true,
    devStatusReqFreq: 1,
    reportDevStatusBattery: true,
    reportDevStatusMargin: true,
    drMin: band.uplinkDataRates[0],
    drMax: band.maxADRDataRate,
  });
  const usual = { ...usualProfile(band), networkServerID };
  const kinds: [name: string, Partial<DeviceProfile>][] = [
    ['OTAA class A 1.0.3', {}],
    ['OTAA class A 1.0.4', { macVersion: '1.0.4', regParamsRevision: 'RP002-1.0.1' }],
    ['OTAA class C', { supportsClassC: true, classCTimeout: 30 }],
    ['ABP class A', { supportsJoin: false }],
  ];
  return {
    serviceProfile,
    deviceProfiles: kinds.map(([name, kind]) => ({ ...usual, ...kind, name: `${profileName} ${name}` })),
  };
}
