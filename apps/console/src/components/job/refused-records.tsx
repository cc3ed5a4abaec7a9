import type { JobRefusal } from '@hilltop/contract';
import { Text } from '@mantine/core';
import classes from './refused-records.module.css';

/** Which records would be refused, by reason, with the first of them. */
export function RefusedRecords({ refused }: { refused: readonly JobRefusal[] }) {
  if (refused.length === 0) return null;
  return (
    <ul className={classes.reasons}>
      {refused.map(({ reason, message, count, sample }) => (
        <li key={reason}>
          <details>
            <summary>
              {count.toLocaleString('en')}: {message}
            </summary>
            <ul className={classes.records}>
              {sample.map(({ subject, name }) => (
                <li key={subject}>{name === '' || name === subject ? subject : `${name} (${subject})`}</li>
              ))}
            </ul>
            {count > sample.length && (
              <Text size="sm" c="dimmed">{`and ${(count - sample.length).toLocaleString('en')} more`}</Text>
            )}
          </details>
        </li>
      ))}
    </ul>
  );
}
