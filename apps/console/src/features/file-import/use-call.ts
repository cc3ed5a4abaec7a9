import { useState } from 'react';
import { perform } from '../../api/queries.ts';

/** A call that a button starts: whether it runs, and how it failed. */
export function useCall() {
  const [failure, setFailure] = useState<unknown>(null);
  const [isRunning, setRunning] = useState(false);
  const run = async <T>(call: Promise<T>, done: (answer: T) => void) => {
    setRunning(true);
    setFailure(null);
    await perform(call).then(done, setFailure);
    setRunning(false);
  };
  return { run, failure, isRunning };
}
