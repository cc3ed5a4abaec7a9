import type { CDPSession, Page } from '@playwright/test';

const sessions = new WeakMap<Page, CDPSession[]>();

/**
 * Mocks the responses of calls below a path; without an answer they never complete. Playwright's routes would intercept
 * every request and disable the cache, so that each load would fetch and compile the whole console again.
 */
export async function mockResponse(page: Page, path: string, answer?: { status: number; body: object }): Promise<void> {
  const session = await page.context().newCDPSession(page);
  sessions.set(page, [...(sessions.get(page) ?? []), session]);
  const isBelow = (url: string) => /^[^/]*$/.test(url.slice(url.indexOf(path) + path.length));
  session.on('Fetch.requestPaused', ({ requestId, request, resourceType }) => {
    const work =
      resourceType !== 'Document' && isBelow(request.url)
        ? answer && session.send('Fetch.fulfillRequest', { requestId, ...encoded(answer) })
        : session.send('Fetch.continueRequest', { requestId });
    // The page may be closed in the meantime.
    work?.catch(() => {});
  });
  await session.send('Fetch.enable', { patterns: [{ urlPattern: `*${path}*` }] });
}

const encoded = ({ status, body }: { status: number; body: object }) => ({
  responseCode: status,
  responseHeaders: [{ name: 'Content-Type', value: 'application/json' }],
  body: Buffer.from(JSON.stringify(body)).toString('base64'),
});

/** Lets all calls of the page reach the server again. */
export async function removeMocks(page: Page): Promise<void> {
  const all = sessions.get(page) ?? [];
  sessions.delete(page);
  await Promise.all(all.map((session) => session.detach()));
}
