import type { Clock } from '../platform/runtime.ts';

/** How many frames may be accepted in a window, in total and of each group; Infinity for any. */
export interface LoadLimit {
  together: number;
  perGroup: number;
}

const windowMs = 200;
export const windowsPerSecond = 1000 / windowMs;
/** A member may always send this many frames in a window, as long as the total allows it. */
const lowest = 1;
/**
 * The shares of a window derive from the previous window. When the limit is exceeded by this factor, only groups that
 * sent little in the previous window pass.
 */
const surplus = 1.5;
/** With more, further groups or members share one count. */
const mostGroups = 10_000;
const mostMembers = 50_000;
const others = 'others';

interface Group {
  offered: number;
  accepted: number;
  members: Map<string, number>;
}

/**
 * Shares a limit among groups and their members (addresses and their sockets) by max-min fairness: a group that offers
 * less than an even share gets all of it, and the others share the remainder evenly. The shares follow from what each
 * offered in the window before. `limit` is called at the end of each window, with the frames that were offered in it,
 * and returns the limit of the next one.
 */
export function createFairLoad(clock: Clock, limit: (offered: number) => LoadLimit) {
  let windowEnds = Number.NEGATIVE_INFINITY;
  let [offered, accepted] = [0, 0];
  let memberCount = 0;
  let groups = new Map<string, Group>();
  let groupsBefore: ReadonlyMap<string, Group> = groups;
  /** The share of a member, for groups that offered more than an even share; other groups have `even`. */
  let levels = new Map<string, number>();
  let even = Number.POSITIVE_INFINITY;
  let most: LoadLimit = { together: even, perGroup: even };

  function endWindow(): void {
    const now = clock.monotonicMs();
    if (now < windowEnds) return;
    windowEnds = now + windowMs;
    most = limit(offered);
    const all = Array.from(groups.values(), (group) => group.offered);
    even = Math.min(most.perGroup, evenShare(all, most.together));
    levels = new Map();
    for (const [name, group] of groups)
      if (group.offered > even) levels.set(name, Math.max(lowest, evenShare([...group.members.values()], even)));
    even = Math.max(lowest, even);
    groupsBefore = groups;
    groups = new Map();
    memberCount = 0;
    [offered, accepted] = [0, 0];
  }

  function groupOf(name: string): Group {
    const known = groups.get(name);
    if (known) return known;
    if (groups.size >= mostGroups && name !== others) return groupOf(others);
    const group = { offered: 0, accepted: 0, members: new Map() };
    groups.set(name, group);
    return group;
  }

  return {
    /** Counts the frames of this member, and answers whether they are accepted. */
    take(groupName: string, memberName: string, frames: number): boolean {
      endWindow();
      const group = groupOf(groupName);
      let member = memberName;
      let before = group.members.get(member);
      if (before === undefined) {
        if (memberCount >= mostMembers) member = others;
        before = group.members.get(member) ?? 0;
        memberCount += 1;
      }
      group.members.set(member, before + frames);
      group.offered += frames;
      offered += frames;
      const level = levels.get(groupName);
      const isSmall = level === undefined && groupsBefore.has(groupName);
      if (accepted >= surplus * most.together && !isSmall) return false;
      if (group.accepted >= surplus * most.perGroup || before >= (level ?? even)) return false;
      group.accepted += frames;
      accepted += frames;
      return true;
    },
  };
}

/** The level L for which the sum of min(amount, L) is `total`; Infinity when all together are not more than that. */
export function evenShare(amounts: readonly number[], total: number): number {
  let left = total;
  for (const [nth, amount] of amounts.toSorted((a, b) => a - b).entries()) {
    const share = left / (amounts.length - nth);
    if (amount > share) return share;
    left -= amount;
  }
  return Number.POSITIVE_INFINITY;
}
