import type { Plugin } from 'vite';
import { dataVariables } from '../src/theme/data-colors.ts';

const id = 'virtual:data-colors.css';

/** Provides the colours of data and states as a style sheet, so that the first screen does not load them as code. */
export function dataColorsCSS(): Plugin {
  return {
    name: 'hilltop:data-colors',
    resolveId: (wanted) => (wanted === id ? `\0${id}` : undefined),
    load(wanted) {
      if (wanted !== `\0${id}`) return undefined;
      return (['light', 'dark'] as const).map(ruleOf).join('\n');
    },
  };
}

function ruleOf(scheme: 'light' | 'dark'): string {
  const lines = Object.entries(dataVariables(scheme)).map(([name, color]) => `  ${name}: ${color};`);
  return `:root[data-mantine-color-scheme='${scheme}'] {\n${lines.join('\n')}\n}`;
}
