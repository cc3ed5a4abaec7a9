import type { Case } from '../case.ts';
import { findBrowser, openWindow } from '../driver/browser.ts';
import { forEach, layGround, numbered } from '../driver/ground.ts';
import { startServer } from '../driver/server.ts';

/** Of single gateways never heard, and of clusters: `components/map/map-style` of the console. */
const drawn = [
  [0x7b, 0x86, 0x8e],
  [0x0f, 0x76, 0x92],
];
const fewestPixels = 100;

/** The dashboard with as many gateways as a map shows, until their circles are painted. */
export const map: Case = async (bench) => {
  const executable = findBrowser();
  if (!executable) {
    bench.say('no browser: set CHROMIUM to the path of one');
    return { rows: [], measured: { skipped: 'no browser' } };
  }
  await using server = await startServer(bench);
  const { gatewayIDs } = await layGround(server.client);
  const gateways = 9_999 - gatewayIDs.length;
  bench.say(`creating ${gateways} gateways`);
  const [network] = (await server.client.networkServer.list({ limit: 1 })).result;
  const [organization] = (await server.client.organization.list({ limit: 1 })).result;
  await forEach(gateways, (index) =>
    server.client.gateway.create({
      gateway: {
        ...{ organizationID: organization!.id, networkServerID: network!.id },
        ...{ id: numbered('a0', index, 16), name: `map-${index}`, description: `Roof ${index}` },
        location: { latitude: 45 + ((index * 7919) % 1000) / 100, longitude: ((index * 104_729) % 2000) / 100 },
      },
    }),
  );

  await using window = await openWindow(executable, server);
  const { page, devtools } = window;
  await page.addInitScript(keepDrawings);
  await page.goto(`${server.hilltop.url}/organizations`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await devtools.send('Network.enable');
  let bytes = 0;
  const listed = new Set<string>();
  devtools.on('Network.responseReceived', ({ requestId, response }) => {
    if (response.url.includes('/api/gateways?')) listed.add(requestId);
  });
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (listed.has(requestId)) bytes += encodedDataLength;
  });
  const ms = await page.evaluate(openAndWait, { drawn, fewestPixels });
  const result = { gateways: 9_999, ms: Math.round(ms), bytes };
  bench.say(`${result.bytes} bytes, ${result.ms} ms`);
  return {
    rows: [
      {
        work: 'map of 9,999 gateways, list on the wire and click to painted',
        before: '4.18 MB, 1.7 s',
        target: '400 kB, 800 ms',
        ours: `${Math.round(bytes / 1000)} kB, ${result.ms} ms`,
      },
    ],
    measured: result,
  };
};

/** Runs in the page before its scripts: what WebGL drew can be read back. */
function keepDrawings(): void {
  // oxlint-disable-next-line typescript/unbound-method -- called with its canvas below
  const own = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string, options?: object) {
    return own.call(this, kind, { ...options, ...(kind.startsWith('webgl') ? { preserveDrawingBuffer: true } : {}) });
  } as typeof own;
}

/** Runs in the page: follows the link to the dashboard; ms until enough pixels have the colour of a gateway. */
function openAndWait({ drawn, fewestPixels }: { drawn: number[][]; fewestPixels: number }): Promise<number> {
  const copy = document.createElement('canvas').getContext('2d', { willReadFrequently: true })!;
  const isPainted = () => {
    const canvas = document.querySelector<HTMLCanvasElement>('canvas.maplibregl-canvas');
    if (!canvas || canvas.width === 0) return false;
    // Only the middle, and seldom: reading back costs more than drawing.
    const [width, height] = [300, 200];
    const [left, top] = [(canvas.width - width) / 2, (canvas.height - height) / 2];
    Object.assign(copy.canvas, { width, height });
    copy.drawImage(canvas, left, top, width, height, 0, 0, width, height);
    const { data } = copy.getImageData(0, 0, width, height);
    let pixels = 0;
    for (let at = 0; at < data.length; at += 4)
      if (drawn.some((colour) => colour.every((value, part) => Math.abs(value - data[at + part]!) < 4))) pixels += 1;
    return pixels >= fewestPixels;
  };
  const from = performance.now();
  document.querySelector<HTMLAnchorElement>('a[href="/dashboard"]')!.click();
  return new Promise((resolve) => {
    const look = () => (isPainted() ? resolve(performance.now() - from) : setTimeout(look, 50));
    look();
  });
}
