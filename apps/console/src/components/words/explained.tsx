import { Anchor, Modal, Text } from '@mantine/core';
import { useState } from 'react';
import { type WordName, words } from './words.ts';

/** A sentence that says what a word means; more of it, and of its neighbours, is one click away. */
export function Explained({ word: name }: { word: WordName }) {
  const [opened, setOpened] = useState(false);
  const { word, is } = words[name];
  // The one that was asked about comes first.
  const all = [words[name], ...Object.values(words).filter((one) => one.word !== word)];
  return (
    <div>
      <Text c="dimmed" size="sm" mb="sm" maw={720}>
        {is}{' '}
        <Anchor
          component="button"
          type="button"
          size="sm"
          aria-label={`More about ${word}`}
          onClick={() => setOpened(true)}
        >
          More
        </Anchor>
      </Text>
      <Modal opened={opened} onClose={() => setOpened(false)} title="Words">
        <dl>
          {all.map((one) => (
            <div key={one.word}>
              <Text component="dt" fw={600}>
                {one.word}
              </Text>
              <Text component="dd" ml={0} mb="sm">
                {one.is} {one.more}
              </Text>
            </div>
          ))}
        </dl>
      </Modal>
    </div>
  );
}
