// The dependency rule of ARCHITECTURE.md, held against every import in the tree.
import { globSync, readFileSync } from 'node:fs';

/** What each package may import of ours. A package not named here may import nothing of ours. */
const allowed: Record<string, readonly string[]> = {
  'packages/lorawan': [],
  'packages/protobuf': [],
  'packages/contract': ['protobuf'],
  'packages/gateway-protocols': ['protobuf'],
  'packages/simulator': ['lorawan', 'gateway-protocols', 'protobuf'],
  'packages/network-server': ['lorawan', 'gateway-protocols', 'protobuf'],
  'apps/server': ['lorawan', 'gateway-protocols', 'protobuf', 'contract', 'network-server'],
  'apps/console': ['contract'],
};
/** Tests may use the simulator and whatever else speaks to the part from outside. */
const allowedInTests: Record<string, readonly string[]> = {
  'packages/network-server': ['simulator'],
  'apps/server': ['simulator'],
};

const isTest = (file: string) => /\.test\.tsx?$|\/testing\//.test(file);
const imports = (source: string) =>
  [...source.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1]!);

function problems(file: string): string[] {
  const home = file.split('/').slice(0, 2).join('/');
  const rule = [...(allowed[home] ?? []), ...(isTest(file) ? (allowedInTests[home] ?? []) : [])];
  return imports(readFileSync(file, 'utf8')).flatMap((target) => {
    const ours = /^@hilltop\/([a-z-]+)/.exec(target)?.[1];
    if (ours && !rule.includes(ours) && `packages/${ours}` !== home)
      return [`${file}: may not import @hilltop/${ours}`];
    const feature = /apps\/console\/src\/features\/([^/]+)\//.exec(file)?.[1];
    const other = /^\.\.\/([^./][^/]*)\//.exec(target)?.[1];
    if (feature && other && !isTest(file) && other !== feature)
      return [`${file}: a feature may not import the feature ${other}`];
    if (file.includes('apps/console/src/components/') && /\/features\//.test(target))
      return [`${file}: a component may not import a feature`];
    return [];
  });
}

const found = globSync('{packages,apps}/*/src/**/*.{ts,tsx}').flatMap(problems);
for (const problem of found) console.error(problem);
process.exit(found.length === 0 ? 0 : 1);
