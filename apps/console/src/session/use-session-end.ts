import { useEffect, useState } from 'react';
import { readToken, watchToken } from './storage.ts';
import { type TokenTimes, timesOf } from './token.ts';

const longestNoticeMs = 5 * 60_000;
/** The limit of browser timers; a longer one would fire at once. */
const longestTimerMs = 2 ** 31 - 1;
/** Extra time, so that the server also considers the session ended. */
const marginMs = 500;

/** When the warning appears: for the last quarter of a short session, for the last minutes of others. */
export const noticeFrom = ({ from, until }: TokenTimes): number =>
  until - Math.min(longestNoticeMs, (until - from) / 4);

/**
 * When the session ends, once that is near. `onEnd` is called when it should have ended or another tab has signed out;
 * only the server knows, so `onEnd` checks there. `renewed` switches to a token that was stored since.
 */
export function useSessionEnd(onEnd: () => void): { endsAt: number | undefined; renewed: () => void } {
  const [times, setTimes] = useState(() => timesOf(readToken()));
  const [isNear, setNear] = useState(false);
  const renewed = () => {
    setNear(false);
    setTimes(timesOf(readToken()));
  };

  useEffect(() => {
    if (!times) return;
    const stopNotice = at(noticeFrom(times), () => setNear(true));
    const stopEnd = at(times.until + marginMs, onEnd);
    return () => {
      stopNotice();
      stopEnd();
    };
  }, [times, onEnd]);

  useEffect(
    () =>
      watchToken((token) => {
        if (token === null) return onEnd();
        setNear(false);
        setTimes(timesOf(token));
      }),
    [onEnd],
  );
  return { endsAt: isNear ? times?.until : undefined, renewed };
}

/** Calls back at a time, however far away; the returned function cancels it. */
function at(moment: number, work: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const wait = () => {
    const left = moment - Date.now();
    timer = left > 0 ? setTimeout(wait, Math.min(left, longestTimerMs)) : setTimeout(work, 0);
  };
  wait();
  return () => clearTimeout(timer);
}
