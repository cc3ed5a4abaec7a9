import type { Page } from '@playwright/test';
import { endingToken } from '../apps/server/src/testing/ending-token.ts';
import type { Hilltop } from './hilltop.ts';
import type { Person } from './world.ts';

/** A token of the user's session that is an hour old and expires in a moment. */
export function endingSoon({ data }: Hilltop, { token, email }: Person, inMs: number): Promise<string> {
  return endingToken(data, token, email, inMs);
}

/** Replaces the token in all open pages of a browser, like another tab that signs in. */
export async function handOver(page: Page, token: string): Promise<void> {
  const other = await page.context().newPage();
  await other.route('**/*', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<title>Another tab</title><link rel="icon" href="data:,">' }),
  );
  await other.goto('/');
  await other.evaluate((jwt) => localStorage.setItem('jwt', jwt), token);
  await other.close();
}
