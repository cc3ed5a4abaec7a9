/** What an uplink of a device would look like on the air, for simulated uplinks. Nothing is changed. */
import { maxPayloadSize, modulationOf, uplinkChannels } from '@hilltop/lorawan';
import { create, gw } from '@hilltop/protobuf';
import type { Network } from '../network/network.ts';

/** The session of a device as a simulated uplink needs it. */
export interface SimulatedRadio {
  devAddr: string;
  /** Whether real uplinks are ignored. */
  isDisabled: boolean;
  /** The counter of the last accepted uplink; 0 before the first one. */
  lastFCntUp: number;
  adr: boolean;
  /** Data-rate of the last uplink. */
  dr: number;
  /** Whether the service-profile adds the metadata of gateways to events. */
  addGwMetadata: boolean;
  /** The data-rates with which the device may send now. */
  dataRates: SimulatedDataRate[];
}

export interface SimulatedDataRate {
  dr: number;
  /** The longest payload without MAC commands. */
  maxBytes: number;
  /** The first enabled channel that allows the data-rate. */
  channel: number;
  txInfo: gw.UplinkTXInfo;
}

/** Null: the device has no session. */
export async function simulatedRadioOf(network: Network, devEUI: string): Promise<SimulatedRadio | null> {
  const { current: session } = await network.state.sessions(devEUI);
  const device = await network.state.get('device', devEUI);
  if (!session || !device) return null;
  const [deviceProfile, serviceProfile] = await Promise.all([
    network.state.get('deviceProfile', device.deviceProfileID),
    network.state.get('serviceProfile', device.serviceProfileID),
  ]);
  if (!deviceProfile || !serviceProfile) return null;
  const { region } = network;
  const channels = uplinkChannels(region, session.extraChannels).filter(({ index }) =>
    session.enabledChannels.includes(index),
  );
  const { macVersion } = session;
  const dwell = session.uplinkDwellTime400ms;
  const dataRates: SimulatedDataRate[] = [];
  for (const name of Object.keys(region.dataRates)) {
    const dr = Number(name);
    const channel = channels.find(({ minDR, maxDR }) => minDR <= dr && dr <= maxDR);
    const size = maxPayloadSize(region, macVersion, deviceProfile.regParamsRevision, dr, { dwell });
    if (!channel || !size || !region.dataRates[dr]?.uplink) continue;
    const txInfo = txInfoOf(network, channel.frequency, dr);
    dataRates.push({ dr, maxBytes: size.n, channel: channel.index, txInfo });
  }
  const { devAddr, adr, dr, fCntUp } = session;
  const { isDisabled } = device;
  const { addGwMetadata } = serviceProfile;
  return { devAddr, isDisabled, lastFCntUp: Math.max(fCntUp - 1, 0), adr, dr, addGwMetadata, dataRates };
}

function txInfoOf({ region }: Network, frequency: number, dr: number): gw.UplinkTXInfo {
  const given = modulationOf(region, dr);
  switch (given.modulation) {
    case 'LORA': {
      const { bandwidth, spreadingFactor } = given;
      const loRaModulationInfo = { bandwidth, spreadingFactor, codeRate: '4/5' };
      return create(gw.UplinkTXInfo, { frequency, modulation: 'LORA', loRaModulationInfo });
    }
    case 'FSK':
      return create(gw.UplinkTXInfo, {
        frequency,
        modulation: 'FSK',
        fskModulationInfo: { datarate: given.datarate, frequencyDeviation: given.datarate / 2 },
      });
    case 'LR_FHSS': {
      const { operatingChannelWidth, codeRate } = given;
      return create(gw.UplinkTXInfo, {
        frequency,
        modulation: 'LR_FHSS',
        lrFHSSModulationInfo: { operatingChannelWidth, codeRate },
      });
    }
  }
}
