/** A queue for one thread that gives each owner the same share of time: slow calls delay only their owner. */
export interface FairQueue<T> {
  add: (owner: string, item: T) => void;
  /** Returns an item to the front of the queue of its owner. */
  putBack: (owner: string, item: T) => void;
  /** The next item of the owner that has used the least time; undefined when the queue is empty. */
  next: () => T | undefined;
  peek: () => T | undefined;
  /** Adds time that the owner has used; a negative number corrects an estimate. */
  charge: (owner: string, ms: number) => void;
  /** Removes and returns all items. */
  drain: () => T[];
}

interface OwnerQueue<T> {
  usedMs: number;
  waiting: T[];
}

const maxOwners = 1_000;

export function fairQueue<T>(): FairQueue<T> {
  const owners = new Map<string, OwnerQueue<T>>();
  // The used time of the owner that was served last. Idle owners start here, so that idle time earns no credit.
  let currentMs = 0;

  function ownerOf(name: string): OwnerQueue<T> {
    let owner = owners.get(name);
    if (!owner) {
      if (owners.size >= maxOwners) removeIdle();
      owner = { usedMs: currentMs, waiting: [] };
      owners.set(name, owner);
    }
    if (owner.waiting.length === 0) owner.usedMs = Math.max(owner.usedMs, currentMs);
    return owner;
  }

  function removeIdle(): void {
    for (const [name, { waiting }] of owners) if (waiting.length === 0) owners.delete(name);
  }

  function first(): OwnerQueue<T> | undefined {
    let least: OwnerQueue<T> | undefined;
    for (const owner of owners.values())
      if (owner.waiting.length > 0 && (!least || owner.usedMs < least.usedMs)) least = owner;
    return least;
  }

  return {
    add: (owner, item) => void ownerOf(owner).waiting.push(item),
    putBack: (owner, item) => void ownerOf(owner).waiting.unshift(item),
    peek: () => first()?.waiting[0],
    next: () => {
      const owner = first();
      if (owner) currentMs = Math.max(currentMs, owner.usedMs);
      return owner?.waiting.shift();
    },
    charge: (owner, ms) => {
      ownerOf(owner).usedMs += ms;
    },
    drain: () => [...owners.values()].flatMap(({ waiting }) => waiting.splice(0)),
  };
}
