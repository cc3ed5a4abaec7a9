// Refuses words in the texts of the console and the contract that the table below replaces: one concept, one word.
import { globSync, readFileSync } from 'node:fs';
import { parseAst } from 'vite';

interface Term {
  /** What the texts say. */
  use: string;
  /** What they must not say. */
  not: RegExp;
}

const terms: readonly Term[] = [
  { use: 'network-server', not: /\bnetwork servers?\b/i },
  { use: 'device-profile', not: /\bdevice profiles?\b/i },
  { use: 'service-profile', not: /\bservice profiles?\b/i },
  { use: 'gateway-profile', not: /\bgateway profiles?\b/i },
  { use: 'multicast-group', not: /\bmulticast groups?\b/i },
  { use: 'data-rate', not: /\bdata ?rates?\b/i },
  { use: 'e-mail', not: /\bemails?\b/i },
  { use: 'sign in, sign out', not: /\blog(ged|ging)? ?(in|on|out|off)\b/i },
  { use: 'create or add', not: /\b(make|makes|made|making)\b(?! joins)/i },
  { use: 'receive', not: /\b(hear|hears|heard)\b/i },
  { use: 'respond', not: /\banswers?\b|does not answer/i },
  { use: 'immediately or concurrent', not: /\bat once\b/i },
  { use: 'automatically', not: /\bby (itself|themselves)\b/i },
  { use: 'another user, another program', not: /\b(somebody|someone|whoever)\b/i },
  { use: 'store', not: /\b(is|are) kept\b/i },
  { use: 'report, show or name', not: /\b(told|tells)\b|\bsays? so\b/i },
  { use: 'be listed, be shown', not: /\bstands? (here|there|in it)\b/i },
  { use: 'remote or external', not: /\belsewhere\b/i },
];

/** Labels that version 3 or the specification spells this way, and programming words. */
const exceptions = new Set([
  'Network Server',
  'Network server',
  'Device profile',
  'Multicast groups',
  'Add to multicast group',
  'Select devices in the application and choose "Add to multicast group".',
  'Username / email',
  'Hilltop Login',
]);

interface SyntaxNode {
  type: string;
  start: number;
  value?: unknown;
}

/** The texts of a syntax tree: literals, template parts and JSX text of more than one word. */
function textsOf(node: unknown, found: { text: string; start: number }[] = []): { text: string; start: number }[] {
  if (Array.isArray(node)) {
    for (const child of node) textsOf(child, found);
  } else if (typeof node === 'object' && node !== null) {
    const { type, start, value } = node as SyntaxNode;
    if (type === 'ImportDeclaration' || type === 'ImportExpression') return found;
    const text = type === 'TemplateElement' ? (value as { cooked?: string }).cooked : value;
    if ((type === 'Literal' || type === 'JSXText' || type === 'TemplateElement') && typeof text === 'string')
      found.push({ text: text.replace(/\s+/g, ' ').trim(), start });
    for (const child of Object.values(node)) textsOf(child, found);
  }
  return found;
}

let failed = false;
for (const file of globSync(['apps/console/src/**/*.{ts,tsx}', 'packages/contract/src/**/*.ts'])) {
  if (file.includes('.test.') || file.includes('/testing/')) continue;
  const code = readFileSync(file, 'utf8');
  for (const { text, start } of textsOf(parseAst(code, { lang: file.endsWith('x') ? 'tsx' : 'ts' }))) {
    if (!text.includes(' ') || exceptions.has(text)) continue;
    for (const { use, not } of terms) {
      const found = not.exec(text.replaceAll(/\{\w+\}/g, ''));
      if (!found) continue;
      failed = true;
      const line = code.slice(0, start).split('\n').length;
      console.error(`${file}:${line}: "${text}" says "${found[0]}". Use: ${use}.`);
    }
  }
}
process.exit(failed ? 1 : 0);
