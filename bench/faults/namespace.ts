/** A Linux network namespace for one instance, connected by one virtual cable. */
import { execFileSync } from 'node:child_process';

export interface Namespace extends Disposable {
  /** The address of the machine, as seen from the namespace. */
  outside: string;
  /** The address of the namespace. */
  inside: string;
  /** Prefix of a command that runs in the namespace. */
  command: readonly string[];
  /** Drops all packets in both directions without ending connections. */
  cut(): void;
  heal(): void;
}

const run = (command: string, ...args: readonly string[]) => void execFileSync(command, args, { stdio: 'pipe' });

/** Why this machine cannot create namespaces; null when it can. */
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

/** `nth`: a number below 64, unique in this process. */
export function openNamespace(nth: number): Namespace {
  const name = `hilltop-${process.pid}-${nth}`;
  const [hostEnd, namespaceEnd] = [`ht${process.pid}-${nth}`, `hi${process.pid}-${nth}`];
  const net = `10.${128 + (process.pid % 100)}.${nth}`;
  const [outside, inside] = [`${net}.1`, `${net}.2`];
  const command = ['ip', 'netns', 'exec', name];
  const [program, ...into] = command as [string, ...string[]];
  const remove = () => run('ip', 'netns', 'del', name);
  run('ip', 'netns', 'add', name);
  try {
    run('ip', 'link', 'add', hostEnd, 'type', 'veth', 'peer', 'name', namespaceEnd, 'netns', name);
    run('ip', 'addr', 'add', `${outside}/30`, 'dev', hostEnd);
    run('ip', 'link', 'set', hostEnd, 'up');
    for (const link of [namespaceEnd, 'lo']) run(program, ...into, 'ip', 'link', 'set', link, 'up');
    run(program, ...into, 'ip', 'addr', 'add', `${inside}/30`, 'dev', namespaceEnd);
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
    // Removing the namespace removes both ends of the cable.
    [Symbol.dispose]: remove,
  };
}
