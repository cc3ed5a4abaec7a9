import type { Case } from '../case.ts';
import { createBaseRecords } from '../driver/base-records.ts';
import { findBrowser, openWindow } from '../driver/browser.ts';
import { createManyGateways } from '../driver/many-gateways.ts';
import { startServer } from '../driver/server.ts';

/** Colours of gateways without uplinks, single or clustered: `components/map/map-style` of the console. */
const drawn = [[0x6b, 0x75, 0x7d]];
const fewestPixels = 100;

/**
 * Time until the dashboard has painted the circles of as many gateways as a map shows: on the first picture, which is
 * interactive at once, and by WebGL, which replaces it.
 */
export const map: Case = async (bench) => {
  const executable = findBrowser();
  if (!executable) {
    bench.say('no browser: set CHROMIUM to the path of one');
    return { rows: [], measured: { skipped: 'no browser' } };
  }
  await using server = await startServer(bench);
  const ground = await createBaseRecords(server.client);
  bench.say('creating 9,999 gateways');
  await createManyGateways(server.client, ground);

  await using window = await openWindow(executable, server);
  const { page, devtools } = window;
  await page.addInitScript(watchDrawing);
  await page.goto(`${server.hilltop.url}/organizations`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  // Without uplinks, the dashboard would show the first steps instead of the map.
  await page.evaluate(() => localStorage.setItem('firstStepsDismissed', '1'));
  await devtools.send('Network.enable');
  let bytes = 0;
  const listed = new Set<string>();
  devtools.on('Network.responseReceived', ({ requestId, response }) => {
    if (response.url.includes('/api/gateway-places?')) listed.add(requestId);
  });
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (listed.has(requestId)) bytes += encodedDataLength;
  });
  const took = await page.evaluate(openAndWait, { drawn, fewestPixels });
  const [firstMs, ms] = [Math.round(took.firstMs), Math.round(took.ms)];
  const result = { gateways: 9_999, firstMs, ms, bytes };
  bench.say(`${bytes} bytes, first picture ${firstMs} ms, by the graphics ${ms} ms`);
  return {
    rows: [
      {
        work: 'map of 9,999 gateways, list on the wire and click to painted',
        before: '4.18 MB, 1.7 s',
        target: '400 kB, 800 ms',
        ours: `${Math.round(bytes / 1000)} kB, ${firstMs} ms; by the graphics ${ms} ms`,
      },
    ],
    measured: result,
  };
};

/** Data of this case in the page. */
interface Watched {
  hasDrawnPoints: boolean;
}

/** Runs in the page before its scripts: makes WebGL output readable and records when circles are drawn. */
function watchDrawing(): void {
  // oxlint-disable-next-line typescript/unbound-method -- called with its canvas below
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string, options?: object) {
    return getContext.call(this, kind, {
      ...options,
      ...(kind.startsWith('webgl') ? { preserveDrawingBuffer: true } : {}),
    });
  } as typeof getContext;

  const gl = WebGL2RenderingContext.prototype;
  // oxlint-disable-next-line typescript/unbound-method -- called with its context below
  const { attachShader, useProgram, drawElements } = gl;
  const ofPoints = new WeakSet<WebGLProgram>();
  let current: WebGLProgram | null = null;
  gl.attachShader = function (program, shader) {
    if (this.getShaderSource(shader)?.includes('circle_center')) ofPoints.add(program);
    attachShader.call(this, program, shader);
  };
  gl.useProgram = function (program) {
    current = program;
    useProgram.call(this, program);
  };
  gl.drawElements = function (...elements) {
    if (current && ofPoints.has(current)) (globalThis as unknown as Watched).hasDrawnPoints = true;
    drawElements.apply(this, elements);
  };
}

/**
 * Runs in the page: follows the link to the dashboard. Resolves with the ms until two frames after the first picture has
 * enough pixels in the colour of a gateway, and until the WebGL output has. Reading WebGL output blocks the page, so it
 * happens only after circles were drawn, and asynchronously.
 */
async function openAndWait({ drawn, fewestPixels }: { drawn: number[][]; fewestPixels: number }) {
  const [width, height] = [300, 200];
  const middle = new Uint8Array(4 * width * height);
  const soon = () => new Promise((resolve) => setTimeout(resolve, 10));

  async function readMiddle(gl: WebGL2RenderingContext) {
    const [left, bottom] = [(gl.drawingBufferWidth - width) / 2, (gl.drawingBufferHeight - height) / 2];
    const copy = gl.createBuffer();
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, copy);
    gl.bufferData(gl.PIXEL_PACK_BUFFER, middle.length, gl.STREAM_READ);
    gl.readPixels(left, bottom, width, height, gl.RGBA, gl.UNSIGNED_BYTE, 0);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
    const done = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0)!;
    gl.flush();
    while (gl.getSyncParameter(done, gl.SYNC_STATUS) !== gl.SIGNALED) await soon();
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, copy);
    gl.getBufferSubData(gl.PIXEL_PACK_BUFFER, 0, middle);
    gl.bindBuffer(gl.PIXEL_PACK_BUFFER, null);
  }

  function countGateways(pixelsOf: Uint8Array | Uint8ClampedArray): number {
    let pixels = 0;
    for (let at = 0; at < pixelsOf.length; at += 4)
      if (drawn.some((colour) => colour.every((value, part) => Math.abs(value - pixelsOf[at + part]!) < 4)))
        pixels += 1;
    return pixels;
  }

  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  async function lookAtFirst(): Promise<number> {
    let brush: CanvasRenderingContext2D | null | undefined;
    while (!brush) {
      if (performance.now() - from > 30_000) return Infinity;
      await frame();
      brush = document.querySelector<HTMLCanvasElement>('canvas[data-first-picture]')?.getContext('2d');
    }
    await frame();
    await frame();
    const painted = performance.now() - from;
    const { width: wide, height: high } = brush.canvas;
    const pixels = countGateways(brush.getImageData((wide - width) / 2, (high - height) / 2, width, height).data);
    return pixels >= fewestPixels ? painted : Infinity;
  }

  const watched = globalThis as unknown as Watched;
  const from = performance.now();
  document.querySelector<HTMLAnchorElement>('a[href="/dashboard"]')!.click();
  const first = lookAtFirst();
  for (;;) {
    await soon();
    if (performance.now() - from > 30_000) throw new Error('No circle of a gateway was drawn in 30 s.');
    if (!watched.hasDrawnPoints) continue;
    watched.hasDrawnPoints = false;
    await readMiddle(document.querySelector<HTMLCanvasElement>('canvas.maplibregl-canvas')!.getContext('webgl2')!);
    if (countGateways(middle) < fewestPixels) continue;
    const ms = performance.now() - from;
    return { firstMs: await first, ms };
  }
}
