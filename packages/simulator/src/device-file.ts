import type { DeviceDescription, GatewayDescription, NetworkPlan } from './plan.ts';
import { sensorKinds } from './sensors/sensors.ts';

/**
 * Reads the JSON of a device file: a list of devices, or a plan in which region and gateways are optional. @throws
 * Error that names the device and the missing field
 */
export function readDeviceFile(text: string): Partial<NetworkPlan> & Pick<NetworkPlan, 'devices'> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Error('The device file is not JSON.');
  }
  const plan = (Array.isArray(json) ? { devices: json } : json) as Partial<NetworkPlan> | null;
  if (!plan || !Array.isArray(plan.devices)) throw new Error('The device file has no list of devices.');
  return {
    ...(plan.region && { region: plan.region }),
    ...(plan.gateways && { gateways: plan.gateways.map(readGateway) }),
    devices: plan.devices.map(readDevice),
  };
}

function readGateway(given: Partial<GatewayDescription>, index: number): GatewayDescription {
  const { gatewayID = '', name = gatewayID, latitude, longitude, altitude = 0 } = given;
  if (!isHex(gatewayID, 8)) throw new Error(`Gateway ${index + 1}: gatewayID must be 16 hex digits.`);
  if (typeof latitude !== 'number' || typeof longitude !== 'number') {
    throw new Error(`Gateway ${gatewayID}: latitude and longitude must be numbers.`);
  }
  return { gatewayID, name, latitude, longitude, altitude };
}

function readDevice(given: Partial<DeviceDescription>, index: number): DeviceDescription {
  const { devEUI = '', joinEUI = '0000000000000000', macVersion = '1.0.3', session } = given;
  const name = given.name ?? devEUI;
  const sensor = given.sensor ?? sensorKinds[0]!.name;
  if (!isHex(devEUI, 8)) throw new Error(`Device ${index + 1}: devEUI must be 16 hex digits.`);
  if (!isHex(joinEUI, 8)) throw new Error(`Device ${devEUI}: joinEUI must be 16 hex digits.`);
  if (!sensorKinds.some((kind) => kind.name === sensor)) {
    throw new Error(`Device ${devEUI}: sensor must be one of ${sensorKinds.map((kind) => kind.name).join(', ')}.`);
  }
  if (!session && !isHex(given.nwkKey, 16)) throw new Error(`Device ${devEUI}: nwkKey must be 32 hex digits.`);
  if (given.appKey && !isHex(given.appKey, 16)) throw new Error(`Device ${devEUI}: appKey must be 32 hex digits.`);
  if (session && !(isHex(session.devAddr, 4) && isHex(session.nwkSKey, 16) && isHex(session.appSKey, 16))) {
    throw new Error(`Device ${devEUI}: session needs devAddr (8 hex digits), nwkSKey and appSKey (32 each).`);
  }
  return { ...given, devEUI, joinEUI, macVersion, name, sensor };
}

function isHex(text: unknown, bytes: number): text is string {
  return typeof text === 'string' && text.length === bytes * 2 && /^[0-9a-f]+$/i.test(text);
}
