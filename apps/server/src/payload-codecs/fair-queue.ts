/** Calls that wait for one thread, which gives each owner the same time: who takes long waits for themselves. */
export interface FairQueue<T> {
  add: (owner: string, item: T) => void;
  /** Puts it back before all others of its owner. */
  giveBack: (owner: string, item: T) => void;
  /** The next item of whoever has had the least time; undefined when nothing waits. */
  next: () => T | undefined;
  peek: () => T | undefined;
  /** Says how long the owner kept the thread, or less by a negative number. */
  charge: (owner: string, ms: number) => void;
  /** Everything that waits, which then waits no more. */
  drain: () => T[];
}

interface Owner<T> {
  usedMs: number;
  waiting: T[];
}

const mostIdleOwners = 1_000;

export function fairQueue<T>(): FairQueue<T> {
  const owners = new Map<string, Owner<T>>();
  // Time of the owner served last: who comes after a rest begins here, so that rest is not saved up.
  let reachedMs = 0;

  function ownerOf(name: string): Owner<T> {
    let owner = owners.get(name);
    if (!owner) {
      if (owners.size >= mostIdleOwners) forgetIdle();
      owner = { usedMs: reachedMs, waiting: [] };
      owners.set(name, owner);
    }
    if (owner.waiting.length === 0) owner.usedMs = Math.max(owner.usedMs, reachedMs);
    return owner;
  }

  function forgetIdle(): void {
    for (const [name, { waiting }] of owners) if (waiting.length === 0) owners.delete(name);
  }

  function first(): Owner<T> | undefined {
    let least: Owner<T> | undefined;
    for (const owner of owners.values())
      if (owner.waiting.length > 0 && (!least || owner.usedMs < least.usedMs)) least = owner;
    return least;
  }

  return {
    add: (owner, item) => void ownerOf(owner).waiting.push(item),
    giveBack: (owner, item) => void ownerOf(owner).waiting.unshift(item),
    peek: () => first()?.waiting[0],
    next: () => {
      const owner = first();
      if (owner) reachedMs = Math.max(reachedMs, owner.usedMs);
      return owner?.waiting.shift();
    },
    charge: (owner, ms) => {
      ownerOf(owner).usedMs += ms;
    },
    drain: () => [...owners.values()].flatMap(({ waiting }) => waiting.splice(0)),
  };
}
