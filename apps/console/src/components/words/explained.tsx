import { ActionIcon, Anchor, Text } from '@mantine/core';
import { IconHelp } from '@tabler/icons-react';
import { useState } from 'react';
import { type WordName, words } from './words.ts';
import { WordsDialog } from './words-dialog.tsx';

interface Props {
  word: WordName;
}

/** A one-sentence explanation of a term, with a link to the glossary dialog. */
export function Explained({ word: name }: Props) {
  const [opened, setOpened] = useState(false);
  const { word, is } = words[name];
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
      <WordsDialog first={name} opened={opened} onClose={() => setOpened(false)} />
    </div>
  );
}

/** A question mark beside a term that opens the glossary dialog, for narrow spaces. */
export function AskWord({ word: name }: Props) {
  const [opened, setOpened] = useState(false);
  const { word, is } = words[name];
  return (
    <>
      <ActionIcon size="sm" aria-label={`What is ${word}?`} title={is} onClick={() => setOpened(true)}>
        <IconHelp size={15} />
      </ActionIcon>
      <WordsDialog first={name} opened={opened} onClose={() => setOpened(false)} />
    </>
  );
}
