/** Realistic networks as data: gateways around a town, devices within their reach, and all keys. */
import { region as regionOf, rx2Defaults } from '@hilltop/lorawan';
import type { Position } from './radio.ts';
import type { Random } from './random.ts';
import { below, randomBytes } from './random.ts';
import { sensorKinds } from './sensors/sensors.ts';

export interface GatewayDescription {
  gatewayID: string;
  name: string;
  latitude: number;
  longitude: number;
  altitude: number;
}

/** Identifiers and keys are hex text. A 1.0 device has one root key, its AppKey, as `nwkKey`; 1.1 has both. */
export interface DeviceDescription {
  devEUI: string;
  joinEUI: string;
  name: string;
  macVersion: string;
  /** The name of a sensor kind. */
  sensor: string;
  nwkKey?: string;
  appKey?: string;
  /** The session of an ABP device, instead of root keys. */
  session?: { devAddr: string; nwkSKey: string; appSKey: string };
  latitude?: number;
  longitude?: number;
  /** The loss by walls, in dB. */
  lossDb?: number;
  /** The share of confirmed uplinks, 0 to 1. */
  confirmedShare?: number;
  wrongKey?: boolean;
  classC?: boolean;
  classB?: { periodicity: number };
  /** Multicast groups that the device belongs to. */
  groups?: GroupDescription[];
}

export interface GroupDescription {
  name: string;
  mcAddr: string;
  nwkSKey: string;
  appSKey: string;
  frequency: number;
  dr: number;
}

export interface NetworkPlan {
  region: string;
  gateways: GatewayDescription[];
  devices: DeviceDescription[];
}

export interface PlanOptions {
  gateways: number;
  devices: number;
  random: Random;
  region?: string;
  center?: Position;
}

const kilometrePerDegree = 111.2;
const spots = [
  'town hall',
  'water tower',
  'station',
  'library',
  'harbour',
  'church',
  'silo',
  'school',
  'mill',
  'depot',
];

/**
 * A network around a town: gateways up to five kilometres out, every device near one of them. One device in twelve is
 * behind thick walls, one in four uses LoRaWAN 1.1, one in eight is in class B, and the last one has a wrong key.
 * Devices of class C are in one multicast group.
 */
export function planNetwork({ random, region = 'EU868', ...options }: PlanOptions): NetworkPlan {
  const center = options.center ?? { latitude: 52.09, longitude: 5.12 };
  const gateways = Array.from({ length: options.gateways }, (_, nth) => planGateway(nth, center, random));
  const devices = Array.from({ length: options.devices }, (_, nth) => {
    const nearest = gateways[below(random, gateways.length)] ?? center;
    const isLast = nth === options.devices - 1 && nth > 0;
    return planDevice(nth, around(nearest, 0.1, 1.8, random), isLast, random);
  });
  const lights = planGroup('street-lights', rx2Defaults(regionOf(region)), random);
  for (const device of devices) if (device.classC) device.groups = [lights];
  return { region: regionOf(region).name, gateways, devices };
}

function planGateway(nth: number, center: Position, random: Random): GatewayDescription {
  const round = Math.floor(nth / spots.length);
  const spot = spots[nth % spots.length]!;
  return {
    gatewayID: `b827ebfffe${randomBytes(random, 3).toHex()}`,
    name: round === 0 ? spot : `${spot} ${round + 1}`,
    ...around(center, nth === 0 ? 0 : 0.8, nth === 0 ? 0.2 : 5, random),
    altitude: 15 + below(random, 40),
  };
}

function planDevice(nth: number, position: Position, hasWrongKey: boolean, random: Random): DeviceDescription {
  const kind = sensorKinds[nth % sensorKinds.length]!;
  const is11 = nth % 4 === 3;
  return {
    devEUI: `0004a3${randomBytes(random, 2).toHex()}${hexNumber(nth, 6)}`,
    joinEUI: '70b3d57ed0000000',
    name: `${kind.name}-${String(Math.floor(nth / sensorKinds.length) + 1).padStart(2, '0')}`,
    macVersion: is11 ? '1.1.0' : '1.0.3',
    sensor: kind.name,
    nwkKey: randomBytes(random, 16).toHex(),
    ...(is11 && { appKey: randomBytes(random, 16).toHex() }),
    latitude: position.latitude,
    longitude: position.longitude,
    ...(nth % 12 === 5 && { lossDb: 12 + below(random, 10) }),
    ...(nth % 5 === 2 && { confirmedShare: 0.3 }),
    ...(nth % 8 === 6 && !kind.isClassC && { classB: { periodicity: 4 } }),
    ...(hasWrongKey && { wrongKey: true }),
    ...(kind.isClassC && { classC: true }),
  };
}

/** Devices of class C listen on RX2 all the time, and so do their groups. */
function planGroup(name: string, rx2: { frequency: number; dataRate: number }, random: Random): GroupDescription {
  const [mcAddr, nwkSKey, appSKey] = [randomBytes(random, 4), randomBytes(random, 16), randomBytes(random, 16)];
  const keys = { nwkSKey: nwkSKey.toHex(), appSKey: appSKey.toHex() };
  return { name, mcAddr: mcAddr.toHex(), ...keys, frequency: rx2.frequency, dr: rx2.dataRate };
}

/** A random point between two distances (km) from another. */
function around(center: Position, from: number, to: number, random: Random): { latitude: number; longitude: number } {
  const angle = random() * 2 * Math.PI;
  const km = from + Math.sqrt(random()) * (to - from);
  const perLongitude = kilometrePerDegree * Math.cos((center.latitude * Math.PI) / 180);
  return {
    latitude: Number((center.latitude + (km * Math.cos(angle)) / kilometrePerDegree).toFixed(6)),
    longitude: Number((center.longitude + (km * Math.sin(angle)) / perLongitude).toFixed(6)),
  };
}

function hexNumber(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
