import { Text } from '@mantine/core';
import { type WordName, words } from './words.ts';

/** Full explanations of terms. */
export function Meanings({ of }: { of: readonly WordName[] }) {
  return (
    <dl>
      {of.map((name) => (
        <div key={name}>
          <Text component="dt" fw={600}>
            {words[name].word}
          </Text>
          <Text component="dd" ml={0} mb="sm">
            {words[name].is} {words[name].more}
          </Text>
        </div>
      ))}
    </dl>
  );
}
