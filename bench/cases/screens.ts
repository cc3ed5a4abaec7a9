import { writeSeries } from '../../apps/server/src/testing/write-series.ts';
import type { Case } from '../case.ts';
import { type BaseRecords, createBaseRecords, forEach, numbered } from '../driver/base-records.ts';
import { findBrowser, measurePage, openWindow } from '../driver/browser.ts';
import { deviceOf } from '../driver/fleet.ts';
import { pace } from '../driver/pace.ts';
import { type BenchServer, startServer } from '../driver/server.ts';
import { spreadOf } from '../driver/spread.ts';

const perSecond = 1000;

/** A long list and a busy live log in a real browser. */
export const screens: Case = async (bench) => {
  const executable = findBrowser();
  if (!executable) {
    bench.say('no browser: set CHROMIUM to the path of one');
    return { rows: [], measured: { skipped: 'no browser' } };
  }
  await using server = await startServer(bench);
  const ground = await createBaseRecords(server.client);
  await forEach(600, (index) =>
    server.client.device.create({ device: deviceOf(numbered('0d', index, 16), ground, ground.profiles.joining) }),
  );
  const [organization] = (await server.client.organization.list({ limit: 1 })).result;
  const application = `/organizations/${organization!.id}/applications/${ground.applicationID}`;

  bench.say('a list of 500 rows');
  const list = await longList(executable, server, application);
  bench.say('values of 7 and of 90 days');
  const values = await valueCharts(executable, server, application);
  bench.say(`a log at ${perSecond} events/s`);
  const log = await busyLog(executable, server, { application, ground, seconds: bench.quick ? 5 : 15 });
  return {
    rows: [
      {
        work: '500-row list, click to painted',
        before: '806 ms, 8.3k nodes',
        target: '250 ms',
        ours: `${list.ms} ms, ${(list.nodes / 1000).toFixed(1)}k nodes`,
      },
      {
        work: 'charts of 10 fields, click to painted: 7 days, 90 days',
        before: 'not available',
        target: '400 ms',
        ours: `${values.weekMs} ms, ${values.quarterMs} ms`,
      },
      {
        work: 'filtered live log at 1,000 events/s: frame p95, nodes, heap',
        before: 'breaks at 25 events/s',
        target: 'p95 33 ms, bounded memory',
        ours: `${log.frames.p95} ms, ${(log.nodes / 1000).toFixed(1)}k nodes, ${log.heapMB} MB`,
      },
    ],
    measured: { list, values, log },
  };
};

const valueFields = 10;
const valuePauseMs = 600_000;
const valueDays = 90;

/** Times from the clicks on the tab of values and on another range until the first charts are painted. */
async function valueCharts(executable: string, server: BenchServer, application: string) {
  const devEUI = numbered('0d', 1, 16);
  const begin = Date.now() - valueDays * 86_400_000;
  const uplinks = Array.from({ length: (valueDays * 86_400_000) / valuePauseMs }, (_, index) => ({
    at: begin + index * valuePauseMs,
    decoded: Object.fromEntries(
      Array.from({ length: valueFields }, (__, field) => [
        `value${field}`,
        Math.round(Math.sin(index / 40 + field) * 1000 + index) / 10,
      ]),
    ),
    note: { bestRSSI: -80 - (index % 9), bestSNR: 7.5, gatewayCount: 2, airtimeMs: 61.7 },
  }));
  await writeSeries(server.hilltop.data, devEUI, uplinks);
  await using window = await openWindow(executable, server);
  const { page } = window;
  await page.goto(`${server.hilltop.url}${application}/devices/${devEUI}`);
  const tab = `main a[href$="${devEUI}/values"]`;
  await page.locator(tab).first().waitFor();
  await page.waitForLoadState('networkidle');
  const week = await page.evaluate(clickAndWaitForCharts, tab);
  await page.waitForLoadState('networkidle');
  const quarter = await page.evaluate(clickAndWaitForCharts, 'main input[value="90d"]');
  return { weekMs: Math.round(week), quarterMs: Math.round(quarter) };
}

/** Runs in the page: ms from the click until two frames after a chart with other figures appears. */
function clickAndWaitForCharts(link: string): Promise<number> {
  const labelOf = () => document.querySelector('main canvas')?.getAttribute('aria-label');
  const before = labelOf();
  const from = performance.now();
  document.querySelector<HTMLElement>(link)!.click();
  return new Promise((resolve) => {
    const look = () => {
      const label = labelOf();
      if (!label || label === before) requestAnimationFrame(look);
      else requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - from)));
    };
    look();
  });
}

/** Time from the click on an application until the list of 500 rows is painted. */
async function longList(executable: string, server: BenchServer, application: string) {
  await using window = await openWindow(executable, server);
  const { page } = window;
  // Opens the screen before the list; the page size was chosen earlier.
  await page.goto(`${server.hilltop.url}${application.replace(/\/[^/]*$/, '')}`);
  await page.evaluate(() => localStorage.setItem('rowsPerPage', '500'));
  const link = `main a[href^="${application}"]`;
  await page.locator(link).first().waitFor();
  // A user reads the page before the click.
  await page.waitForLoadState('networkidle');
  const ms = await page.evaluate(clickAndWait, link);
  return { ms: Math.round(ms), ...(await measurePage(window)) };
}

/** Runs in the page: ms from the click until two frames after the rows appear. */
function clickAndWait(link: string): Promise<number> {
  const from = performance.now();
  document.querySelector<HTMLAnchorElement>(link)!.click();
  return new Promise((resolve) => {
    const look = () => {
      const isThere = [...document.querySelectorAll('main tbody a')].some((a) => a.textContent.startsWith('device-'));
      if (!isThere) requestAnimationFrame(look);
      else requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - from)));
    };
    look();
  });
}

interface Watched {
  application: string;
  ground: BaseRecords;
  seconds: number;
}

const eventsAtOnce = 10;

/** Generates the events in the page, for header and log alike, so that neither the server nor the debugger limits it. */
async function busyLog(executable: string, server: BenchServer, { application, seconds }: Watched) {
  await using window = await openWindow(executable, server);
  const { page } = window;
  const devEUI = numbered('0d', 0, 16);
  await page.addInitScript(replaceEventSockets);
  await page.goto(`${server.hilltop.url}${application}/devices/${devEUI}/data?kind=up&q=moisture`);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.evaluate(countFrames);
  let fed: Promise<unknown> = Promise.resolve();
  let texts: string[] = [];
  await pace(perSecond, perSecond * seconds, (index) => {
    texts.push(eventOf(devEUI, index));
    if (texts.length < eventsAtOnce) return;
    const batch = texts;
    texts = [];
    fed = fed.then(() => page.evaluate(feedEvents, batch));
  });
  await fed;
  await page.waitForFunction(
    (last) => document.querySelector('main')?.textContent.includes(last),
    `FCnt ${perSecond * seconds - 1}`,
  );
  const frames = await page.evaluate(() => (globalThis as unknown as { frames: number[] }).frames);
  return { frames: spreadOf(frames), ...(await measurePage(window)) };
}

type EventSocket = Pick<WebSocket, 'close' | 'onopen' | 'onmessage'>;

/** Runs in the page: streams of events are open and receive what `feedEvents` sends. */
function replaceEventSockets(): void {
  const sockets: EventSocket[] = Object.assign(globalThis, { eventSockets: [] as EventSocket[] }).eventSockets;
  const Real = WebSocket;
  function Socket(url: URL, protocols: string[]) {
    if (!url.pathname.endsWith('/events')) return new Real(url, protocols);
    const socket: EventSocket = { close: () => {}, onopen: null, onmessage: null };
    sockets.push(socket);
    setTimeout(() => socket.onopen?.call(socket as WebSocket, new Event('open')));
    return socket;
  }
  Object.assign(globalThis, { WebSocket: Socket });
}

/** Runs in the page: each event is a task, as each message of a websocket is. */
function feedEvents(texts: readonly string[]): void {
  const { eventSockets } = globalThis as unknown as { eventSockets: WebSocket[] };
  for (const data of texts) {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      for (const socket of eventSockets) socket.onmessage?.(new MessageEvent('message', { data }));
      port1.close();
    };
    port2.postMessage(null);
  }
}

/** Runs in the page: records the times between frames. */
function countFrames(): void {
  const frames: number[] = Object.assign(globalThis, { frames: [] as number[] }).frames;
  let before = performance.now();
  const frame = (at: number) => {
    frames.push(at - before);
    before = at;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

function eventOf(devEUI: string, index: number): string {
  const publishedAt = new Date().toISOString();
  const payload = {
    applicationID: '1',
    applicationName: 'bench',
    deviceName: 'bench',
    fCnt: index,
    fPort: 10,
    data: 'AOE=',
    adr: true,
    dr: 5,
    objectJSON: '{"moisture":22.5,"temperature":[1,2,3]}',
    tags: {},
    confirmedUplink: false,
    devEUI: Buffer.from(devEUI, 'hex').toString('base64'),
    devAddr: 'AavN7w==',
    publishedAt,
    rxInfo: [{ gatewayID: 'uCfr//4RIjM=', rssi: -61, loRaSNR: 8.5, channel: 2, location: null, crcStatus: 'CRC_OK' }],
    txInfo: { frequency: 868_300_000, modulation: 'LORA', loRaModulationInfo: { bandwidth: 125, spreadingFactor: 7 } },
  };
  const streamID = `${Date.now()}-${index}`;
  return JSON.stringify({ result: { type: 'up', payloadJSON: JSON.stringify(payload), publishedAt, streamID } });
}
