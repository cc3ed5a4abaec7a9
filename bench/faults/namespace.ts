/** A network of an instance's own, by Linux's network namespaces: one cable leads out of it. */
import { execFileSync } from 'node:child_process';

export interface Namespace extends Disposable {
  /** Of the machine, as who is inside sees it. */
  outside: string;
  /** Of who is inside. */
  inside: string;
  /** What a command begins with that is to run inside. */
  command: readonly string[];
  /** Nothing comes in or goes out any more, and nobody is told. */
  cut(): void;
  heal(): void;
}

const run = (command: string, ...args: readonly string[]) => void execFileSync(command, args, { stdio: 'pipe' });

/** Why there can be none here; null when there can. */
export function noNamespaces(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'not run by root on Linux';
  try {
    using _one = openNamespace(0);
    return null;
  } catch (error) {
    return `no network namespaces (${(error as Error).message.split('\n')[0]})`;
  }
}

const dropAll = `table inet cut {
  chain in { type filter hook input priority 0; policy drop; }
  chain out { type filter hook output priority 0; policy drop; }
}`;

/** `nth`: one of 64 at a time for each process. */
export function openNamespace(nth: number): Namespace {
  const name = `hilltop-${process.pid}-${nth}`;
  const [ours, theirs] = [`ht${process.pid}-${nth}`, `hi${process.pid}-${nth}`];
  const net = `10.${128 + (process.pid % 100)}.${nth}`;
  const [outside, inside] = [`${net}.1`, `${net}.2`];
  const command = ['ip', 'netns', 'exec', name];
  const [program, ...into] = command as [string, ...string[]];
  const remove = () => run('ip', 'netns', 'del', name);
  run('ip', 'netns', 'add', name);
  try {
    run('ip', 'link', 'add', ours, 'type', 'veth', 'peer', 'name', theirs, 'netns', name);
    run('ip', 'addr', 'add', `${outside}/30`, 'dev', ours);
    run('ip', 'link', 'set', ours, 'up');
    for (const link of [theirs, 'lo']) run(program, ...into, 'ip', 'link', 'set', link, 'up');
    run(program, ...into, 'ip', 'addr', 'add', `${inside}/30`, 'dev', theirs);
    run(program, ...into, 'nft', 'list', 'ruleset');
  } catch (error) {
    remove();
    throw error;
  }
  return {
    outside,
    inside,
    command,
    cut: () => run(program, ...into, 'nft', dropAll),
    heal: () => run(program, ...into, 'nft', 'delete', 'table', 'inet', 'cut'),
    // Its end of the cable goes with it, and with that ours.
    [Symbol.dispose]: remove,
  };
}
