import type { CrossInstanceDeduplication } from '../ports/cross-instance-deduplication.ts';
import type { JournalID } from '../state/state.ts';

const mostAtOnce = 3;

/** Cross-instance deduplication within one process: each server gets its own side of it. */
export function createFakeCopies() {
  const uplinks = new Map<string, { holder: CrossInstanceDeduplication; ids: JournalID[]; isTaken: boolean }>();
  const sides: CrossInstanceDeduplication[] = [];
  const gone = new Set<CrossInstanceDeduplication>();
  const listeners = new Set<() => void>();
  const fake = {
    isAway: false,
    /** Makes the others miss the process with this number, counted from 0. */
    miss(nth: number): void {
      gone.add(sides[nth]!);
      for (const listener of listeners) listener();
    },
    side(): CrossInstanceDeduplication {
      const turn = sides.length % mostAtOnce;
      const side: CrossInstanceDeduplication = {
        async add(copies) {
          return copies.map(({ key, id }) => {
            if (fake.isAway) return 'unknown';
            const uplink = uplinks.get(key) ?? { holder: side, ids: [], isTaken: false };
            uplinks.set(key, uplink);
            if (uplink.isTaken) return 'late';
            uplink.ids.push(id);
            return uplink.holder === side ? 'mine' : 'elsewhere';
          });
        },
        async collectCopies(key) {
          const uplink = uplinks.get(key);
          if (!uplink || fake.isAway) return [];
          uplink.isTaken = true;
          return uplink.ids;
        },
        priorityOf: () => turn,
        orphanedCopies: () => [...uplinks.values()].flatMap(({ holder, ids }) => (gone.has(holder) ? ids : [])),
        onPeerLost(listener) {
          listeners.add(listener);
          return () => void listeners.delete(listener);
        },
      };
      sides.push(side);
      return side;
    },
  };
  return fake;
}
