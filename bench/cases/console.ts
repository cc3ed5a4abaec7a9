import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Case, Row } from '../case.ts';

const dist = fileURLToPath(new URL('../../apps/console/dist/', import.meta.url));

interface Weight {
  raw: number;
  gzip: number;
  brotli: number;
}

/** Maximum size of the sign-in page's JavaScript in bytes, compressed by gzip. */
export const firstScreenBudget = 150_000;

/** Size of the built console: the files that the first screen needs, and all others. */
export const consoleBytes: Case = async ({ say }) => {
  say('measuring the console');
  const { names, chunks, first, scripts } = weighConsole();
  const styles = sum(chunks, first, '.css');
  const lazy = sum(chunks, new Set(names.filter((name) => !first.has(name))), '.js');
  const heaviest = names
    .filter((name) => !first.has(name) && name.endsWith('.js'))
    .sort((a, b) => chunks[b]!.gzip - chunks[a]!.gzip)
    .slice(0, 3)
    .map((name) => `${name.replace(/^assets\/|-[^-]{7}\.js$/g, '')} ${kB(chunks[name]!.gzip)}`);
  const rows: Row[] = [
    {
      work: 'first screen, JavaScript (raw / gzip / brotli)',
      before: '2,020 / 532 / - kB, sent raw',
      target: `${kB(firstScreenBudget)} kB gzip`,
      isBroken: scripts.gzip > firstScreenBudget,
      ours: `${kB(scripts.raw)} / ${kB(scripts.gzip)} / ${kB(scripts.brotli)} kB`,
    },
    { work: 'first screen, CSS (gzip)', before: '23.5 kB', target: '-', ours: `${kB(styles.gzip)} kB` },
    {
      work: 'all later chunks (gzip), the heaviest',
      before: '0 (one chunk)',
      target: 'lazy',
      ours: `${kB(lazy.gzip)} kB: ${heaviest.join(', ')}`,
    },
  ];
  return { rows, measured: { firstScreen: { scripts, styles, files: [...first] }, chunks } };
};

/** The files of the build, those that the first screen needs, and the size of its scripts. */
export function weighConsole() {
  if (!existsSync(`${dist}index.html`)) throw new Error('The console is not built. Run npm run build first.');
  const names = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(js|css|svg)$/.test(name));
  const chunks = Object.fromEntries(names.map((name) => [name, weightOf(name)]));
  const first = firstScreen(names);
  return { names, chunks, first, scripts: sum(chunks, first, '.js') };
}

/** Sizes of the compressed files that the build wrote. */
function weightOf(name: string): Weight {
  const bytes = readFileSync(dist + name);
  const sizeOf = (ending: string) => statSync(dist + name + ending, { throwIfNoEntry: false })?.size;
  return {
    raw: bytes.length,
    gzip: sizeOf('.gz') ?? gzipSync(bytes, { level: 9 }).length,
    brotli: sizeOf('.br') ?? brotliCompressSync(bytes).length,
  };
}

/** Files that index.html names, chunks that they import statically, and the chunk of the sign-in page. */
function firstScreen(names: readonly string[]): Set<string> {
  const first = new Set<string>();
  const visit = (name: string) => {
    if (first.has(name) || !names.includes(name)) return;
    first.add(name);
    if (!name.endsWith('.js')) return;
    const code = readFileSync(dist + name, 'utf8');
    for (const [, file] of code.matchAll(/(?:from|import)\s*["']\.\/([^"']+)["']/g)) visit(`assets/${file}`);
  };
  const html = readFileSync(`${dist}index.html`, 'utf8');
  for (const [, file] of html.matchAll(/(?:src|href)="\/([^"]+)"/g)) visit(file!);
  for (const name of names) if (name.startsWith('assets/login-')) visit(name);
  return first;
}

function sum(chunks: Record<string, Weight>, names: ReadonlySet<string>, ending: string): Weight {
  const total: Weight = { raw: 0, gzip: 0, brotli: 0 };
  for (const name of names) {
    if (!name.endsWith(ending)) continue;
    for (const size of ['raw', 'gzip', 'brotli'] as const) total[size] += chunks[name]![size];
  }
  return total;
}

function kB(bytes: number): string {
  return (bytes / 1000).toFixed(1).replace(/\.0$/, '');
}
