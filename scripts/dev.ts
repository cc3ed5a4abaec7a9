// Development mode: the server restarts when its code changes, and the console reloads in the browser.
import { createServer } from 'vite';
import { endWithThisProcess, spawnServer } from './demo/server.ts';

const password = process.env.HILLTOP_ADMIN_PASSWORD ?? 'hilltop-development';
const server = spawnServer(
  {
    HILLTOP_DATA: process.env.HILLTOP_DATA ?? './data/dev',
    HILLTOP_ADMIN_PASSWORD: password,
    HILLTOP_HTTP: process.env.HILLTOP_HTTP ?? '127.0.0.1:8080',
  },
  { nodeOptions: ['--watch-preserve-output', '--watch'] },
);
endWithThisProcess(server);
const vite = await createServer({ root: 'apps/console', server: { port: 5173, strictPort: false } });
await vite.listen();
vite.printUrls();
