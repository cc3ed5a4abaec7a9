import { seededRandom } from '@hilltop/simulator';
import type { BrowserContext, Page, Route } from '@playwright/test';

/**
 * How many times slower the browser should be; 0 changes nothing. A build machine is slower and interleaves
 * differently: a journey that clicks before a page is ready fails there, and fails here with this setting.
 */
const times = Number(process.env['E2E_SLOW'] ?? 0);

/** Slows down a browser: its CPU, and each script, response and message by 150 to 400 ms, with a fixed seed. */
export async function slowDown(context: BrowserContext): Promise<void> {
  if (times === 0) return;
  const random = seededRandom(times);
  const wait = () => new Promise((resolve) => setTimeout(resolve, 150 + random() * 250));
  await context.route(/\/(api|assets|swagger)\//, async (route: Route) => {
    await wait();
    // The page may be closed in the meantime.
    await route.continue().catch(() => {});
  });
  await context.routeWebSocket(/./, (socket) => {
    const server = socket.connectToServer();
    // A constant delay preserves the order of messages.
    const forward = (to: typeof socket) => (message: string | Buffer) => setTimeout(() => to.send(message), 250);
    socket.onMessage(forward(server));
    server.onMessage(forward(socket));
  });
  const throttle = async (page: Page) => {
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: times });
  };
  context.on('page', (page) => void throttle(page).catch(() => {}));
}
