import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import type { AxeResults, RunOptions } from 'axe-core';

/** Half as long as what the package exports, and each document has to read it. */
const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds wrong with the page once it rests, one line for each rule. It is brought into each document once. */
export async function findWithAxe(page: Page, options: RunOptions = {}): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(source);
  return page.evaluate(async (given) => {
    // Colours on their way from one scheme to the other are nobody's choice; what inherits them goes after them. One that
    // stands still, never ends or takes for ever on a busy machine is looked at as it is.
    const isEnding = () =>
      document
        .getAnimations()
        .some(({ effect, playState }) => playState === 'running' && effect?.getComputedTiming().endTime !== Infinity);
    const from = performance.now();
    while (isEnding() && performance.now() - from < 10_000) await new Promise((resolve) => setTimeout(resolve, 20));
    const { axe } = globalThis as unknown as {
      axe: { run: (page: Document, options: RunOptions) => Promise<AxeResults> };
    };
    // Nothing is fetched first: there are no sounds, and the rule about style sheets is off.
    const { violations } = await axe.run(document, { ...given, preload: false, resultTypes: ['violations'] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }, options);
}
