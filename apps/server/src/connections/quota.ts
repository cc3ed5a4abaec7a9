/** Limits how much of something one owner and all owners together may hold. */
export interface Quota {
  /** Takes the amount, or answers false when not enough is free. */
  take: (owner: string, amount?: number) => boolean;
  giveBack: (owner: string, amount?: number) => void;
  /** How much is taken in all. */
  total: () => number;
  /** How many hold some of it: nobody else takes memory. */
  owners: () => number;
}

export function createQuota({ all, each }: { all: number; each: number }): Quota {
  const amounts = new Map<string, number>();
  let total = 0;
  return {
    take: (owner, amount = 1) => {
      const own = (amounts.get(owner) ?? 0) + amount;
      if (own > each || total + amount > all) return false;
      amounts.set(owner, own);
      total += amount;
      return true;
    },
    giveBack: (owner, amount = 1) => {
      const left = (amounts.get(owner) ?? 0) - amount;
      total -= amount;
      if (left > 0) amounts.set(owner, left);
      else amounts.delete(owner);
    },
    total: () => total,
    owners: () => amounts.size,
  };
}
