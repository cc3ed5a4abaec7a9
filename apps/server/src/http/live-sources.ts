import { type Operation, operations, type RequestOf } from '@hilltop/contract';
import { anyFrameToJson } from '@hilltop/lorawan';
import { formatTimestamp, gw, type ns, toJson } from '@hilltop/protobuf';
import { watchEvents } from '../events/history.ts';
import type { Needs } from '../needs.ts';
import { loadDevice } from '../resources/device/store.ts';
import { loadGateway } from '../resources/gateway/store.ts';

/** Pushes items until the signal aborts or there are no more. */
export type LiveSource = (request: unknown, push: (item: object) => void, signal: AbortSignal) => Promise<void>;

type Frames = AsyncIterable<ns.StreamFrameLogsForDeviceResponse>;

/** Where each streaming operation's items come from. */
export function liveSources({ database, bus, networks, config }: Needs): Record<string, LiveSource> {
  return Object.fromEntries([
    source(operations.device.streamEventLogs, async ({ devEUI }, push, signal) => {
      await loadDevice(database, devEUI);
      const stop = await watchEvents({ database, bus, historySize: config.eventHistory }, devEUI, push);
      await aborted(signal);
      stop();
    }),
    source(operations.device.streamFrameLogs, async ({ devEUI }, push, signal) => {
      const network = await networks.of((await loadDevice(database, devEUI)).network_server_id);
      const frames = network.streamFrameLogsForDevice({ devEui: Uint8Array.fromHex(devEUI) }, signal);
      await pushFrames(frames, true, push, signal);
    }),
    source(operations.gateway.streamFrameLogs, async ({ gatewayID }, push, signal) => {
      const network = await networks.of((await loadGateway(database, gatewayID)).network_server_id);
      const frames = network.streamFrameLogsForGateway({ gatewayId: Uint8Array.fromHex(gatewayID) }, signal);
      await pushFrames(frames, false, push, signal);
    }),
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

async function pushFrames(
  frames: Frames,
  macCommandsDecoded: boolean,
  push: (item: object) => void,
  signal: AbortSignal,
): Promise<void> {
  for await (const frame of frames) {
    if (signal.aborted) return;
    push(toFrameLog(frame, macCommandsDecoded));
  }
}

/** As the API shows it. Gateways also hear bytes that are no LoRaWAN frame. */
function toFrameLog(
  { uplinkFrameSet: up, downlinkFrame: down }: ns.StreamFrameLogsForDeviceResponse,
  macCommandsDecoded: boolean,
): object {
  const publishedAt = up?.publishedAt ?? down?.publishedAt;
  const time = publishedAt ? formatTimestamp(publishedAt) : null;
  const shown = (bytes: Uint8Array, direction: 'up' | 'down') =>
    JSON.stringify(anyFrameToJson(bytes, { macCommandsDecoded, direction }));
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
