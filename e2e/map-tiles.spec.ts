import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Locator, Page } from '@playwright/test';
import { startHilltop } from './hilltop.ts';
import { test as base, expect } from './journey.ts';
import { main } from './steps.ts';
import { buildWorld } from './world.ts';

interface TileServer {
  readonly address: string;
  /** The requested tiles, `/15/16850/10810.png`, and their referrers. */
  readonly asked: { path: string; referer: string | undefined }[];
  stop: () => Promise<void>;
  start: () => Promise<void>;
}

/** One grey pixel. */
const tile = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

async function startTileServer(): Promise<TileServer> {
  const asked: TileServer['asked'] = [];
  let server: Server;
  let port = 0;
  const start = async () => {
    server = createServer(({ url = '', headers }, response) => {
      asked.push({ path: url, referer: headers.referer });
      response.writeHead(200, { 'Content-Type': 'image/png', 'Access-Control-Allow-Origin': '*' }).end(tile);
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
  };
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  await start();
  return { address: `http://127.0.0.1:${port}`, asked, start, stop };
}

/** A server with configured map tiles. */
const test = base.extend<object, { tiles: TileServer }>({
  tiles: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the needed fixtures from the pattern
    async ({}, use) => {
      const tiles = await startTileServer();
      await use(tiles);
      await tiles.stop();
    },
    { scope: 'worker' },
  ],
  hilltop: [
    async ({ tiles }, use) => {
      const hilltop = await startHilltop({
        HILLTOP_MAP_TILES_URL: `${tiles.address}/{z}/{x}/{y}.png`,
        HILLTOP_MAP_ATTRIBUTION: 'Drawn by the town',
      });
      await use(hilltop);
      await hilltop.remove();
    },
    { scope: 'worker' },
  ],
});

// The journey stops the tile server.
test.use({ allowedErrors: /ERR_(CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE|SOCKET_NOT_CONNECTED|ABORTED)/ });

const mapOf = (page: Page, name: string): Locator => main(page).getByRole('region', { name });
const notice = (page: Page): Locator =>
  main(page).getByText('The map tiles cannot be loaded. This is the built-in map.');

test('a map shows the configured tiles, and the built-in map while they are unreachable', async ({
  admin,
  page,
  hilltop,
  tiles,
}) => {
  const { organizationID, gatewayID } = await buildWorld(admin, 'tiled');
  const gateway = `/organizations/${organizationID}/gateways/${gatewayID}`;
  await page.goto(gateway);
  const map = mapOf(page, 'Map with roof');
  await expect(map.getByText('Drawn by the town')).toBeVisible();
  await expect.poll(() => tiles.asked.map(({ path }) => path)).toContain('/15/16850/10810.png');
  expect(tiles.asked[0]!.referer, 'the site, and not which page of it').toBe(`${hilltop.url}/`);
  await expect(notice(page)).toBeHidden();

  await tiles.stop();
  await page.goto(gateway);
  await expect(notice(page)).toBeVisible();
  await expect(map.getByText('Nearest town: Utrecht')).toBeVisible();
  await expect(map.getByText('Natural Earth')).toBeVisible();

  await tiles.start();
  await main(page).getByRole('button', { name: 'Try again' }).click();
  await expect(notice(page)).toBeHidden();
  await expect(map.getByText('Drawn by the town')).toBeVisible();
});
