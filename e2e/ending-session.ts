import type { Page } from '@playwright/test';
import { endingToken } from '../apps/server/src/testing/ending-token.ts';
import type { Hilltop } from './hilltop.ts';
import type { Person } from './world.ts';

/** A token of the person's session that is an hour old and ends in a moment. */
export function endingSoon({ data }: Hilltop, { token, email }: Person, inMs: number): Promise<string> {
  return endingToken(data, token, email, inMs);
}

/** Gives the pages of a browser that are open another token, as another tab that signs in does. */
export async function handOver(page: Page, token: string): Promise<void> {
  const other = await page.context().newPage();
  await other.route('**/*', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<title>Another tab</title><link rel="icon" href="data:,">' }),
  );
  await other.goto('/');
  await other.evaluate((jwt) => localStorage.setItem('jwt', jwt), token);
  await other.close();
}
