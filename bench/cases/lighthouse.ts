import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@hilltop/simulator';
import { chromium } from '@playwright/test';
import type { Case, Row } from '../case.ts';
import { createBaseRecords, forEach, numbered } from '../driver/base-records.ts';
import { findBrowser } from '../driver/browser.ts';
import { deviceOf } from '../driver/fleet.ts';
import { createManyGateways } from '../driver/many-gateways.ts';
import { startServer } from '../driver/server.ts';

/** Lighthouse needs 176 MB, more than all other packages together. npx downloads it for this case into npm's cache. */
const lighthouse = 'lighthouse@13.5.0';

interface Looked {
  work: string;
  address: string;
  /** Target scores: desktop, mobile. */
  target: [number, number];
  isSignedIn: boolean;
}

/** Lighthouse performance scores of three pages, each on desktop and on a slow phone. */
export const lighthouseScores: Case = async (bench) => {
  const executablePath = findBrowser();
  if (!executablePath) {
    bench.say('no browser: set CHROMIUM to the path of one');
    return { rows: [], measured: { skipped: 'no browser' } };
  }
  await using server = await startServer(bench);
  const ground = await createBaseRecords(server.client);
  bench.say('creating 9,999 gateways and 600 devices');
  const { organizationID } = await createManyGateways(server.client, ground);
  await forEach(600, (index) =>
    server.client.device.create({ device: deviceOf(numbered('0d', index, 16), ground, ground.profiles.joining) }),
  );
  const list = `/organizations/${organizationID}/applications/${ground.applicationID}`;
  const pages: Looked[] = [
    { work: 'sign-in', address: '/login', target: [100, 97], isSignedIn: false },
    { work: 'dashboard with 9,999 gateways', address: '/dashboard', target: [90, 70], isSignedIn: true },
    { work: 'device list with 500 rows', address: list, target: [95, 85], isSignedIn: true },
  ];

  const folder = mkdtempSync(join(tmpdir(), 'hilltop-lighthouse-'));
  const port = await freePort();
  const context = await chromium.launchPersistentContext(join(folder, 'profile'), {
    executablePath,
    args: ['--no-sandbox', `--remote-debugging-port=${port}`, '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
  });
  const rows: Row[] = [];
  const measured: Record<string, object> = {};
  try {
    for (const { work, address, target, isSignedIn } of pages) {
      const page = await context.newPage();
      await page.goto(`${server.hilltop.url}/favicon.svg`);
      await page.evaluate((token) => {
        localStorage.clear();
        localStorage.setItem('rowsPerPage', '500');
        if (token) localStorage.setItem('jwt', token);
      }, isSignedIn && server.token);
      await page.close();
      const scores: number[] = [];
      for (const device of ['desktop', 'mobile'] as const) {
        const file = join(folder, 'report.json');
        await run(`${server.hilltop.url}${address}`, { port, device, file });
        const report = reportIn(file);
        bench.say(`${work}, ${device}: ${report.score}`);
        scores.push(report.score);
        measured[`${work}, ${device}`] = report;
      }
      rows.push({
        work: `Lighthouse, ${work}: desktop / mobile`,
        before: '-',
        target: target.join(' / '),
        ours: scores.join(' / '),
      });
    }
  } finally {
    await context.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return { rows, measured };
};

interface Run {
  port: number;
  device: 'desktop' | 'mobile';
  file: string;
}

async function run(url: string, { port, device, file }: Run): Promise<void> {
  const options = [
    `--port=${port}`,
    '--output=json',
    `--output-path=${file}`,
    '--only-categories=performance',
    '--quiet',
  ];
  // Lighthouse's own storage reset would end the session. Each page is measured with an empty cache anyway.
  const own = ['--disable-storage-reset', ...(device === 'desktop' ? ['--preset=desktop'] : [])];
  const child = spawn('npx', ['--yes', lighthouse, url, ...options, ...own], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`Lighthouse ended with ${code}. Without a network npx cannot fetch it.`);
}

/** The score from 0 to 100, and its timings in ms. */
function reportIn(file: string) {
  const { categories, audits } = JSON.parse(readFileSync(file, 'utf8')) as {
    categories: { performance: { score: number } };
    audits: Record<string, { numericValue?: number }>;
  };
  const of = (audit: string) => Math.round(audits[audit]?.numericValue ?? 0);
  return {
    score: Math.round(categories.performance.score * 100),
    firstContentfulPaint: of('first-contentful-paint'),
    largestContentfulPaint: of('largest-contentful-paint'),
    totalBlockingTime: of('total-blocking-time'),
    speedIndex: of('speed-index'),
    layoutShift: audits['cumulative-layout-shift']?.numericValue ?? 0,
  };
}
