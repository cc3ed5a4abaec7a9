import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Read } from '../../api/queries.ts';
import { LinkButton } from '../link/link.tsx';
import { useFollowAndReturn } from '../return-path/use-return-path.ts';

interface Props {
  /** The list that must not be empty, requested with limit 0. */
  query: Read<{ totalCount: string }>;
  title: string;
  text: string;
  action: string;
  to: string;
}

/** On a create page: names the object that has to exist first and links to the page that creates it. */
export function FirstStepDialog({ query, title, text, action, to }: Props) {
  const { data } = useQuery(query);
  const [dismissed, setDismissed] = useState(false);
  const dismiss = () => setDismissed(true);
  const leave = useFollowAndReturn(to);
  return (
    <Modal opened={data?.totalCount === '0' && !dismissed} onClose={dismiss} title={title}>
      <Stack>
        <Text>{text}</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={dismiss}>
            Dismiss
          </Button>
          <LinkButton to={to} data-autofocus onClick={leave}>
            {action}
          </LinkButton>
        </Group>
      </Stack>
    </Modal>
  );
}
