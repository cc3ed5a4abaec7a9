import { type Operation, operations, type RequestOf } from '@hilltop/contract';
import { anyFrameToJson } from '@hilltop/lorawan';
import type { FrameRemarks } from '@hilltop/network-server';
import { formatTimestamp, gw, type ns, type Timestamp, toJson } from '@hilltop/protobuf';
import type { Bus } from './bus/bus.ts';
import type { Database } from './database/database.ts';
import { watchEvents } from './events/history.ts';
import type { MissedEvents } from './events/missed.ts';
import type { LiveSource, LiveSources } from './http/live-stream.ts';
import type { Metrics } from './metrics.ts';
import type { Networks } from './network/network-servers.ts';
import { watchDeliveries } from './resources/delivery/watch.ts';
import { type DeviceNamesByEUI, remarksJSON } from './resources/device/frame-remarks.ts';
import { loadDevice, namesOfDevices } from './resources/device/store.ts';
import { loadGateway } from './resources/gateway/store.ts';

type Logged = ns.StreamFrameLogsForDeviceResponse & FrameRemarks;
type Frames = AsyncIterable<Logged>;

interface LiveSourcesDependencies {
  database: Database;
  bus: Bus;
  networks: Networks;
  config: { eventHistory: number };
  /** Undefined for a single process. */
  missedEvents: MissedEvents | undefined;
  metrics: Metrics;
}

/** The source of the items of each streaming operation, by the key of the operation. */
export function liveSources(needs: LiveSourcesDependencies & Parameters<typeof watchDeliveries>[0]): LiveSources {
  const { database, bus, networks, config, missedEvents, metrics } = needs;
  return Object.fromEntries([
    source(operations.device.streamEventLogs, async ({ devEUI }, push, signal) => {
      await loadDevice(database, devEUI);
      const watching = { database, bus, missedEvents, metrics, historySize: config.eventHistory };
      const stop = await watchEvents(watching, devEUI, push);
      await aborted(signal);
      stop();
    }),
    source(operations.device.streamFrameLogs, async ({ devEUI }, push, signal) => {
      const { network_server_id, application_id } = await loadDevice(database, devEUI);
      const network = await networks.of(network_server_id);
      const frames: Frames = network.streamFrameLogsForDevice({ devEui: Uint8Array.fromHex(devEUI) }, signal);
      const time = neverBack();
      const namesOf = (devEUIs: readonly string[]) =>
        namesOfDevices(database, devEUIs, { applicationID: application_id });
      for await (const frame of frames) {
        if (signal.aborted) return;
        const names: DeviceNamesByEUI = frame.relays ? await namesOf(frame.relays) : new Map();
        push(toFrameLog(frame, { time, macCommandsDecoded: true, beside: remarksJSON(frame, names) }));
      }
    }),
    source(operations.gateway.streamFrameLogs, async ({ gatewayID }, push, signal) => {
      const network = await networks.of((await loadGateway(database, gatewayID)).network_server_id);
      const time = neverBack();
      const frames = network.streamFrameLogsForGateway({ gatewayId: Uint8Array.fromHex(gatewayID) }, signal);
      for await (const frame of frames) {
        if (signal.aborted) return;
        push(toFrameLog(frame, { time, macCommandsDecoded: false, beside: {} }));
      }
    }),
    source(operations.delivery.streamLog, (request, push, signal) => watchDeliveries(needs, request, push, signal)),
  ]);
}

function source<O extends Operation>(
  operation: O,
  run: (request: RequestOf<O>, push: (item: object) => void, signal: AbortSignal) => Promise<void>,
): [key: string, LiveSource] {
  return [operation.key, (request, push, signal) => run(request as RequestOf<O>, push, signal)];
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

type Time = (at: Timestamp | null | undefined) => string | null;

/**
 * Times that never decrease: the clocks of instances differ, and viewers treat an entry that is older than the previous
 * one as known.
 */
function neverBack(): Time {
  let last: Timestamp | undefined;
  return (at) => {
    if (!at) return null;
    if (!last || at >= last) last = at;
    return formatTimestamp(last);
  };
}

/** A frame in the form of the API. Gateways also receive bytes that are not LoRaWAN frames. */
function toFrameLog(
  { uplinkFrameSet: up, downlinkFrame: down }: Logged,
  { time: timeOf, macCommandsDecoded, beside }: { time: Time; macCommandsDecoded: boolean; beside: object },
): object {
  const time = timeOf(up?.publishedAt ?? down?.publishedAt);
  const shown = (bytes: Uint8Array, direction: 'up' | 'down') =>
    JSON.stringify({ ...anyFrameToJson(bytes, { macCommandsDecoded, direction }), ...beside });
  if (up)
    return {
      uplinkFrame: {
        txInfo: up.txInfo && toJson(gw.UplinkTXInfo, up.txInfo),
        rxInfo: up.rxInfo.map((one) => toJson(gw.UplinkRXInfo, one)),
        phyPayloadJSON: shown(up.phyPayload, 'up'),
        publishedAt: time,
      },
    };
  if (!down) return {};
  const txInfo = down.txInfo && toJson(gw.DownlinkTXInfo, down.txInfo);
  const phyPayloadJSON = shown(down.phyPayload, 'down');
  return { downlinkFrame: { txInfo, phyPayloadJSON, gatewayID: down.gatewayID.toHex(), publishedAt: time } };
}
