import { Modal } from '@mantine/core';
import { Meanings } from './meanings.tsx';
import { type WordName, words } from './words.ts';

/** The glossary dialog; the requested term comes first. */
export function WordsDialog({ first, opened, onClose }: { first: WordName; opened: boolean; onClose: () => void }) {
  const others = (Object.keys(words) as WordName[]).filter((name) => name !== first);
  return (
    <Modal opened={opened} onClose={onClose} title="Glossary">
      <Meanings of={[first, ...others]} />
    </Modal>
  );
}
