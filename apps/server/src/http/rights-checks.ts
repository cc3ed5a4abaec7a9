/** Re-checks the rights of all open streams periodically. */
export interface RightsChecks {
  /** Calls `look` at least every two seconds, until the returned function is called. */
  add: (look: () => void) => () => void;
}

/**
 * Principals are cached for three seconds more, so a right that another instance revoked ends its streams within five.
 */
const everyMs = 2_000;
/** The checks of one group begin in the same iteration of the event loop, so that their queries form one statement. */
const groups = 10;

/**
 * One timer for all streams. With a timer per stream, each would query the database separately, hundreds of times a
 * second; all at once, they would delay other work.
 */
export function createRightsChecks(): RightsChecks {
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
