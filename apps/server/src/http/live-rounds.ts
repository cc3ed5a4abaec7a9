/** Has the rights of all open streams looked at again and again. */
export interface Rounds {
  /** From now on `look` is called at least every two seconds, until the answer is called. */
  add: (look: () => void) => () => void;
}

/** Together with the three seconds that principals are kept, a right that ended elsewhere ends its streams in five. */
const everyMs = 2_000;
/** Looks of one group begin in one turn of the event loop: what they ask the database is one statement. */
const groups = 10;

/**
 * One timer for all of them. Each with its own asks the database by itself, hundreds of times a second; all at once would
 * hold up everything else.
 */
export function createRounds(): Rounds {
  const looks = Array.from({ length: groups }, () => new Set<() => void>());
  let timer: NodeJS.Timeout | undefined;
  let turn = 0;

  const fewest = () => looks.reduce((least, group) => (group.size < least.size ? group : least));
  const next = () => {
    turn = (turn + 1) % groups;
    for (const look of looks[turn]!) look();
  };

  return {
    add: (look) => {
      const group = fewest();
      group.add(look);
      timer ??= setInterval(next, everyMs / groups);
      return () => {
        group.delete(look);
        if (looks.some(({ size }) => size > 0)) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}
