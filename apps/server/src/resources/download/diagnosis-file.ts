import { type EventNote, type EventPayloads, operations, type PartOf, type RequestOf } from '@hilltop/contract';
import { version } from '../../version.ts';
import type { CallForFile, DownloadFile } from './file.ts';
import { pagesOf, type StoredEvent } from './history-file.ts';

type HistoryRequest = RequestOf<typeof operations.history.list>;

const mostEvents = 1000;
const mostGateways = 50;

/**
 * What support needs to know of a device: no keys, and no values of variables, which integrations use for tokens. Parts
 * that the person may not read are null.
 */
export function diagnosisFile({ devEUI }: HistoryRequest, call: CallForFile): DownloadFile {
  return { name: `device-${devEUI}-diagnosis.json`, parts: diagnosis(devEUI, call) };
}

async function* diagnosis(devEUI: string, call: CallForFile): AsyncGenerator<string> {
  const events = await newestEvents(devEUI, call);
  const device = await call(operations.device.get, { devEUI, include: 'state' });
  const profileID = device?.device.deviceProfileID;
  const profile = profileID && (await call(operations.deviceProfile.get, { id: profileID }));
  const content = {
    server: { version },
    device: device && { ...device, device: { ...device.device, variables: Object.keys(device.device.variables) } },
    deviceProfile: profile || null,
    loss: lossOf(events),
    gateways: await gatewaysOf(events, call),
    events: events.map(({ payloadJSON, noteJSON, ...event }) => ({
      ...event,
      payload: JSON.parse(payloadJSON) as unknown,
      note: noteJSON === '' ? null : (JSON.parse(noteJSON) as unknown),
    })),
  };
  yield JSON.stringify(content, null, 2);
}

async function newestEvents(devEUI: string, call: CallForFile): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const page of pagesOf(operations.history.list, { devEUI } as HistoryRequest, call)) {
    events.push(...page);
    if (events.length >= mostEvents) break;
  }
  return events.slice(0, mostEvents);
}

/** Of the uplinks in the file. */
function lossOf(events: readonly StoredEvent[]) {
  const uplinks = events.filter(({ kind }) => kind === 'up');
  const lost = uplinks.reduce((sum, { noteJSON }) => sum + ((JSON.parse(noteJSON || '{}') as EventNote).lost ?? 0), 0);
  return { uplinks: uplinks.length, lost };
}

/** The gateways that received these uplinks, the ones with most uplinks first, with what the person may read of them. */
async function gatewaysOf(events: readonly StoredEvent[], call: CallForFile) {
  const uplinks = new Map<string, number>();
  for (const { payloadJSON } of events)
    for (const { gatewayID } of (JSON.parse(payloadJSON) as PartOf<EventPayloads['up']>).rxInfo ?? []) {
      const id = Buffer.from(gatewayID ?? '', 'base64').toString('hex');
      uplinks.set(id, (uplinks.get(id) ?? 0) + 1);
    }
  const most = [...uplinks].sort(([, one], [, other]) => other - one).slice(0, mostGateways);
  return Promise.all(
    most.map(async ([gatewayID, received]) => {
      const found = await call(operations.gateway.get, { id: gatewayID, include: 'connection' });
      const state = found && {
        name: found.gateway.name,
        location: found.gateway.location,
        firstSeenAt: found.firstSeenAt,
        lastSeenAt: found.lastSeenAt,
        connection: found.connection ?? null,
      };
      return { gatewayID, uplinks: received, ...state };
    }),
  );
}
