import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import type { AxeResults, RunOptions } from 'axe-core';

/** The minified build: half the size of the package's main export, and each document has to parse it. */
const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * The violations that axe finds after animations have ended, one line per rule. The script is injected once per
 * document.
 */
export async function axeViolations(page: Page, options: RunOptions = {}): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(source);
  return page.evaluate(async (given) => {
    // A colour in transition is neither scheme's, and inherited colours follow it. Paused and endless animations, and
    // those that take more than ten seconds on a busy machine, are checked as they are.
    const isEnding = () =>
      document
        .getAnimations()
        .some(({ effect, playState }) => playState === 'running' && effect?.getComputedTiming().endTime !== Infinity);
    const from = performance.now();
    while (isEnding() && performance.now() - from < 10_000) await new Promise((resolve) => setTimeout(resolve, 20));
    const { axe } = globalThis as unknown as {
      axe: { run: (page: Document, options: RunOptions) => Promise<AxeResults> };
    };
    // No preload: there is no media, and the rule about style sheets is off.
    const { violations } = await axe.run(document, { ...given, preload: false, resultTypes: ['violations'] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }, options);
}
