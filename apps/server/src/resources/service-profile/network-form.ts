import type { ServiceProfile } from '@hilltop/contract';
import type { ns } from '@hilltop/protobuf';
import { uuidBytes } from '../../identifiers.ts';

/** A service-profile as network servers store it: everything but name and owner. */
export function toNetworkForm(id: string, profile: ServiceProfile): ns.ServiceProfile {
  return {
    id: uuidBytes(id),
    ulRate: profile.ulRate,
    ulBucketSize: profile.ulBucketSize,
    ulRatePolicy: profile.ulRatePolicy,
    dlRate: profile.dlRate,
    dlBucketSize: profile.dlBucketSize,
    dlRatePolicy: profile.dlRatePolicy,
    addGwMetadata: profile.addGWMetaData,
    devStatusReqFreq: profile.devStatusReqFreq,
    reportDevStatusBattery: profile.reportDevStatusBattery,
    reportDevStatusMargin: profile.reportDevStatusMargin,
    drMin: profile.drMin,
    drMax: profile.drMax,
    channelMask: Uint8Array.fromBase64(profile.channelMask ?? ''),
    prAllowed: profile.prAllowed,
    hrAllowed: profile.hrAllowed,
    raAllowed: profile.raAllowed,
    nwkGeoLoc: profile.nwkGeoLoc,
    targetPer: profile.targetPER,
    minGwDiversity: profile.minGWDiversity,
    gwsPrivate: profile.gwsPrivate,
  };
}

/** The reverse of `toNetworkForm`. */
export function fromNetworkForm(
  profile: ns.ServiceProfile,
): Omit<ServiceProfile, 'id' | 'name' | 'organizationID' | 'networkServerID'> {
  return {
    ulRate: profile.ulRate,
    ulBucketSize: profile.ulBucketSize,
    ulRatePolicy: profile.ulRatePolicy,
    dlRate: profile.dlRate,
    dlBucketSize: profile.dlBucketSize,
    dlRatePolicy: profile.dlRatePolicy,
    addGWMetaData: profile.addGwMetadata,
    devStatusReqFreq: profile.devStatusReqFreq,
    reportDevStatusBattery: profile.reportDevStatusBattery,
    reportDevStatusMargin: profile.reportDevStatusMargin,
    drMin: profile.drMin,
    drMax: profile.drMax,
    channelMask: profile.channelMask.length === 0 ? null : profile.channelMask.toBase64(),
    prAllowed: profile.prAllowed,
    hrAllowed: profile.hrAllowed,
    raAllowed: profile.raAllowed,
    nwkGeoLoc: profile.nwkGeoLoc,
    targetPER: profile.targetPer,
    minGWDiversity: profile.minGwDiversity,
    gwsPrivate: profile.gwsPrivate,
  };
}
