/** Runs a planned network: connects its gateways and starts its devices. */
import { type Bridge, startBridge } from './bridge/bridge.ts';
import type { Clock } from './clock.ts';
import type { Device } from './device/device.ts';
import { createDevice } from './device/device.ts';
import type { Gateway } from './gateway.ts';
import { startGateway } from './gateway.ts';
import type { SimulatedNetwork } from './network.ts';
import { createNetwork } from './network.ts';
import type { DeviceDescription, NetworkPlan } from './plan.ts';
import type { Random } from './random.ts';
import { sensorNamed } from './sensors/sensors.ts';
import { type Station, startStation } from './station/station.ts';
import type { Talker, Traffic } from './traffic.ts';
import { startTraffic } from './traffic.ts';

export interface SimulationOptions {
  /** `host:port` of Semtech UDP. With several servers, gateways are distributed among them. */
  server: string | readonly string[];
  /** `ws://host:port` of Basics Station. If set, every fifth gateway of the plan is a station. */
  stationServer?: string;
  /** `mqtt://host:port` and an API key. If set, every fifth gateway uses MQTT, alternating between both versions. */
  broker?: { server: string; password: string };
  plan: NetworkPlan;
  /** Uplinks per second of all sensors; without it each sensor has its default interval. */
  rate?: number;
  /** The devices start at random times within this. */
  startWithinMs?: number;
  clock?: Clock;
  random?: Random;
}

export interface Simulation extends AsyncDisposable {
  readonly gateways: readonly Gateway[];
  readonly stations: readonly Station[];
  readonly bridges: readonly Bridge[];
  readonly devices: readonly Device[];
  readonly network: SimulatedNetwork;
  readonly counts: Traffic['counts'];
  stop(): Promise<void>;
}

export async function startSimulation(options: SimulationOptions): Promise<Simulation> {
  const { stationServer, broker, plan, rate, startWithinMs } = options;
  const servers = [options.server].flat();
  const surroundings = {
    ...(options.clock && { clock: options.clock }),
    ...(options.random && { random: options.random }),
  };
  const isStation = (nth: number) => stationServer !== undefined && nth % 5 === 4;
  const isBridge = (nth: number) => broker !== undefined && nth % 5 === 3;
  const gateways = await Promise.all(
    plan.gateways
      .filter((_, nth) => !isStation(nth) && !isBridge(nth))
      .map(({ gatewayID, ...position }, nth) =>
        startGateway({ server: servers[nth % servers.length]!, gatewayID, position, ...surroundings }),
      ),
  );
  const stations = plan.gateways
    .filter((_, nth) => isStation(nth))
    .map(({ gatewayID, ...position }) =>
      startStation({
        server: stationServer ?? '',
        gatewayID,
        position,
        ...(options.clock && { clock: options.clock }),
      }),
    );
  const bridges = plan.gateways
    .filter((_, nth) => isBridge(nth))
    .map(({ gatewayID, ...position }, nth) =>
      startBridge({
        server: broker?.server ?? '',
        connection: { username: gatewayID, password: broker?.password ?? '' },
        gatewayID,
        position,
        ...(nth % 2 === 1 && { format: { version: 4, encoding: 'json' }, prefix: plan.region.toLowerCase() }),
        ...(options.clock && { clock: options.clock }),
      }),
    );
  // Reports at once, so that each gateway counts as seen.
  for (const gateway of [...gateways, ...bridges]) void gateway.sendStat();
  const network = createNetwork({ gateways: [...gateways, ...stations, ...bridges], ...surroundings });
  const talkers = plan.devices.map((description) => talkerOf(description, plan.region, options.random));
  for (const [index, talker] of talkers.entries()) network.setPosition(talker.device, placeOf(plan.devices[index]!));
  const traffic = startTraffic({
    network,
    talkers,
    ...(rate !== undefined && { rate }),
    ...(startWithinMs !== undefined && { startWithinMs }),
    ...surroundings,
  });

  async function stop(): Promise<void> {
    traffic.stop();
    network.stop();
    await Promise.all([...gateways, ...stations, ...bridges].map((gateway) => gateway.stop()));
  }

  return {
    gateways,
    stations,
    bridges,
    devices: talkers.map(({ device }) => device),
    network,
    counts: traffic.counts,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** The device of a description, with its sensor. */
export function talkerOf(description: DeviceDescription, region: string, random: Random = Math.random): Talker {
  const { sensor, session, confirmedShare = 0, nwkKey, appKey, wrongKey = false, classB, classC = false } = description;
  const { devEUI, joinEUI, macVersion, groups = [] } = description;
  const kind = sensorNamed(sensor);
  const device = createDevice({
    devEUI,
    joinEUI,
    macVersion,
    region,
    wrongKey,
    classC,
    groups,
    random,
    ...(classB && { classB }),
    ...(nwkKey && { nwkKey }),
    ...(appKey && { appKey }),
    ...(session && { session: { devAddr: session.devAddr, keys: session } }),
    battery: batteryOf(random()),
  });
  return { device, probe: kind.start(random), intervalSeconds: kind.intervalSeconds, confirmedShare };
}

/** A few devices have a low battery. In the unit of a device status: 254 is full. */
const batteryOf = (share: number): number =>
  share < 0.03 ? 10 + Math.floor(share * 1000) : 120 + Math.floor(share * 134);

function placeOf({ latitude, longitude, lossDb = 0 }: DeviceDescription) {
  if (latitude === undefined || longitude === undefined) return { lossDb };
  return { position: { latitude, longitude }, lossDb };
}
