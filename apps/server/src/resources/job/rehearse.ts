import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type ApiError, type JobRefusal, mostJobRows, refusal } from '@hilltop/contract';
import type { JobKind, JobOrder, JobSubject, RowCaller } from './kind.ts';

const mostSamples = 20;

/** What a job would do: how many records it finds, and which of them would be refused. Writes nothing. */
export async function rehearse(kind: JobKind, order: JobOrder, caller: RowCaller) {
  await kind.check?.(order as never, caller);
  const page = await kind.rehearse?.(order as never, caller);
  const refused = new Map<string, JobRefusal>();
  const seen = new Set<string>();
  let refusedCount = 0;
  for await (const all of kind.subjects(order as never)) {
    const subjects = all.filter(({ subject }) => !seen.has(subject) && seen.add(subject));
    if (seen.size > mostJobRows) throw refusal('TOO_MANY_SELECTED', { called: 'records', most: mostJobRows });
    const errors: ReadonlyMap<string, ApiError> = (await page?.(subjects)) ?? new Map();
    for (const one of subjects) {
      const error = errors.get(one.subject);
      if (!error) continue;
      refusedCount += 1;
      add(refused, one, error);
    }
    await yieldToEventLoop();
  }
  return {
    job: null,
    count: seen.size,
    acceptedCount: seen.size - refusedCount,
    refused: [...refused.values()].sort((one, other) => other.count - one.count),
  };
}

function add(refused: Map<string, JobRefusal>, { subject, name }: JobSubject, { reason, message }: ApiError): void {
  const known = refused.get(reason) ?? { reason, message, count: 0, sample: [] };
  known.count += 1;
  if (known.sample.length < mostSamples) known.sample.push({ subject, name });
  refused.set(reason, known);
}
