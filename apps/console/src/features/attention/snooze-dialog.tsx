import type { AttentionItem, Snooze } from '@hilltop/contract';
import { conditionOf } from '@hilltop/contract/conditions';
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { perform } from '../../api/queries.ts';
import { isSnoozed, nameOf } from '../../components/attention/attention-words.ts';
import { useNow } from '../../components/last-seen/last-seen.tsx';
import { toast } from '../../components/toast/toast.ts';

const choices: readonly (readonly [time: Snooze, label: string])[] = [
  ['DAY', '1 day'],
  ['WEEK', '7 days'],
  ['UNTIL_IT_ENDS', 'Until it ends'],
];

/** Hides a condition for some time. */
export function SnoozeDialog({ item, onClose }: { item: AttentionItem | null; onClose: () => void }) {
  const [isBusy, setBusy] = useState(false);
  const now = useNow();

  async function snooze(time: Snooze) {
    if (!item) return;
    setBusy(true);
    try {
      const done = time === 'NONE' ? 'condition is shown again' : 'condition has been snoozed';
      await perform(api.attention.snooze({ id: item.id, time }), { changed: ['attention'], done });
      onClose();
    } catch (error) {
      toast.error(explain(error));
    } finally {
      setBusy(false);
    }
  }

  return (
    <Modal opened={item !== null} onClose={onClose} title={item ? `Snooze ${nameOf(item)}` : 'Snooze'}>
      {item && (
        <Stack gap="md">
          <Text>
            {`"${conditionOf(item.condition).label}" is neither listed nor counted for this time. It ends as usual, and when it comes back it is shown.`}
          </Text>
          <Group gap="sm">
            {choices.map(([time, label], index) => (
              <Button
                key={time}
                variant="default"
                disabled={isBusy}
                onClick={() => void snooze(time)}
                {...(index === 0 && { 'data-autofocus': true })}
              >
                {label}
              </Button>
            ))}
            {isSnoozed(item, now) && (
              <Button variant="default" disabled={isBusy} onClick={() => void snooze('NONE')}>
                Show again
              </Button>
            )}
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
