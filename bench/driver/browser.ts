import { existsSync } from 'node:fs';
import { type CDPSession, chromium, type Page } from '@playwright/test';
import type { BenchServer } from './server.ts';

/** A page of a signed-in user, with the debugging session of the browser. */
export interface BrowserWindow extends AsyncDisposable {
  page: Page;
  devtools: CDPSession;
}

/** The path of Chromium: the value of `CHROMIUM` or the usual path; undefined when it is not installed. */
export function findBrowser(): string | undefined {
  return [process.env['CHROMIUM'], '/usr/bin/chromium'].find((path) => path && existsSync(path));
}

/** Starts a new browser, so that its cache is empty. */
export async function openWindow(executablePath: string, { hilltop, token }: BenchServer): Promise<BrowserWindow> {
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
  });
  const localStorage = [{ name: 'jwt', value: token }];
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    storageState: { cookies: [], origins: [{ origin: hilltop.url, localStorage }] },
  });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Performance.enable');
  return { page, devtools, [Symbol.asyncDispose]: () => browser.close() };
}

/** Elements and text nodes of the document, and the script heap in MB. */
export async function measurePage({ devtools }: BrowserWindow): Promise<{ nodes: number; heapMB: number }> {
  await devtools.send('HeapProfiler.collectGarbage');
  const { metrics } = await devtools.send('Performance.getMetrics');
  const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0;
  return { nodes: of('Nodes'), heapMB: Math.round(of('JSHeapUsedSize') / 1e5) / 10 };
}
