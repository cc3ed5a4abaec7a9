import { seededRandom } from '@hilltop/simulator';
import type { BrowserContext, Page, Route } from '@playwright/test';

/**
 * How many times slower the browser is than this machine; 0 leaves it as it is. A build machine is slower and does things
 * in another order: a journey that clicks before a page has followed fails there, and here under this setting.
 */
const times = Number(process.env['E2E_SLOW'] ?? 0);

/** Slows a browser down: its processor, and by 150 to 400 ms each script, answer and message, the same ones every time. */
export async function slowDown(context: BrowserContext): Promise<void> {
  if (times === 0) return;
  const random = seededRandom(times);
  const wait = () => new Promise((resolve) => setTimeout(resolve, 150 + random() * 250));
  await context.route(/\/(api|assets|swagger)\//, async (route: Route) => {
    await wait();
    // The page may be closed by now.
    await route.continue().catch(() => {});
  });
  await context.routeWebSocket(/./, (socket) => {
    const server = socket.connectToServer();
    // All by the same time: messages keep their order.
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
