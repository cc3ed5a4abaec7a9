import { existsSync, globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';

const source = dirname(import.meta.dirname);
const library = dirname(dirname(createRequire(import.meta.url).resolve('@mantine/core/styles/Button.css')));

it('imports the styles of every Mantine component in use', () => {
  const imported = readFileSync(`${source}/theme/styles.ts`, 'utf8');
  const missing = new Set<string>();
  for (const file of globSync('**/*.tsx', { cwd: source })) {
    const names =
      /import \{([^}]*)\} from '@mantine\/core';/.exec(readFileSync(`${source}/${file}`, 'utf8'))?.[1] ?? '';
    for (const name of names.split(',').map((part) => part.trim())) {
      const hasStyle = existsSync(`${library}/styles/${name}.css`);
      if (hasStyle && !imported.includes(`/${name}.layer.css`)) missing.add(`${name} (${file})`);
    }
  }
  expect([...missing]).toEqual([]);
});
