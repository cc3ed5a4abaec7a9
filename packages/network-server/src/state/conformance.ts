import { it } from 'node:test';
import type { StateUnderTest } from './conformance-cases.ts';
import { describeDueWork } from './due-conformance.ts';
import { describeMulticastGroups } from './multicast-conformance.ts';
import { describeJournal, describeNonces, describeQueue, describeRecords } from './records-conformance.ts';
import { describeSessions } from './sessions-conformance.ts';
import { describeUnit } from './unit-conformance.ts';

export type { StateUnderTest } from './conformance-cases.ts';

/** Registers the test cases that every State must pass; `open` creates an empty one for each. */
export function describeState(name: string, open: () => Promise<StateUnderTest>): void {
  const withState = (title: string, test: (under: StateUnderTest) => Promise<void>) => {
    it(title, async () => {
      const under = await open();
      try {
        await test(under);
      } finally {
        await under.close();
      }
    });
  };
  describeRecords(name, withState);
  describeMulticastGroups(name, withState);
  describeSessions(name, withState);
  describeQueue(name, withState);
  describeNonces(name, withState);
  describeJournal(name, withState);
  describeDueWork(name, withState);
  describeUnit(name, withState);
}
