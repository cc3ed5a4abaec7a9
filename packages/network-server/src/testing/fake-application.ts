import { cryptFRMPayload } from '@hilltop/lorawan';
import { type as, RpcError, type Status } from '@hilltop/protobuf';
import type { ApplicationServer, FrameReport, UplinkRadio } from '../ports/application-server.ts';
import type { DownlinkReport, ReportDownlink } from '../ports/downlink-reports.ts';
import type { JoinAnswerReport, JoinReports, JoinRequestReport, ReceivedJoinRequest } from '../ports/join-reports.ts';
import type { Effect } from '../state/effect.ts';

/** Records all messages to the application, with its AppSKeys. A message counts when its effect was committed. */
export interface FakeApplication extends ApplicationServer {
  readonly calls: ApplicationCall[];
  /** Reports on queued downlinks whose effect was committed. */
  readonly reports: DownlinkReport[];
  readonly reportDownlink: ReportDownlink;
  /** What was reported of joins: committed reports, and all of unknown senders. */
  readonly joins: ReportedJoins;
  readonly joinReports: JoinReports;
  /** Frames without a call of the service. */
  readonly frames: FrameReport[];
  /** Received frames without a device. */
  readonly proprietary: as.HandleProprietaryUplinkRequest[];
  apply(effect: Effect): void;
  /** By devEUI; set by the activation context of an uplink, or by a test. */
  readonly appSKeys: Map<string, Uint8Array>;
  /** Makes it fail, refuse with an RpcError, or answer again. */
  fail(error: Error): void;
  refuse(code: Status): void;
  accept(): void;
  /** Delays the answers to uplinks of that device until `until`. */
  hold(devEUI: string, until: Promise<void>): void;
  encrypt(devEUI: string, devAddr: string, fCnt: number, data: Uint8Array): Uint8Array;
}

export type ApplicationCall =
  | {
      event: 'up';
      devEUI: string;
      fCnt: number;
      fPort: number;
      text: string;
      rx: string[];
      request: as.HandleUplinkDataRequest;
      radio: UplinkRadio | undefined;
    }
  | { event: 'join'; devEUI: string; devAddr: string }
  | { event: 'error'; devEUI: string; type: as.ErrorType; error: string; fCnt: number }
  | { event: 'ack'; devEUI: string; fCnt: number; acknowledged: boolean }
  | { event: 'txack'; devEUI: string; fCnt: number; gatewayID: string; frequency: number }
  | { event: 'status'; devEUI: string; status: as.SetDeviceStatusRequest }
  | { event: 'location'; devEUI: string; location: as.SetDeviceLocationRequest['location']; uplinkIDs: string[] }
  | { event: 'stats'; gatewayID: string; stats: as.HandleGatewayStatsRequest };

interface ReportedEffect extends Effect {
  report: FrameReport;
}

interface ReportedJoins {
  readonly requests: JoinRequestReport[];
  readonly answers: JoinAnswerReport[];
  readonly unknownDevices: ReceivedJoinRequest[];
  readonly unknownDevAddrs: string[];
}

interface JoinEffect extends Effect {
  note: () => void;
}

interface RecordedEffect extends Effect {
  call: ApplicationCall;
}

interface RecordedReport extends Effect {
  downlink: DownlinkReport;
}

export function createFakeApplication(): FakeApplication {
  const calls: ApplicationCall[] = [];
  const reports: DownlinkReport[] = [];
  const proprietary: as.HandleProprietaryUplinkRequest[] = [];
  const frames: FrameReport[] = [];
  const joins: ReportedJoins = { requests: [], answers: [], unknownDevices: [], unknownDevAddrs: [] };
  const appSKeys = new Map<string, Uint8Array>();
  const addresses = new Map<string, string>();
  const held = new Map<string, Promise<void>>();
  let failure: Error | null = null;
  const record = (call: ApplicationCall): RecordedEffect => {
    if (failure) throw failure;
    return { about: call.event, call };
  };
  const crypt = (devEUI: string, devAddr: string, fCnt: number, direction: 'up' | 'down', data: Uint8Array) => {
    const key = appSKeys.get(devEUI);
    return key ? cryptFRMPayload(key, { devAddr, fCnt, direction }, data) : data;
  };

  return {
    calls,
    reports,
    reportDownlink: (downlink): RecordedReport => ({ about: downlink.step, downlink }),
    joins,
    joinReports: {
      request: (request): JoinEffect => ({ about: 'join-request', note: () => joins.requests.push(request) }),
      answer: (answer): JoinEffect => ({ about: 'join-accept', note: () => joins.answers.push(answer) }),
      unknownDevice: (request) => joins.unknownDevices.push(request),
      unknownDevAddr: (devAddr) => joins.unknownDevAddrs.push(devAddr),
    },
    proprietary,
    frames,
    appSKeys,
    fail(error) {
      failure = error;
    },
    refuse(code) {
      failure = new RpcError(code, 'The application does not want this.');
    },
    accept() {
      failure = null;
    },
    hold: (devEUI, until) => void held.set(devEUI, until),
    apply: (effect) => {
      if ('call' in effect) calls.push((effect as RecordedEffect).call);
      if ('downlink' in effect) reports.push((effect as RecordedReport).downlink);
      if ('note' in effect) (effect as JoinEffect).note();
      if ('report' in effect) frames.push((effect as ReportedEffect).report);
    },
    encrypt: (devEUI, devAddr, fCnt, data) => crypt(devEUI, devAddr, fCnt, 'down', data),
    async handleUplinkData(request, radio) {
      const devEUI = request.devEui.toHex();
      await held.get(devEUI);
      const { fCnt, fPort, deviceActivationContext: context } = request;
      if (context?.appSKey) appSKeys.set(devEUI, context.appSKey.aesKey);
      if (context) addresses.set(devEUI, context.devAddr.toHex());
      const rx = request.rxInfo.map(({ gatewayID }) => gatewayID.toHex());
      return record({ event: 'up', devEUI, fCnt, fPort, text: request.data.toHex(), rx, request, radio });
    },
    async handleJoin({ devEui, devAddr }) {
      return record({ event: 'join', devEUI: devEui.toHex(), devAddr: devAddr.toHex() });
    },
    async handleError({ devEui, type, error, fCnt }) {
      return record({ event: 'error', devEUI: devEui.toHex(), type, error, fCnt });
    },
    async handleDownlinkACK({ devEui, fCnt, acknowledged }) {
      return record({ event: 'ack', devEUI: devEui.toHex(), fCnt, acknowledged });
    },
    async handleTxAck({ devEui, fCnt, gatewayId, txInfo }) {
      const gatewayID = gatewayId.toHex();
      return record({ event: 'txack', devEUI: devEui.toHex(), fCnt, gatewayID, frequency: txInfo?.frequency ?? 0 });
    },
    async reportFrame(report) {
      if (failure) throw failure;
      return { about: 'frame', report } satisfies ReportedEffect;
    },
    async setDeviceStatus(status) {
      return record({ event: 'status', devEUI: status.devEui.toHex(), status });
    },
    async handleGatewayStats(stats) {
      return record({ event: 'stats', gatewayID: stats.gatewayId.toHex(), stats });
    },
    async handleProprietaryUplink(request) {
      proprietary.push(request);
      return { about: 'proprietary' };
    },
    async setDeviceLocation({ devEui, location, uplinkIds }) {
      const uplinkIDs = uplinkIds.map((one) => one.toHex());
      return record({ event: 'location', devEUI: devEui.toHex(), location, uplinkIDs });
    },
    async reEncryptDeviceQueueItems({ devEui, devAddr, fCntStart, items }, move) {
      if (failure) throw failure;
      const devEUI = devEui.toHex();
      const known = { devAddr: addresses.get(devEUI) ?? devAddr.toHex(), appSKey: appSKeys.get(devEUI) };
      return { items: reEncrypted(items, fCntStart, known, move) };
    },
  };
}

interface KnownActivation {
  devAddr: string;
  appSKey: Uint8Array | undefined;
}

/** The items under counters from `fCntStart` on, encrypted for the activation that `move` leads to. */
function reEncrypted(
  items: as.ReEncryptDeviceQueueItemsRequest['items'],
  fCntStart: number,
  known: KnownActivation,
  move: Parameters<ApplicationServer['reEncryptDeviceQueueItems']>[1],
) {
  const given = (one: as.DeviceActivationContext): KnownActivation => ({
    devAddr: one.devAddr.toHex(),
    appSKey: one.appSKey?.aesKey,
  });
  const from = move?.from ? given(move.from) : known;
  const to = move ? given(move.to) : from;
  const encrypt = ({ devAddr, appSKey }: KnownActivation, fCnt: number, data: Uint8Array) =>
    appSKey ? cryptFRMPayload(appSKey, { devAddr, fCnt, direction: 'down' }, data) : data;
  return items.map((item, index) => {
    const fCnt = fCntStart + index;
    return { ...item, fCnt, frmPayload: encrypt(to, fCnt, encrypt(from, item.fCnt, item.frmPayload)) };
  });
}
